import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, said } from './client.js';
import { primaryLimit, secondaryLimit } from './limits.js';
import { FULL_WRITE } from './permissions.js';
import { type GitHubServer, startServer } from './server.js';

let server: GitHubServer;
let one: Client;
let two: Client;

beforeEach(async () => {
  server = await startServer({
    tokens: {
      one: { login: 'one', permissions: FULL_WRITE },
      two: { login: 'two', permissions: FULL_WRITE },
    },
  });
  one = new Client(server, 'one');
  two = new Client(server, 'two');
});
afterEach(() => server.close());

const left = (headers: Headers) => headers.get('x-ratelimit-remaining');

describe('what is left of an hour', () => {
  it('is used up by requests, and is back when the hour has ended', async () => {
    server.limit({ left: 2, resetIn: 600, login: 'one' });
    const [first, second, third] = [
      await one.ask('GET', ''),
      await one.ask('GET', ''),
      await one.ask('GET', ''),
    ];
    expect([first, second, third].map(({ status }) => status)).toEqual([200, 200, 403]);
    expect([first, second, third].map(({ headers }) => left(headers))).toEqual(['1', '0', '0']);
    expect(said(third)).toMatch(/^403 API rate limit exceeded for user ID \d+\.$/);
    expect(third.headers.get('retry-after')).toBeNull();
    const wait = Number(third.headers.get('x-ratelimit-reset')) - server.clock.now() / 1_000;
    expect(Math.abs(wait - 600)).toBeLessThan(60);
    expect((await two.ask('GET', '')).status).toBe(200);
    server.clock.advance(600_000);
    expect((await one.ask('GET', '')).status).toBe(200);
  });

  it('is left by what is answered with 304, and kept by nobody who comes too late', async () => {
    const { headers } = await one.ask('GET', '/git/matching-refs/claims/');
    server.limit({ left: 1 });
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    for (let turn = 0; turn < 3; turn++) {
      const heard = await one.ask('GET', '/git/matching-refs/claims/', undefined, known);
      expect([heard.status, left(heard.headers)]).toEqual([304, '1']);
    }
    const heard = await Promise.all(Array.from({ length: 5 }, () => one.ask('GET', '')));
    expect(heard.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403]);
  });
});

describe('a limit as a fault', () => {
  it.each([
    [secondaryLimit(), 403, null],
    [secondaryLimit({ retryAfter: 7 }), 403, '7'],
    [secondaryLimit({ status: 429 }), 429, null],
    [secondaryLimit({ status: 429, retryAfter: 0 }), 429, '0'],
  ])('is secondary, with and without saying for how long: %j', async (fault, status, after) => {
    server.inject({ ...fault, method: 'POST', path: /\/git\/refs$/ });
    const sha = await one.commit('entry');
    const heard = await one.createRef('refs/claims/a', sha);
    expect(said(heard)).toMatch(new RegExp(`^${status} You have exceeded a secondary rate limit`));
    expect(heard.headers.get('retry-after')).toBe(after);
    expect(Number(left(heard.headers))).toBeGreaterThan(4_000);
    expect((await one.createRef('refs/claims/a', sha)).status).toBe(201);
  });

  it('is primary: nothing is left, until a moment', async () => {
    const reset = server.clock.seconds() + 60;
    server.inject({ ...primaryLimit(reset), times: 2 });
    for (const client of [one, two]) {
      const heard = await client.ask('GET', '');
      expect(said(heard)).toBe('403 API rate limit exceeded for installation.');
      expect([left(heard.headers), heard.headers.get('x-ratelimit-reset')]).toEqual(['0', String(reset)]);
    }
    expect((await one.ask('GET', '')).status).toBe(200);
  });
});
