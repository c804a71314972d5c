import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GitHubServer, startServer } from '../server/server.js';
import { Job, type JobOptions } from './runner.js';

/** What is refused on the committed bundle: one clear line, nothing written. */

let server: GitHubServer;
beforeAll(async () => {
  server = await startServer({
    tokens: {
      'test-token': {
        login: 'claim-bot',
        permissions: { contents: 'write', issues: 'read', pull_requests: 'read' },
      },
      'read-only': {
        login: 'claim-bot',
        permissions: { contents: 'read', issues: 'read', pull_requests: 'read' },
      },
      'no-issues': { login: 'claim-bot', permissions: { contents: 'write' } },
      'only-pulls': { login: 'claim-bot', permissions: { contents: 'write', pull_requests: 'read' } },
    },
  });
  server.addIssue({ number: 7 });
  server.addIssue({ number: 8, pull: { head: 'a'.repeat(40) } });
  server.addIssue({ number: 9, deleted: true });
  server.addIssue({ number: 10, movedTo: { number: 7 } });
});
afterAll(() => server.close());

async function expectRefused(
  inputs: Record<string, string>,
  options: JobOptions,
  outcome: string,
  code: number,
) {
  const step = await new Job(server, options).step(inputs);
  expect(step.outputs).toMatchObject({ outcome, claimed: '', owned: '' });
  expect(step.code).toBe(code);
  expect(step.errors).toHaveLength(1);
  // One line, and no stack.
  expect(step.log).not.toMatch(/^\s+at /m);
  expect(await server.refs('refs/claims/')).toEqual(new Map());
  return step.errors[0] ?? '';
}

