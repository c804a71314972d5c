import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GitHubServer, startServer } from '../server/server.js';
import { Job } from './runner.js';

/** The committed bundle, main then post, against a server with state: the lives of claims. */

let server: GitHubServer;
beforeAll(async () => {
  server = await startServer({
    tokens: {
      'test-token': {
        login: 'claim-bot',
        permissions: { contents: 'write', issues: 'write', pull_requests: 'write', actions: 'write' },
      },
    },
  });
  for (let number = 1; number <= 30; number++) server.addIssue({ number, title: `Item ${number}` });
  server.addIssue({ number: 40, title: 'A pull request', pull: { head: 'a'.repeat(40) } });
  server.addIssue({ number: 41, title: 'Closed', state: 'closed' });
});
afterAll(() => server.close());

const sequences = async (key: string) =>
  [...(await server.refs(`refs/claims/${key}/`)).keys()].map((ref) => Number(ref.split('/').at(-1)));

describe('a claim', () => {
  it('is made, proved, renewed, seen by others, and given back by the post step', async () => {
    const [job, other] = [new Job(server, { run: 870 }), new Job(server, { run: 871, job: '38300' })];
    const claimed = await job.step({ mode: 'claim', item: '#1', agent: 'reviewer-a' });
    expect(claimed).toMatchObject({ code: 0, errors: [], warnings: [], notices: [] });
    expect(claimed.outputs).toMatchObject({
      claimed: 'true',
      owned: 'true',
      outcome: 'claimed',
      key: 'item-1',
      ref: 'refs/claims/item-1/00000001',
      generation: '1',
      number: '1',
      title: 'Item 1',
      url: `${server.url}/octo/demo/issues/1`,
      'holder-url': `${server.url}/octo/demo/actions/runs/870/attempts/1`,
      requests: '4',
    });
    expect(claimed.outputs['holder']).toMatch(/^reviewer-a\/870\/38291\/[0-9a-f]{16}$/);
    expect(claimed.outputs['claim-id']).toMatch(/^item-1@[0-9a-f]{16}$/);
    expect(JSON.parse(claimed.outputs['result'] ?? '')).toMatchObject({
      version: 1,
      owned: true,
      claimed_by: 'reviewer-a',
      expired: false,
      generation: 1,
    });
    expect(claimed.log).toMatch(/^Claimed item-1: generation 1; 4 requests$/m);
    expect(claimed.summary).toContain('🤖 item-1 · reviewer-a claimed, generation 1');
    expect(job.exported).toEqual({ CLAIM_ID: claimed.outputs['claim-id'], CLAIM_REQUIRED: '' });

    expect(await job.step({ mode: 'verify' })).toMatchObject({
      code: 0,
      outputs: { outcome: 'owned', owned: 'true' },
      summary: '',
    });
    expect(await job.step({ mode: 'heartbeat' })).toMatchObject({
      code: 0,
      outputs: { outcome: 'renewed', ref: 'refs/claims/item-1/00000002' },
    });

    const refused = await other.step({ mode: 'claim', item: '1', agent: 'reviewer-b' });
    expect(refused.code).toBe(4);
    expect(refused.errors).toEqual([
      expect.stringMatching(
        /^::error::Not claimed: item-1 is held by reviewer-a \(run 870, signal: claim, \d+s ago\)$/,
      ),
    ]);
    expect(refused.outputs).toMatchObject({
      claimed: '',
      owned: '',
      outcome: 'held',
      signal: 'claim',
      holder: claimed.outputs['holder'],
    });
    expect(refused.summary).toContain('ends at the latest');

    const posts = await job.post();
    expect(posts.map(({ code, warnings, errors }) => ({ code, warnings, errors }))).toEqual(
      posts.map(() => ({ code: 0, warnings: [], errors: [] })),
    );
    expect(await sequences('item-1')).toEqual([1, 2, 3]);
    expect(await server.log('refs/claims/item-1/00000003')).toContain('Claim-Ending: released');
    for (const post of await other.post()) expect(post).toMatchObject({ code: 0, warnings: [] });
    expect(await sequences('item-1')).toEqual([1, 2, 3]);
  });

  it('tells its story in git', async () => {
    const first = new Job(server, { run: 900 });
    await first.step({ mode: 'claim', key: 'deploy/prod', agent: 'deployer' });
    first.status = 'failure';
    await first.post();
    const second = new Job(server, { run: 901 });
    await second.step({ mode: 'claim', key: 'deploy/prod', agent: 'deployer' });
    const story = await server.log('refs/claims/deploy/prod/00000003');
    expect(story.match(/^deploy\/prod .*$/gm)).toEqual([
      'deploy/prod claimed by deployer, generation 2',
      'deploy/prod released as failed by deployer, generation 1',
      'deploy/prod claimed by deployer, generation 1',
    ]);
    expect(story.match(/^Claim-Generation: .*$/gm)).toEqual([
      'Claim-Generation: 2',
      'Claim-Generation: 1',
      'Claim-Generation: 1',
    ]);
  });

  it.each([
    ['success', 'released'],
    ['failure', 'failed'],
    ['cancelled', 'failed'],
  ] as const)('of a job with status %s ends as %s', async (status, ending) => {
    const job = new Job(server, { run: 910 });
    await job.step({ mode: 'claim', key: `status/${status}` });
    job.status = status;
    const [post] = await job.post();
    expect(post).toMatchObject({ code: 0, warnings: [] });
    const tail = await server.log(`refs/claims/status/${status}/00000002`);
    expect(tail).toMatch(new RegExp(`^Claim-Ending: ${ending}$`, 'm'));
  });

  it.each([
    ['pull_request', { pull_request: { number: 40 } }, '40'],
    ['pull_request_target', { pull_request: { number: 40 } }, '40'],
    ['pull_request_review', { pull_request: { number: 40 } }, '40'],
    ['issues', { issue: { number: 2 } }, '2'],
    ['issue_comment', { issue: { number: 40, pull_request: {} } }, '40'],
    [
      'merge_group',
      { merge_group: { head_ref: `refs/heads/gh-readonly-queue/main/pr-40-${'b'.repeat(40)}` } },
      '40',
    ],
  ])('takes its item from the event %s', async (name, payload, number) => {
    const job = new Job(server, { run: 920, event: [name, payload] });
    expect(await job.step({ mode: 'claim' })).toMatchObject({ code: 0, outputs: { key: `item-${number}` } });
    await job.post();
  });

  it('is of the same key however the item is spelled, and the host says what it is', async () => {
    for (const [index, item] of ['pr-3', 'issue-3', '#3', '3'].entries()) {
      const job = new Job(server, { run: 930 + index });
      expect(await job.step({ mode: 'claim', item })).toMatchObject({
        outputs: {
          key: 'item-3',
          outcome: 'claimed',
          generation: String(index + 1),
          url: `${server.url}/octo/demo/issues/3`,
        },
      });
      await job.post();
    }
  });

  it('of a closed item is refused, and nothing is written', async () => {
    const step = await new Job(server).step({ mode: 'claim', item: '41', 'on-conflict': 'skip' });
    expect(step).toMatchObject({ code: 0, outputs: { outcome: 'closed', claimed: '' } });
    expect(await sequences('item-41')).toEqual([]);
  });
});

