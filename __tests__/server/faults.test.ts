import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git, said } from './client.js';
import { type GitHubServer, startServer } from './server.js';

const REF = 'refs/claims/item-1/00000001';
const REFS = { method: 'POST', path: /\/git\/refs$/ };

let server: GitHubServer;
let client: Client;
let sha: string;

beforeEach(async () => {
  server = await startServer();
  client = new Client(server);
  sha = await client.commit('entry');
});
afterEach(() => server.close());

const exists = async () => (await server.refs('refs/claims/')).has(REF);

describe('a lost answer', () => {
  it('leaves what was done', async () => {
    server.inject({ ...REFS, kind: 'drop-after' });
    await expect(client.createRef(REF, sha)).rejects.toThrow();
    expect(git(server, 'rev-parse', REF)).toBe(sha);
    expect(server.requests.at(-1)).toMatchObject({ path: '/repos/octo/demo/git/refs', status: 0 });
    expect(said(await client.createRef(REF, sha))).toBe('422 Reference already exists');
  });

  it('is not a lost request', async () => {
    server.inject({ ...REFS, kind: 'drop-before' });
    await expect(client.createRef(REF, sha)).rejects.toThrow();
    expect(await exists()).toBe(false);
    expect(said(await client.createRef(REF, sha))).toBe('201');
  });
});

describe('an answer that lies', () => {
  it('comes with nothing done', async () => {
    const headers = { 'retry-after': '7' };
    server.inject({ ...REFS, kind: 'status', status: 403, message: 'secondary rate limit', headers });
    const heard = await client.createRef(REF, sha);
    expect(said(heard)).toBe('403 secondary rate limit');
    expect(heard.headers.get('retry-after')).toBe('7');
    expect(await exists()).toBe(false);
  });

  it('comes after it was done', async () => {
    server.inject({ ...REFS, kind: 'status-after' });
    expect(said(await client.createRef(REF, sha))).toBe('502 Bad Gateway');
    expect(await exists()).toBe(true);
  });
});

describe('which requests', () => {
  it('lets the first ones pass, strikes as often as told, and leaves the others alone', async () => {
    const fault = server.inject({
      method: 'GET',
      path: /matching-refs\/claims/g,
      kind: 'status',
      skip: 1,
      times: 2,
    });
    const statuses: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      expect((await client.ask('GET', '/git/matching-refs/heads')).status).toBe(200);
      statuses.push((await client.ask('GET', '/git/matching-refs/claims%2F')).status);
    }
    expect(statuses).toEqual([200, 502, 502, 200, 200]);
    expect(fault.strikes).toBe(2);
  });

  it('strikes for ever, until it is cleared', async () => {
    server.inject({ kind: 'status', status: 503, times: Number.POSITIVE_INFINITY });
    const heard = [await client.ask('GET', ''), await client.ask('GET', '//user')];
    expect(heard.map(({ status }) => status)).toEqual([503, 503]);
    server.clearFaults();
    expect((await client.ask('GET', '')).status).toBe(200);
  });

  it('gives each strike to one fault only', async () => {
    for (const status of [500, 503]) server.inject({ kind: 'status', status });
    const heard = [await client.ask('GET', ''), await client.ask('GET', ''), await client.ask('GET', '')];
    expect(heard.map(({ status }) => status)).toEqual([500, 503, 200]);
  });
});

describe('a moment that a test is told of', () => {
  it('comes before the effect, with the request', async () => {
    const other = await client.commit('somebody else');
    const hook = () => {
      server.clock.advance(3_600_000);
      git(server, 'update-ref', REF, other);
    };
    const fault = server.inject({ ...REFS, kind: 'delay', hook });
    const heard = await client.createRef(REF, sha);
    expect(said(heard)).toBe('422 Reference already exists');
    expect(Date.parse(heard.headers.get('date') ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
    expect(git(server, 'rev-parse', REF)).toBe(other);
    expect((await fault.struck).body).toEqual({ ref: REF, sha });
  });

  it('is an error of the server where the test throws', async () => {
    server.inject({
      kind: 'delay',
      hook: () => {
        throw new Error('the test is wrong');
      },
    });
    const heard = await client.ask('GET', '');
    expect(said(heard)).toMatch(/^500 .*the test is wrong/);
    expect(server.requests.at(-1)?.error).toMatch(/the test is wrong/);
  });
});

describe('a held request', () => {
  it('is carried out when it is released, and others pass it', async () => {
    const fault = server.inject({ ...REFS, kind: 'hold' });
    const held = client.createRef(REF, sha);
    await fault.struck;
    const other = await client.commit('faster');
    expect(said(await client.createRef(REF, other))).toBe('201');
    fault.release();
    expect(said(await held)).toBe('422 Reference already exists');
    expect(git(server, 'rev-parse', REF)).toBe(other);
  });

  it('is carried out although its client is gone', async () => {
    const fault = server.inject({ ...REFS, kind: 'hold' });
    const gone = new AbortController();
    const body = JSON.stringify({ ref: REF, sha });
    const headers = { authorization: 'token test-token' };
    const held = fetch(`${server.url}/repos/octo/demo/git/refs`, {
      ...REFS,
      body,
      headers,
      signal: gone.signal,
    });
    const record = await fault.struck;
    gone.abort();
    await expect(held).rejects.toThrow();
    fault.release();
    while (record.endedAt === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(git(server, 'rev-parse', REF)).toBe(sha);
  });

  it('is dropped where the test says so, and where the server is closed', async () => {
    const fault = server.inject({ ...REFS, kind: 'hold' });
    const held = client.createRef(REF, sha);
    await fault.struck;
    fault.release(false);
    await expect(held).rejects.toThrow();
    expect(await exists()).toBe(false);
    const never = () => new Promise<void>(() => {});
    const forgotten = [server.inject({ kind: 'hold' }), server.inject({ kind: 'delay', hook: never })];
    const lost = expect(Promise.all(forgotten.map(() => client.ask('GET', '')))).rejects.toThrow();
    await Promise.all(forgotten.map(({ struck }) => struck));
    await server.close();
    await lost;
  });
});

describe('a slow network', () => {
  it('delays every request, and none for another', async () => {
    server.delay = 100;
    const started = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => client.ask('GET', '')));
    const took = performance.now() - started;
    expect(took).toBeGreaterThan(95);
    expect(took).toBeLessThan(1_500);
    for (const { startedAt, endedAt } of server.requests.slice(1))
      expect(endedAt - startedAt).toBeGreaterThan(95);
  });
});
