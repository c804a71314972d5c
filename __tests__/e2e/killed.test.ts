import { afterAll, describe, expect, it } from '@jest/globals';
import { type GitHubServer, startServer } from '../server/server.js';
import { Job } from './runner.js';

/**
 * Killed everywhere: every mode of the committed bundle, killed at each of its requests, before the
 * host hears it and after the host has acted on it; then post, or none as when the runner dies; then
 * the next run. Never two owners, never stuck past the ttl, never a state that stops everybody.
 */

const TTL = 10 * 60_000;
const HEAD = 'a'.repeat(40);
const MOMENTS = ['drop-before', 'drop-after'] as const;
const ENDS = ['post', 'no post'] as const;
/** So many cells at once. */
const AT_ONCE = 4;

interface Scenario {
  /** The key that all is about. */
  key: string;
  /** What a claim of it says. */
  claim: Record<string, string>;
  /** Brings the log into the state that the step is to find. */
  before?(server: GitHubServer, job: Job): Promise<void>;
  /** The step that is killed; its post step where there is none. */
  step?: Record<string, string>;
  /** How many requests the step makes when nobody kills it. */
  requests: number;
  /** What the next run may also be told, for good. */
  final?: string;
}

const ITEM = { mode: 'claim', item: '7' };
const PULL = { mode: 'claim', item: 'pr-31', per: 'head' };

async function claimedBefore(_server: GitHubServer, job: Job): Promise<void> {
  expect((await job.step(ITEM)).code).toBe(0);
}

async function usedBefore(server: GitHubServer): Promise<void> {
  const other = new Job(server, { run: 1 });
  await other.step(ITEM);
  await other.post();
  other.close();
}

async function heldBefore(server: GitHubServer): Promise<void> {
  const other = new Job(server, { run: 1 });
  await other.step(ITEM);
  other.close();
}

const SCENARIOS: Record<string, Scenario> = {
  'a claim of a fresh key': { key: 'item-7', claim: ITEM, step: ITEM, requests: 4 },
  'a claim of a used key': { key: 'item-7', claim: ITEM, before: usedBefore, step: ITEM, requests: 6 },
  'a takeover': {
    key: 'item-7',
    claim: ITEM,
    before: async (server) => {
      await heldBefore(server);
      server.clock.advance(TTL + 1_000);
    },
    step: ITEM,
    requests: 6,
  },
  'a claim by force': {
    key: 'item-7',
    claim: ITEM,
    before: heldBefore,
    step: { ...ITEM, force: 'true', reason: 'hotfix' },
    requests: 6,
  },
  'a claim of a head': { key: `item-31/${HEAD}`, claim: PULL, step: PULL, requests: 4 },
  'a re-entry': { key: 'item-7', claim: ITEM, before: claimedBefore, step: ITEM, requests: 4 },
  'a verify': { key: 'item-7', claim: ITEM, before: claimedBefore, step: { mode: 'verify' }, requests: 1 },
  'a verify that renews': {
    key: 'item-7',
    claim: ITEM,
    before: async (server, job) => {
      await claimedBefore(server, job);
      server.clock.advance(TTL / 2 + 1_000);
    },
    step: { mode: 'verify' },
    requests: 3,
  },
  'a heartbeat': {
    key: 'item-7',
    claim: ITEM,
    before: claimedBefore,
    step: { mode: 'heartbeat' },
    requests: 2,
  },
  'a release': { key: 'item-7', claim: ITEM, before: claimedBefore, step: { mode: 'release' }, requests: 3 },
  'a head that is done': {
    key: `item-31/${HEAD}`,
    claim: PULL,
    before: async (_server, job) => {
      expect((await job.step(PULL)).code).toBe(0);
    },
    step: { mode: 'release', 'release-as': 'done' },
    requests: 3,
    final: 'done',
  },
  'a post step': { key: 'item-7', claim: ITEM, before: claimedBefore, requests: 3 },
};

async function stage(scenario: Scenario): Promise<{ server: GitHubServer; job: Job }> {
  const server = await startServer();
  server.addIssue({ number: 7 });
  server.addIssue({ number: 31, pull: { head: HEAD } });
  const job = new Job(server, { run: 2 });
  await scenario.before?.(server, job);
  return { server, job };
}

/** Runs the step, killed at its n-th request; not at all where n is beyond its last. */
async function run(
  { step }: Scenario,
  server: GitHubServer,
  job: Job,
  at: number,
  moment: (typeof MOMENTS)[number],
) {
  let kill = () => {};
  server.inject({ skip: at, kind: moment, hook: () => kill() });
  const running = step ? job.start(step) : job.startPost();
  if (!running) throw new Error('there is no step to kill');
  kill = () => running.kill('SIGKILL');
  const result = await running.done;
  server.clearFaults();
  return result;
}