describe('without a claim', () => {
  it('on-conflict: skip goes on green, and the steps after it must prove what they do not have', async () => {
    const [holder, job] = [new Job(server, { run: 940 }), new Job(server, { run: 941 })];
    await holder.step({ mode: 'claim', item: '4' });
    const skipped = await job.step({ mode: 'claim', item: '4', 'on-conflict': 'skip' });
    expect(skipped).toMatchObject({ code: 0, errors: [], outputs: { claimed: '', outcome: 'held' } });
    expect(skipped.notices).toEqual([expect.stringContaining("if: steps.claim.outputs.claimed == 'true'")]);
    expect(job.exported).toEqual({ CLAIM_ID: '', CLAIM_REQUIRED: '1' });
    const verify = await job.step({ mode: 'verify' });
    expect(verify).toMatchObject({ code: 4, errors: ['::error::claim lost: this job holds no claim'] });
    expect(verify.outputs['requests']).toBe('0');
    await job.post();
    expect(await sequences('item-4')).toEqual([1]);
  });

  it('on-conflict: cancel cancels its own run and does not return', async () => {
    const [holder, job] = [new Job(server, { run: 950 }), new Job(server, { run: 951 })];
    await holder.step({ mode: 'claim', item: '5' });
    const step = job.start({ mode: 'claim', item: '5', 'on-conflict': 'cancel' });
    while (!server.cancelled.includes(951)) await new Promise((resolve) => setTimeout(resolve, 20));
    const early = await Promise.race([
      step.done,
      new Promise((resolve) => setTimeout(resolve, 300, 'still there')),
    ]);
    expect(early).toBe('still there');
    step.kill('SIGINT');
    expect((await step.done).signal).toBe('SIGINT');
    expect(server.cancelled).toEqual([951]);
  });

  it('a release has nothing to do', async () => {
    const step = await new Job(server).step({ mode: 'release' });
    expect(step).toMatchObject({ code: 0, outputs: { outcome: 'not-held' }, errors: [] });
  });
});

