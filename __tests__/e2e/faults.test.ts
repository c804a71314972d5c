import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type GitHubServer, startServer } from '../server/server.js';
import { Job } from './runner.js';

/** The committed bundle when the network or the host fails at the worst moment. */

let server: GitHubServer;
beforeEach(async () => {
  server = await startServer();
  server.addIssue({ number: 7 });
});
afterEach(() => server.close());

const CREATE = { method: 'POST', path: /\/git\/refs$/ };
const MINT = { method: 'POST', path: /\/git\/commits$/ };
const sequences = async () =>
  [...(await server.refs('refs/claims/item-7/')).keys()].map((ref) => Number(ref.slice(-8)));
const created = () =>
  server.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/git/refs'));

// Fault 3: a lost answer, or a wrong one.
describe('one bad answer to the creation', () => {
  it.each([
    ['the connection breaks before it is heard', { kind: 'drop-before' }],
    ['it acts and the connection breaks', { kind: 'drop-after' }],
    ['a 502 that did nothing', { kind: 'status', status: 502 }],
    ['a 502 although it acted', { kind: 'status-after', status: 502 }],
    ['a 500 although it acted', { kind: 'status-after', status: 500 }],
    ['a 422 of another kind', { kind: 'status', status: 422, message: 'Reference update failed' }],
    [
      'a 403 of a secondary limit',
      {
        kind: 'status',
        status: 403,
        message: 'You have exceeded a secondary rate limit',
        headers: { 'retry-after': '1' },
      },
    ],
    ['a 429', { kind: 'status', status: 429, message: 'Too many requests', headers: { 'retry-after': '1' } }],
  ] as const)('%s: the claim is made once, known, and given back', async (_, fault) => {
    server.inject({ ...CREATE, ...fault });
    const job = new Job(server);
    expect(await job.step({ mode: 'claim', item: '7' })).toMatchObject({
      code: 0,
      outputs: { outcome: 'claimed', claimed: 'true' },
    });
    expect(await sequences()).toEqual([1]);
    const bodies = created().map(({ body }) => body);
    expect(bodies.length).toBeGreaterThan(1);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(await job.step({ mode: 'verify' })).toMatchObject({ code: 0 });
    await job.post();
    expect(await sequences()).toEqual([1, 2]);
  });
});

it('a passing 5xx on anything but creations is retried', async () => {
  for (const path of [/matching-refs/, /\/issues\/7$/])
    server.inject({ method: 'GET', path, kind: 'status', status: 503 });
  server.inject({ ...MINT, kind: 'drop-after' });
  expect(await new Job(server).step({ mode: 'claim', item: '7' })).toMatchObject({
    code: 0,
    outputs: { requests: '7' },
  });
  expect(await sequences()).toEqual([1]);
});

