import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git, said } from './client.js';
import { type GitHubServer, startServer } from './server.js';

const MINUTE = 60_000;
const [FIRST, SECOND] = ['refs/claims/item-1/00000001', 'refs/claims/item-1/00000002'] as const;

let server: GitHubServer;
let client: Client;
let sha: string;

beforeEach(async () => {
  server = await startServer();
  client = new Client(server);
  sha = await client.commit('entry');
});
afterEach(() => server.close());

const listed = async (prefix = 'claims/') => {
  const { body } = await client.ask('GET', `/git/matching-refs/${prefix}`);
  return body.map(({ ref, object }: { ref: string; object: { sha: string } }) => `${ref} ${object.sha}`);
};

describe('a list that lags', () => {
  it('shows what was some time ago; creates know better', async () => {
    await client.createRef(FIRST, sha);
    server.lag.listing = MINUTE;
    expect(await listed()).toEqual([]);
    expect(said(await client.createRef(FIRST, sha))).toBe('422 Reference already exists');
    server.clock.advance(MINUTE);
    await client.createRef(SECOND, sha);
    expect(await listed()).toEqual([`${FIRST} ${sha}`]);
    server.clock.advance(MINUTE + 1);
    expect(await listed()).toEqual([`${FIRST} ${sha}`, `${SECOND} ${sha}`]);
    server.lag.listing = 2 * MINUTE;
    expect(await listed()).toEqual([`${FIRST} ${sha}`]);
  });

  it('shows what was when it was frozen, until it is released', async () => {
    const other = await client.commit('other');
    await client.createRef(FIRST, sha);
    await client.createRef('refs/claims/moved', sha);
    const release = server.lag.freeze();
    await client.createRef(SECOND, sha);
    await client.ask('DELETE', '/git/refs/claims/item-1/00000001');
    await client.ask('PATCH', '/git/refs/claims/moved', { sha: other });
    await client.ask('PATCH', '/git/refs/claims/moved', { sha });
    await client.ask('PATCH', '/git/refs/claims/moved', { sha: other });
    expect(await listed()).toEqual([`${FIRST} ${sha}`, `refs/claims/moved ${sha}`]);
    expect(await listed('claims/item-1/')).toEqual([`${FIRST} ${sha}`]);
    expect(await listed('heads/')).toHaveLength(1);
    expect((await client.ask('GET', '/git/ref/claims/item-1/00000002')).status).toBe(200);
    release();
    expect(await listed()).toEqual([`${SECOND} ${sha}`, `refs/claims/moved ${other}`]);
    expect([...(await server.refs('refs/claims/')).keys()]).toEqual([SECOND, 'refs/claims/moved']);
  });

  it('has the same entity tag as long as it shows the same', async () => {
    const release = server.lag.freeze();
    const { headers } = await client.ask('GET', '/git/matching-refs/claims/');
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    await client.createRef(FIRST, sha);
    const ask = () => client.ask('GET', '/git/matching-refs/claims/', undefined, known);
    expect((await ask()).status).toBe(304);
    release();
    expect((await ask()).body).toHaveLength(1);
  });

  it('never shows what was refused', async () => {
    await client.createRef(FIRST, sha);
    const release = server.lag.freeze();
    const losers = await Promise.all([1, 2, 3].map(() => client.createRef(FIRST, sha)));
    expect(losers.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect(await listed()).toEqual([`${FIRST} ${sha}`]);
    release();
    expect(await listed()).toEqual([`${FIRST} ${sha}`]);
  });
});

describe('a commit that lags', () => {
  it('is not found until some time after it was made, though a ref may point to it', async () => {
    server.lag.commits = MINUTE;
    expect((await client.createRef(FIRST, sha)).status).toBe(201);
    expect(said(await client.ask('GET', `/git/commits/${sha}`))).toBe('404 Not Found');
    expect(said(await client.ask('GET', `/commits/${sha}`))).toBe(`422 No commit found for SHA: ${sha}`);
    const main = git(server, 'rev-parse', 'main');
    expect((await client.ask('GET', `/git/commits/${main}`)).status).toBe(200);
    server.clock.advance(MINUTE + 1);
    expect((await client.ask('GET', `/git/commits/${sha}`)).status).toBe(200);
  });
});