describe('who is who', () => {
  // Fault 13: legs, attempts and runs of one login are told apart.
  it.each([
    ['another leg of the matrix', { run: 960, job: '2' }],
    ['attempt 2 of the run', { run: 960, attempt: 2 }],
    ['another run of the same bot', { run: 961 }],
  ])('%s is another holder', async (name, options) => {
    const key = `who/${name.replaceAll(' ', '-')}`;
    const job = new Job(server, { run: 960, job: '1' });
    const { outputs } = await job.step({ mode: 'claim', key });
    const other = new Job(server, { job: '1', ...options });
    for (const inputs of [{}, { 'claim-id': outputs['claim-id'] ?? '' }]) {
      expect(await other.step({ mode: 'claim', key, ...inputs })).toMatchObject({
        code: 4,
        outputs: { outcome: 'held' },
      });
    }
    expect(await other.step({ mode: 'verify', 'claim-id': outputs['claim-id'] ?? '' })).toMatchObject({
      code: 4,
      outputs: { outcome: 'lost' },
    });
    expect(await other.step({ mode: 'release', 'claim-id': outputs['claim-id'] ?? '' })).toMatchObject({
      code: 0,
      outputs: { outcome: 'not-held' },
    });
    await other.post();
    expect(await sequences(key)).toEqual([1]);
    expect(await job.step({ mode: 'verify' })).toMatchObject({ code: 0 });
  });

  it('legs are told apart by the runner where the host has no job id', async () => {
    const leg = (id: string) =>
      new Job(server, { run: 970, job: '', env: { RUNNER_TRACKING_ID: `github_${id}` } });
    const [one, two] = [leg('1'), leg('2')];
    const { outputs } = await one.step({ mode: 'claim', key: 'tracked' });
    expect(
      await two.step({ mode: 'claim', key: 'tracked', 'claim-id': outputs['claim-id'] ?? '' }),
    ).toMatchObject({ code: 4 });
    expect(await one.step({ mode: 'claim', key: 'tracked' })).toMatchObject({
      code: 0,
      outputs: { outcome: 'reentered' },
    });
  });

  it('a second claim step of a job goes on with its claim, which the first one gives back', async () => {
    const job = new Job(server, { run: 980 });
    const first = await job.step({ mode: 'claim', item: '6' });
    const second = await job.step({ mode: 'claim', item: '6' });
    expect(second).toMatchObject({
      code: 0,
      outputs: { outcome: 'reentered', generation: '1', 'claim-id': first.outputs['claim-id'] },
    });
    const posts = await job.post();
    expect(posts.map(({ log }) => log.split('\n')[0])).toEqual([
      'This step holds no claim: nothing to release',
      expect.stringMatching(/^Released item-6: generation 1/),
    ]);
    expect(await sequences('item-6')).toEqual([1, 2, 3]);
  });

  it('of two claims in a job none is guessed', async () => {
    const job = new Job(server, { run: 990 });
    const ids = [];
    for (const key of ['pair/one', 'pair/two'])
      ids.push((await job.step({ mode: 'claim', key })).outputs['claim-id']);
    const guess = await job.step({ mode: 'release' });
    expect(guess.code).toBe(2);
    for (const id of ids) expect(guess.errors[0]).toContain(id);
    expect(await job.step({ mode: 'release', key: 'pair/one' })).toMatchObject({
      code: 0,
      outputs: { outcome: 'released', key: 'pair/one' },
    });
    await job.post();
    for (const key of ['pair/one', 'pair/two']) expect(await sequences(key)).toEqual([1, 2]);
  });
});