it('verify without an answer is unknown, and red', async () => {
  const job = new Job(server);
  await job.step({ mode: 'claim', item: '7' });
  server.inject({ path: /matching-refs/, kind: 'status', status: 502, times: Number.POSITIVE_INFINITY });
  const step = await job.step({ mode: 'verify' });
  expect(step).toMatchObject({ code: 1, outputs: { outcome: 'unknown', reason: 'unavailable', owned: '' } });
  expect(step.errors).toEqual([
    expect.stringMatching(
      /^::error::claim unknown: item-7: unavailable: listing refs\/claims\/item-7\/\* failed \(HTTP 502.*run again later$/,
    ),
  ]);
});

// Fault 11: an answer that says nothing is never success.
it.each([
  ['a listing that is no list', /matching-refs/],
  ['a commit that is none', /\/git\/commits$/],
])('%s is an error', async (_, path) => {
  server.inject({ path, kind: 'status', status: 200, message: 'hello' });
  const step = await new Job(server).step({ mode: 'claim', key: 'deploy/prod' });
  expect(step).toMatchObject({ code: 1, outputs: { outcome: 'unavailable', claimed: '' } });
  expect(step.errors).toHaveLength(1);
  expect(await server.refs('refs/claims/')).toEqual(new Map());
});

it('a 201 that names no ref is not believed, but asked again', async () => {
  server.inject({ ...CREATE, kind: 'status', status: 201, message: 'Created' });
  expect(await new Job(server).step({ mode: 'claim', item: '7' })).toMatchObject({
    code: 0,
    outputs: { outcome: 'claimed' },
  });
  expect(created()).toHaveLength(2);
  expect(await sequences()).toEqual([1]);
});

// Fault 4: a process that dies before it knows what it did.
describe.each([
  ['before its creation is heard', 'drop-before'],
  ['after its creation acted', 'drop-after'],
] as const)('a claim step killed %s', (_, kind) => {
  it('leaves enough for post to find and free its claim', async () => {
    const job = new Job(server);
    let step: ReturnType<Job['start']> | undefined;
    server.inject({ ...CREATE, kind, hook: () => step?.kill('SIGKILL') });
    step = job.start({ mode: 'claim', item: '7' });
    expect((await step.done).signal).toBe('SIGKILL');
    job.status = 'cancelled';
    expect(await job.post()).toMatchObject([{ code: 0, warnings: [] }]);
    expect(await sequences()).toEqual([1, 2]);
    expect(await new Job(server, { run: 2 }).step({ mode: 'claim', item: '7' })).toMatchObject({
      outputs: { generation: '2' },
    });
  });
});

it('a host that refuses the empty tree gets the tree of the default branch', async () => {
  const strict = await startServer({ refuseEmptyTree: true });
  strict.addIssue({ number: 7 });
  const job = new Job(strict);
  expect(await job.step({ mode: 'claim', item: '7' })).toMatchObject({ code: 0, outputs: { requests: '6' } });
  expect(await job.post()).toMatchObject([{ code: 0, warnings: [] }]);
  await strict.close();
});

it('an empty repository is named as what it is', async () => {
  const empty = await startServer({ emptyRepository: true });
  const step = await new Job(empty).step({ mode: 'claim', key: 'deploy/prod' });
  expect(step).toMatchObject({ code: 2, outputs: { outcome: 'invalid-input' } });
  expect(step.errors).toEqual([expect.stringContaining('the repository is empty')]);
  await empty.close();
});

it('an entry that cannot be read stops the run and stays', async () => {
  const job = new Job(server);
  await job.step({ mode: 'claim', item: '7' });
  const [, sha] = [...(await server.refs('refs/heads/'))][0] ?? [];
  await fetch(`${server.url}/repos/${server.repository}/git/refs`, {
    method: 'POST',
    headers: { authorization: 'token test-token' },
    body: JSON.stringify({ ref: 'refs/claims/item-7/00000002', sha }),
  });
  for (const mode of ['verify', 'heartbeat', 'release', 'claim']) {
    const step = await job.step({ mode, ...(mode === 'claim' && { item: '7' }) });
    expect(step).toMatchObject({ code: 1, outputs: { outcome: 'unreadable-entry' } });
    expect(step.errors).toEqual([
      expect.stringMatching(
        /^::error::unreadable-entry: refs\/claims\/item-7\/00000002 can't be used: it is no entry of a claim/,
      ),
    ]);
  }
  expect(await sequences()).toEqual([1, 2]);
});

it('a host that accepts and never answers is given up on', async () => {
  server.inject({ method: 'POST', path: /\/git\/refs$/, kind: 'hold' });
  const job = new Job(server);
  const step = await job.step({ mode: 'claim', item: '7' });
  // Ten seconds without an answer are none; the same creation is sent again.
  expect(step).toMatchObject({ code: 0, outputs: { outcome: 'claimed' } });
  expect(created().map(({ status }) => status)).toEqual([0, 201]);
  server.clearFaults();
  expect(await job.step({ mode: 'verify' })).toMatchObject({ code: 0 });
});

it.each([
  ['an event that is no JSON', { GITHUB_EVENT_PATH: '/dev/null' }, 1],
  ['an API that is no URL', { GITHUB_API_URL: 'nowhere' }, 1],
  ['a summary that cannot be written', { GITHUB_STEP_SUMMARY: '/nowhere/summary' }, 0],
])('%s ends in one line and no stack', async (_, env, code) => {
  const step = await new Job(server).step({ mode: 'claim', item: '7' }, env);
  expect(step.code).toBe(code);
  expect(step.errors).toHaveLength(code);
  expect(step.log).not.toMatch(/^\s+at /m);
});

it('a server with an unusual name can be read back by everybody', async () => {
  const env = { GITHUB_SERVER_URL: 'http://my_host:3000' };
  expect(await new Job(server, { run: 1, env }).step({ mode: 'claim', item: '7' })).toMatchObject({
    code: 0,
  });
  expect(await new Job(server, { run: 2 }).step({ mode: 'claim', item: '7' })).toMatchObject({
    code: 4,
    outputs: { outcome: 'held' },
  });
});

it('what could not be read back is never written', async () => {
  const env = { GITHUB_SERVER_URL: 'ftp://host' };
  const step = await new Job(server, { env }).step({ mode: 'claim', item: '7' });
  expect(step).toMatchObject({ code: 2, outputs: { outcome: 'invalid-input' } });
  expect(await sequences()).toEqual([]);
});
