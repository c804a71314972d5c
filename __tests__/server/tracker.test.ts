import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git, said } from './client.js';
import { type GitHubServer, startServer } from './server.js';

const FORBIDDEN = '403 Resource not accessible by integration';

let server: GitHubServer;
let client: Client;

beforeEach(async () => {
  server = await startServer({
    tokens: {
      full: {
        login: 'claim-bot',
        permissions: { contents: 'write', issues: 'read', pull_requests: 'read', actions: 'write' },
      },
      fork: { login: 'github-actions[bot]', permissions: { contents: 'read' }, readsUser: false },
    },
  });
  client = new Client(server, 'full');
});
afterEach(() => server.close());

describe('tokens', () => {
  it('must be known', async () => {
    expect(said(await new Client(server, 'other').ask('GET', ''))).toBe('401 Bad credentials');
    const naked = await fetch(`${server.url}/user`);
    expect(naked.status).toBe(401);
    const old = await client.ask('GET', '//user', undefined, { authorization: 'token full' });
    expect(old.body).toMatchObject({ login: 'claim-bot', type: 'User' });
  });

  it('do what they may, and are told what they lack before their request is looked at', async () => {
    const fork = new Client(server, 'fork');
    const needs = async (method: string, path: string) => {
      const heard = await fork.ask(method, path, method === 'POST' ? {} : undefined);
      return `${said(heard)} ${heard.headers.get('x-accepted-github-permissions')}`;
    };
    expect(await needs('POST', '/git/refs')).toBe(`${FORBIDDEN} contents=write`);
    expect(await needs('POST', '/git/commits')).toBe(`${FORBIDDEN} contents=write`);
    expect(await needs('DELETE', '/git/refs/heads/main')).toBe(`${FORBIDDEN} contents=write`);
    expect(await needs('GET', '/issues/1')).toBe(`${FORBIDDEN} issues=read`);
    expect(await needs('GET', '/pulls/1')).toBe(`${FORBIDDEN} pull_requests=read`);
    expect(await needs('POST', '/actions/runs/1/cancel')).toBe(`${FORBIDDEN} actions=write`);
    expect(said(await fork.ask('GET', '//user'))).toBe(FORBIDDEN);
    expect((await fork.ask('GET', '/git/matching-refs/claims/')).body).toEqual([]);
    expect((await fork.ask('GET', '')).body).toMatchObject({
      default_branch: 'main',
      permissions: { push: false },
    });
    expect([...(await server.refs()).keys()]).toEqual(['refs/heads/main']);
    expect(server.cancelled).toEqual([]);
  });

  it('are not kept', async () => {
    await client.ask('GET', '//user', undefined, { 'x-test': 'kept' });
    expect(server.requests).toMatchObject([
      { path: '/user', login: 'claim-bot', headers: { 'x-test': 'kept' } },
    ]);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('items', () => {
  it('are issues, or pull requests that are issues too', async () => {
    const head = git(server, 'rev-parse', 'main');
    server.addIssue({ number: 1, title: 'A bug' });
    server.addIssue({ number: 2, state: 'closed', pull: { head, merged: true } });
    const issue = await client.ask('GET', '/issues/1');
    expect(issue.body).toMatchObject({ number: 1, title: 'A bug', state: 'open', labels: [], assignees: [] });
    expect(issue.body).not.toHaveProperty('pull_request');
    expect((await client.ask('GET', '/issues/2')).body).toHaveProperty('pull_request.merged_at');
    const pull = await client.ask('GET', '/pulls/2');
    expect(pull.body).toMatchObject({ state: 'closed', merged: true, head: { sha: head, ref: 'topic-2' } });
    expect(pull.body.html_url).toMatch(/\/octo\/demo\/pull\/2$/);
    expect(pull.body.base).toMatchObject({ ref: 'main', sha: head });
    expect(said(await client.ask('GET', '/pulls/1'))).toBe('404 Not Found');
  });

  it('say so where they are gone', async () => {
    server.addIssue({ number: 3, deleted: true });
    server.addIssue({ number: 4, movedTo: { repository: 'octo/other', number: 9 } });
    expect(said(await client.ask('GET', '/issues/3'))).toBe('410 This issue was deleted');
    const moved = await client.ask('GET', '/issues/4');
    expect(moved.status).toBe(301);
    expect(moved.headers.get('location')).toBe(`${server.url}/repos/octo/other/issues/9`);
    for (const path of ['/issues/5', '/issues/x', '/nothing', '//repos/octo/other']) {
      expect(said(await client.ask('GET', path))).toBe('404 Not Found');
    }
  });

  it('remembers which runs were to stop', async () => {
    expect((await client.ask('POST', '/actions/runs/77/cancel')).status).toBe(202);
    expect(server.cancelled).toEqual([77]);
  });
});

describe('answers', () => {
  it("carry the host's clock and the token's limit", async () => {
    server.clock.advance(-3_600_000);
    const [one, two] = [await client.ask('GET', ''), await client.ask('GET', '')];
    const date = Date.parse(one.headers.get('date') ?? '');
    expect(Math.abs(date - server.clock.now())).toBeLessThan(10_000);
    const left = [one, two].map(({ headers }) => headers.get('x-ratelimit-remaining'));
    expect(left).toEqual(['4999', '4998']);
    expect(Number(one.headers.get('x-ratelimit-reset')) * 1_000).toBeGreaterThan(date);
  });

  it('are empty and free where nothing has changed', async () => {
    const first = await client.ask('GET', '/git/matching-refs/claims/');
    const known = { 'if-none-match': first.headers.get('etag') ?? '' };
    const again = await client.ask('GET', '/git/matching-refs/claims/', undefined, known);
    expect(again).toMatchObject({ status: 304, body: undefined });
    expect(again.headers.get('x-ratelimit-used')).toBe(first.headers.get('x-ratelimit-used'));
    expect(again.headers.get('date')).not.toBeNull();
    await client.createRef('refs/claims/a/00000001', await client.commit('entry'));
    expect((await client.ask('GET', '/git/matching-refs/claims/', undefined, known)).body).toHaveLength(1);
  });

  it('refuse what is no JSON', async () => {
    const headers = { authorization: 'token full' };
    const heard = await fetch(`${server.url}/repos/octo/demo/git/refs`, {
      method: 'POST',
      body: '{',
      headers,
    });
    expect(heard.status).toBe(400);
  });
});