describe('a token that may not', () => {
  // Fault 19: a read-only token.
  it('write says which permission is missing', async () => {
    const error = await expectRefused(
      { mode: 'claim', item: '7' },
      { token: 'read-only' },
      'permission-denied',
      1,
    );
    expect(error).toMatch(
      /^::error::permission-denied: .*refs\/claims\/item-7\/.* needs "contents: write" \(.*a fork's pull_request run never has it\)$/,
    );
  });

  it('write fails its post step neither, and it has nothing to do', async () => {
    const job = new Job(server, { token: 'read-only' });
    await job.step({ mode: 'claim', item: '7' });
    job.status = 'failure';
    expect(await job.post()).toMatchObject([{ code: 0, errors: [], warnings: [] }]);
  });

  it('read issues says so', async () => {
    const error = await expectRefused(
      { mode: 'claim', item: '7' },
      { token: 'no-issues' },
      'permission-denied',
      1,
    );
    expect(error).toContain('reading item-7 needs "issues: read"');
  });

  it('read issues can still claim a pull request', async () => {
    const job = new Job(server, { token: 'only-pulls', run: 3 });
    expect(await job.step({ mode: 'claim', item: '8', 'on-conflict': 'skip' })).toMatchObject({
      code: 0,
      outputs: { claimed: 'true' },
    });
    await job.post();
    const refs = await server.refs('refs/claims/');
    expect(refs.size).toBe(2);
    for (const ref of refs.keys()) {
      await fetch(`${server.url}/repos/octo/demo/git/${ref}`, {
        method: 'DELETE',
        headers: { authorization: 'token test-token' },
      });
    }
  });

  it('do anything is told apart', async () => {
    const error = await expectRefused({ mode: 'claim', item: '7' }, { token: 'wrong' }, 'auth-error', 1);
    expect(error).toMatch(/^::error::auth-error: .*check the input github-token$/);
    expect(error).not.toContain('wrong');
  });

  it('cancel fails the step with the permission it needs', async () => {
    const holder = new Job(server, { run: 4 });
    await holder.step({ mode: 'claim', key: 'cancelling' });
    const step = await new Job(server, { run: 5 }).step({
      mode: 'claim',
      key: 'cancelling',
      'on-conflict': 'cancel',
    });
    expect(step).toMatchObject({
      code: 1,
      errors: [expect.stringContaining('cancelling run 5 needs "actions: write"')],
    });
    await fetch(`${server.url}/repos/octo/demo/git/refs/claims/cancelling/00000001`, {
      method: 'DELETE',
      headers: { authorization: 'token test-token' },
    });
  });
});

describe('an item that is not there', () => {
  it.each([
    ['99', 'item-99 is no issue or pull request in octo/demo'],
    ['pr-99', 'item-99 is no issue or pull request in octo/demo'],
    ['9', 'item-9 was deleted in octo/demo'],
    ['10', 'item-10 was moved to'],
  ])('%s: %s', async (item, message) => {
    const error = await expectRefused({ mode: 'claim', item }, {}, 'invalid-input', 2);
    expect(error).toContain(message);
    expect(error).toContain('Nothing was changed');
  });
});

// Fault 22, and every other word that isn't one of ours.
describe('a bad input', () => {
  it.each<[string, Record<string, string>, string[], JobOptions?]>([
    ['no mode', { mode: '' }, ['mode is missing']],
    ['an unknown mode', { mode: 'Claim' }, ['mode "Claim" is none of claim, verify, heartbeat, release']],
    ['no token', { mode: 'verify', 'github-token': '' }, ['github-token is empty'], { token: '' }],
    ['a token that is none', { mode: 'verify', 'github-token': 'a\nb' }, ['github-token has characters']],
    ['no item anywhere', { mode: 'claim' }, ['the event "schedule" names no issue or pull request']],
    [
      'an event without a number',
      { mode: 'claim' },
      ['the event "issues" names no'],
      { event: ['issues', {}] },
    ],
    ['an item that is no number', { mode: 'claim', item: '0x10' }, ['item "0x10" is no number']],
    ['item 1e3', { mode: 'claim', item: '1e3' }, ['item "1e3" is no number']],
    ['item 0', { mode: 'claim', item: '0' }, ['item "0" is no number']],
    ['item and key', { mode: 'claim', item: '7', key: 'a' }, ['item and key are both set']],
    ["a key that is an item's", { mode: 'claim', key: 'item-7' }, ['key "item-7" begins with "item-"']],
    ['a reserved key', { mode: 'claim', key: 'queue/a' }, ['key "queue/a" begins with "queue/"']],
    ['a key with a part like an entry', { mode: 'claim', key: 'deploy/20251130' }, ['exactly eight digits']],
    ['a key that is no ref', { mode: 'claim', key: 'a b' }, ['letters, digits']],
    [
      'an agent that is none',
      { mode: 'claim', item: '7', agent: 'Re viewer' },
      ['agent "Re viewer" must be'],
    ],
    [
      'an actor that is no agent',
      { mode: 'claim', item: '7' },
      ["agent is empty and the job's actor"],
      { actor: 'ä' },
    ],
    ['a ttl without unit', { mode: 'claim', item: '7', ttl: '600' }, ['ttl "600" is no duration']],
    ['a ttl of nothing', { mode: 'claim', item: '7', ttl: '0s' }, ['ttl "0s" is no duration']],
    ['a ttl in words', { mode: 'claim', item: '7', ttl: '10 minutes' }, ['ttl "10 minutes" is no duration']],
    ['a short ttl', { mode: 'claim', item: '7', ttl: '3s' }, ['ttl must be between 4s and 7d']],
    [
      'a deadline beyond half of the ttl',
      { mode: 'claim', item: '7', ttl: '10m', 'renew-deadline': '6m' },
      ['renew-deadline must be at most half of ttl'],
    ],
    [
      'an unknown on-conflict',
      { mode: 'claim', item: '7', 'on-conflict': 'yes' },
      ['on-conflict "yes" is none of fail, skip, cancel'],
    ],
    [
      'an unknown release-as',
      { mode: 'release', 'release-as': 'True' },
      ['release-as "True" is none of released, failed'],
    ],
    [
      'a claim id that is none',
      { mode: 'verify', 'claim-id': 'item-7' },
      ['claim-id "item-7" is no claim id'],
    ],
    [
      'a repository that is none',
      { mode: 'claim', item: '7', repository: 'octo' },
      ['repository "octo" is no owner/name'],
    ],
    [
      'no run',
      { mode: 'claim', item: '7' },
      ['this is no job of a workflow run'],
      { env: { GITHUB_RUN_ID: '' } },
    ],
    [
      'several at once',
      { mode: 'clam', item: 'x', ttl: 'y', 'on-conflict': 'z' },
      ['mode "clam"', 'item "x"', 'ttl "y"', 'on-conflict "z"'],
    ],
    [
      'text that would be a command',
      { mode: 'claim', item: '7\n::set-output name=claimed::true' },
      ['item "7 ::set-output'],
    ],
  ])('%s', async (_, inputs, messages, options = {}) => {
    const before = server.requests.length;
    const error = await expectRefused(inputs, options, 'invalid-input', 2);
    for (const message of messages) expect(error).toContain(message);
    expect(error).toContain('Nothing was changed');
    expect(server.requests.length).toBe(before);
  });
});