/** What went wrong in one cell; nothing if all is as it should be. */
async function cell(
  scenario: Scenario,
  at: number,
  moment: (typeof MOMENTS)[number],
  end: (typeof ENDS)[number],
) {
  const { server, job } = await stage(scenario);
  const problems: string[] = [];
  const killed = await run(scenario, server, job, at, moment);
  if (at < scenario.requests && killed.signal !== 'SIGKILL') problems.push(`not killed, but ${killed.log}`);
  if (end === 'post') {
    job.status = 'cancelled';
    for (const post of await job.post())
      if (post.code !== 0) problems.push(`post ended ${post.code}: ${post.log}`);
  }
  const next = new Job(server, { run: 3 });
  const claim = { ...scenario.claim, 'on-conflict': 'skip' };
  let got = await next.step(claim);
  if (got.outputs['outcome'] === 'held') {
    server.clock.advance(TTL + 1_000);
    got = await next.step(claim);
  }
  const owns = got.outputs['claimed'] === 'true';
  if (!owns && got.outputs['outcome'] !== scenario.final) problems.push(`the next run is stuck: ${got.log}`);
  const zombie = await job.step({ mode: 'verify' });
  if (owns && zombie.outputs['owned'] === 'true') problems.push('two owners');
  if (owns && (await next.step({ mode: 'verify' })).code !== 0)
    problems.push('the next run lost its claim to a zombie');
  const generations = await generationsOf(server, scenario.key);
  if (generations.some((generation, index) => generation < (generations[index - 1] ?? 0))) {
    problems.push(`generations went back: ${generations}`);
  }
  job.close();
  next.close();
  await server.close();
  return problems.map((problem) => `request ${at + 1}, ${moment}, ${end}: ${problem}`);
}

async function generationsOf(server: GitHubServer, key: string): Promise<number[]> {
  const newest = [...(await server.refs(`refs/claims/${key}/`)).keys()].at(-1);
  const story = newest ? await server.log(newest) : '';
  return [...story.matchAll(/^Claim-Generation: (\d+)$/gm)]
    .map(([, generation]) => Number(generation))
    .reverse();
}

/** Does all, a few at a time. */
async function few<T>(tasks: (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let task = tasks.shift(); task; task = tasks.shift()) results.push(await task());
  });
  await Promise.all(lanes);
  return results;
}

let cells = 0;
afterAll(() => console.log(`killed everywhere: ${cells} cells`));

describe('killed at every request', () => {
  it.each(Object.entries(SCENARIOS))(
    '%s',
    async (_, scenario) => {
      const { server, job } = await stage(scenario);
      const from = server.requests.length;
      await run(scenario, server, job, 1_000, 'drop-before');
      // A new request is a new row of this table.
      expect(server.requests.length - from).toBe(scenario.requests);
      job.close();
      await server.close();

      const requests = Array.from({ length: scenario.requests }, (_, at) => at);
      const killed = requests.flatMap((at) =>
        MOMENTS.flatMap((moment) => ENDS.map((end) => () => cell(scenario, at, moment, end))),
      );
      // And once after its last answer.
      const tasks = [...killed, () => cell(scenario, scenario.requests, 'drop-before', 'no post')];
      cells += tasks.length;
      expect((await few(tasks)).flat()).toEqual([]);
    },
    300_000,
  );
});

describe('a cleanup killed at every request', () => {
  const claimOther = { ...ITEM, per: 'agent', agent: 'reviewer-b' };

  /** A closed item with a key that is held and one whose old entries may go. */
  async function prepared(): Promise<GitHubServer> {
    const server = await startServer();
    server.addIssue({ number: 7 });
    const [old, held] = [new Job(server, { run: 1 }), new Job(server, { run: 2 })];
    await old.step(ITEM);
    await old.step({ mode: 'heartbeat' });
    await old.post();
    server.clock.advance(2 * 60 * 60_000);
    await held.step(claimOther);
    server.addIssue({ number: 7, state: 'closed' });
    old.close();
    held.close();
    return server;
  }

  async function cleanupKilled(at: number, moment: (typeof MOMENTS)[number]): Promise<string[]> {
    const server = await prepared();
    const problems: string[] = [];
    const job = new Job(server, { run: 3 });
    await run(
      { key: '', claim: {}, step: { mode: 'cleanup', item: '7' }, requests: 0 },
      server,
      job,
      at,
      moment,
    );
    for (const key of ['item-7', 'item-7/reviewer-b']) {
      const sequences = [...(await server.refs(`refs/claims/${key}/0`)).keys()].map((ref) =>
        Number(ref.slice(-8)),
      );
      const holes = sequences.filter(
        (sequence, index) => index > 0 && sequence !== (sequences[index - 1] ?? 0) + 1,
      );
      if (holes.length) problems.push(`${key} has a hole: ${sequences}`);
    }
    const again = await job.step({ mode: 'cleanup', item: '7' });
    if (again.code !== 0 || again.warnings.length) problems.push(`the next cleanup: ${again.log}`);
    server.addIssue({ number: 7 });
    server.clock.advance(TTL + 1_000);
    const next = new Job(server, { run: 4 });
    for (const claim of [ITEM, claimOther]) {
      const { outputs, log } = await next.step(claim);
      if (outputs['outcome'] !== 'claimed' || outputs['generation'] !== '2')
        problems.push(`after it: ${log}`);
    }
    job.close();
    next.close();
    await server.close();
    return problems.map((problem) => `request ${at + 1}, ${moment}: ${problem}`);
  }

  it('leaves no hole, and the next one finishes', async () => {
    const server = await prepared();
    const from = server.requests.length;
    const job = new Job(server, { run: 3 });
    expect((await job.step({ mode: 'cleanup', item: '7' })).code).toBe(0);
    const requests = server.requests.length - from;
    expect(requests).toBeGreaterThan(6);
    job.close();
    await server.close();
    const tasks = Array.from({ length: requests }, (_, at) => at).flatMap((at) =>
      MOMENTS.map((moment) => () => cleanupKilled(at, moment)),
    );
    cells += tasks.length;
    expect((await few(tasks)).flat()).toEqual([]);
  }, 300_000);
});
