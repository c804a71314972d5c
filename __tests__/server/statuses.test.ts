import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git, said } from './client.js';
import { type GitHubServer, startServer } from './server.js';

let server: GitHubServer;
let client: Client;
let sha: string;

beforeEach(async () => {
  server = await startServer();
  client = new Client(server);
  sha = git(server, 'rev-parse', 'main');
});
afterEach(() => server.close());

const post = (target: string, fields: object) => client.ask('POST', `/statuses/${target}`, fields);

describe('a commit status', () => {
  it('is the newest of its context', async () => {
    const target_url = `${server.url}/octo/demo/actions/runs/870`;
    await post(sha, { state: 'pending', context: 'review/a', description: 'claimed', target_url });
    await post(sha, { state: 'success', context: 'review/b' });
    await post(sha, { state: 'success', context: 'review/a' });
    const { body } = await client.ask('GET', `/commits/${sha}/status`);
    expect(body).toMatchObject({ state: 'success', total_count: 2, sha });
    expect(body.statuses).toMatchObject([
      { state: 'success', context: 'review/a', description: null },
      { state: 'success', context: 'review/b' },
    ]);
    const all = (await client.ask('GET', '/commits/main/statuses')).body;
    expect(all).toMatchObject([
      { context: 'review/a', state: 'success', creator: { login: 'claim-bot' } },
      { context: 'review/b' },
      { context: 'review/a', state: 'pending', description: 'claimed', target_url },
    ]);
    expect(server.statuses(sha)).toMatchObject([{ state: 'success' }, {}, { targetUrl: target_url }]);
  });

  it('makes a commit as good as the worst of them', async () => {
    const state = async () => (await client.ask('GET', `/commits/${sha}/status`)).body.state;
    expect(await state()).toBe('pending');
    await post(sha, { state: 'success' });
    expect(await state()).toBe('success');
    await post(sha, { state: 'pending', context: 'b' });
    expect(await state()).toBe('pending');
    await post(sha, { state: 'error', context: 'c' });
    expect(await state()).toBe('failure');
  });

  it('is of a commit that there is, or of the head of a pull request', async () => {
    const head = '7'.repeat(40);
    expect(said(await post(head, { state: 'success' }))).toBe(`422 No commit found for SHA: ${head}`);
    expect(said(await client.ask('GET', `/commits/${head}/status`))).toBe('404 Not Found');
    server.addIssue({ number: 2, pull: { head } });
    expect((await post(head, { state: 'success' })).status).toBe(201);
    expect((await client.ask('GET', `/commits/${head}/status`)).body.state).toBe('success');
  });

  it('is refused where a field is wrong', async () => {
    for (const wrong of [{}, { state: 'done' }, { state: 'success', description: 'x'.repeat(141) }]) {
      expect(said(await post(sha, wrong))).toBe('422 Validation Failed');
    }
    expect(server.statuses(sha)).toEqual([]);
  });
});
