import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ENDINGS, type Outcome } from '../../src/engine/outcome.js';
import { type GitHubServer, startServer } from '../server/server.js';
import { Job, type StepResult } from './runner.js';

/** The table of outcomes, row by row on the committed bundle: outputs, colour, exit code. */

let server: GitHubServer;
let runs = 0;
const newJob = (token?: string) => new Job(server, { run: ++runs, ...(token && { token }) });
const CREATE = { method: 'POST', path: /\/git\/refs$/ };

beforeAll(async () => {
  server = await startServer({
    tokens: {
      'test-token': {
        login: 'claim-bot',
        permissions: { contents: 'write', issues: 'read', pull_requests: 'read' },
      },
      'read-only': { login: 'claim-bot', permissions: { contents: 'read' } },
    },
  });
  server.addIssue({ number: 1, state: 'closed' });
  server.addIssue({ number: 2, pull: { head: 'a'.repeat(40) } });
});
afterAll(() => server.close());

interface Row {
  claimed: 'true' | '';
  /** The exit code; 0 is green. With `skip` where on-conflict decides. */
  exit: number;
  act(key: string): Promise<StepResult>;
  skip?: (key: string) => Promise<StepResult>;
}

async function claimed(key: string): Promise<Job> {
  const job = newJob();
  expect((await job.step({ mode: 'claim', key })).code).toBe(0);
  return job;
}

async function takenOver(key: string): Promise<Job> {
  const job = await claimed(key);
  server.clock.advance(601_000);
  await claimed(key);
  return job;
}

const rows: Record<Outcome, Row> = {
  claimed: { claimed: 'true', exit: 0, act: (key) => newJob().step({ mode: 'claim', key }) },
  reentered: {
    claimed: 'true',
    exit: 0,
    act: async (key) => (await claimed(key)).step({ mode: 'claim', key }),
  },
  'taken-over': {
    claimed: 'true',
    exit: 0,
    act: async (key) => {
      await claimed(key);
      server.clock.advance(601_000);
      return newJob().step({ mode: 'claim', key });
    },
  },
  forced: {
    claimed: 'true',
    exit: 0,
    act: async (key) => {
      await claimed(key);
      return newJob().step({ mode: 'claim', key, force: 'true', reason: 'hotfix' });
    },
  },
  owned: { claimed: 'true', exit: 0, act: async (key) => (await claimed(key)).step({ mode: 'verify' }) },
  renewed: { claimed: 'true', exit: 0, act: async (key) => (await claimed(key)).step({ mode: 'heartbeat' }) },
  held: {
    claimed: '',
    exit: 4,
    act: async (key) => {
      await claimed(key);
      return newJob().step({ mode: 'claim', key });
    },
    skip: (key) => newJob().step({ mode: 'claim', key, 'on-conflict': 'skip' }),
  },
  closed: {
    claimed: '',
    exit: 4,
    act: () => newJob().step({ mode: 'claim', item: '1' }),
    skip: () => newJob().step({ mode: 'claim', item: '1', 'on-conflict': 'skip' }),
  },
  done: {
    claimed: '',
    exit: 4,
    act: async () => {
      const job = newJob();
      expect((await job.step({ mode: 'claim', item: '2', per: 'head' })).code).toBe(0);
      expect((await job.step({ mode: 'release', 'release-as': 'done' })).code).toBe(0);
      return newJob().step({ mode: 'claim', item: '2', per: 'head' });
    },
    skip: () => newJob().step({ mode: 'claim', item: '2', per: 'head', 'on-conflict': 'skip' }),
  },
  exhausted: {
    claimed: '',
    exit: 4,
    act: async (key) => {
      await claimed(key);
      server.clock.advance(601_000);
      return newJob().step({ mode: 'claim', key, 'max-takeovers': '0' });
    },
    skip: (key) => newJob().step({ mode: 'claim', key, 'max-takeovers': '0', 'on-conflict': 'skip' }),
  },
  cleaned: { claimed: '', exit: 0, act: () => newJob().step({ mode: 'cleanup', item: '1' }) },
  lost: { claimed: '', exit: 4, act: async (key) => (await takenOver(key)).step({ mode: 'verify' }) },
  released: { claimed: '', exit: 0, act: async (key) => (await claimed(key)).step({ mode: 'release' }) },
  'not-held': { claimed: '', exit: 0, act: async (key) => (await takenOver(key)).step({ mode: 'release' }) },
  unknown: {
    claimed: '',
    exit: 1,
    act: async (key) => {
      const job = await claimed(key);
      server.inject({
        path: /matching-refs/,
        kind: 'status',
        status: 403,
        message: 'rate limit',
        headers: { 'retry-after': '3600' },
      });
      return job.step({ mode: 'verify' });
    },
  },
  'invalid-input': { claimed: '', exit: 2, act: () => newJob().step({ mode: 'claim', key: 'item-1' }) },
  'unreadable-entry': {
    claimed: '',
    exit: 1,
    act: async (key) => {
      const [sha] = [...(await server.refs('refs/heads/')).values()];
      const headers = { authorization: 'token test-token' };
      const body = JSON.stringify({ ref: `refs/claims/${key}/00000001`, sha });
      await fetch(`${server.url}/repos/${server.repository}/git/refs`, { method: 'POST', headers, body });
      return newJob().step({ mode: 'claim', key });
    },
  },
  'auth-error': { claimed: '', exit: 1, act: (key) => newJob('unheard-of').step({ mode: 'claim', key }) },
  'permission-denied': {
    claimed: '',
    exit: 1,
    act: (key) => newJob('read-only').step({ mode: 'claim', key }),
  },
  'rate-limited': {
    claimed: '',
    exit: 1,
    act: (key) => {
      server.inject({ ...CREATE, kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
      return newJob().step({ mode: 'claim', key });
    },
  },
  unavailable: {
    claimed: '',
    exit: 1,
    act: (key) => {
      server.inject({ method: 'POST', path: /\/git\/commits$/, kind: 'status', status: 503, times: 4 });
      return newJob().step({ mode: 'claim', key });
    },
  },
  ambiguous: {
    claimed: '',
    exit: 1,
    act: (key) => {
      server.inject({ ...CREATE, kind: 'drop-before' });
      server.inject({ ...CREATE, kind: 'status', status: 403, headers: { 'retry-after': '3600' } });
      return newJob().step({ mode: 'claim', key });
    },
  },
};

it('has a row for every outcome', () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(ENDINGS).sort());
});

it.each(Object.entries(rows))('%s', async (outcome, { claimed, exit, act, skip }) => {
  const step = await act(`row/${outcome}`);
  server.clearFaults();
  expect(step.outputs).toMatchObject({ outcome, claimed, owned: claimed });
  expect(step.outputs['message']).not.toBe('');
  expect(step.code).toBe(exit);
  expect(step.errors).toHaveLength(exit === 0 ? 0 : 1);
  expect(step.warnings).toEqual([]);
  expect(JSON.parse(step.outputs['result'] ?? '')).toMatchObject({ outcome, owned: claimed === 'true' });
  if (exit !== 0) expect(step.errors[0]).toBe(`::error::${step.outputs['message']}`);
  if (outcome === 'rate-limited') expect(step.outputs['retry-after']).toBe('3600');
  if (!skip) return;
  const skipped = await skip(`row/${outcome}`);
  expect(skipped).toMatchObject({ code: 0, errors: [], outputs: { outcome, claimed: '', owned: '' } });
  expect(skipped.notices).toHaveLength(1);
});