describe('after the ttl', () => {
  it('another takes over, the zombie loses its proof, and its post step frees nobody', async () => {
    const [zombie, next] = [new Job(server, { run: 1000 }), new Job(server, { run: 1001 })];
    await zombie.step({ mode: 'claim', item: '8', agent: 'reviewer-a' });
    server.clock.advance(11 * 60_000);
    const taken = await next.step({ mode: 'claim', item: '8', agent: 'reviewer-b' });
    expect(taken).toMatchObject({ code: 0, outputs: { outcome: 'taken-over', generation: '2' } });
    expect(taken.log).toMatch(
      /^Claimed item-8: generation 2, taken over from reviewer-a \(run 1000, expired 1m ago\); 6 requests$/m,
    );
    const verify = await zombie.step({ mode: 'verify' });
    expect(verify).toMatchObject({ code: 4, outputs: { outcome: 'lost', reason: 'taken-over', owned: '' } });
    expect(verify.errors).toEqual([
      '::error::claim lost: item-8 is held by reviewer-b (run 1001), generation 2',
    ]);
    expect(await zombie.step({ mode: 'heartbeat' })).toMatchObject({ code: 4, outputs: { outcome: 'lost' } });
    for (const post of await zombie.post()) expect(post.code).toBe(0);
    expect(await next.step({ mode: 'verify' })).toMatchObject({ code: 0 });
    expect(await sequences('item-8')).toEqual([1, 2]);
  });

  // Fault 2: a late post step.
  it('a post step that finds its claim taken over warns, once', async () => {
    const [stale, next] = [new Job(server, { run: 1010 }), new Job(server, { run: 1011 })];
    await stale.step({ mode: 'claim', item: '9', agent: 'reviewer-a' });
    server.clock.advance(11 * 60_000);
    await next.step({ mode: 'claim', item: '9', agent: 'reviewer-b' });
    const [post] = await stale.post();
    expect(post).toMatchObject({ code: 0, errors: [] });
    expect(post?.warnings).toEqual([
      '::warning::Nothing to release: item-9 is held by reviewer-b (run 1011), generation 2',
    ]);
    expect(await sequences('item-9')).toEqual([1, 2]);
  });
});

it('never prints the token, not even when debugging, and keeps it out of every file', async () => {
  const job = new Job(server, { run: 1020, env: { RUNNER_DEBUG: '1', ACTIONS_STEP_DEBUG: 'true' } });
  const { readdirSync, readFileSync, statSync } = await import('node:fs');
  const { join } = await import('node:path');
  const steps = [
    await job.step({ mode: 'claim', item: '10' }),
    await job.step({ mode: 'verify' }),
    ...(await job.post()),
  ];
  for (const step of steps) expect(step.log).not.toContain('test-token');
  const files = readdirSync(job.temp, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const file of files)
    expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain('test-token');
  const handles = files.filter((file) => file.parentPath.endsWith('claim-action'));
  expect(handles).toHaveLength(1);
  for (const file of handles) expect(statSync(join(file.parentPath, file.name)).mode & 0o777).toBe(0o600);
});
