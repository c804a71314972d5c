import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git, said } from './client.js';
import { type GitHubServer, startServer } from './server.js';

const MINUTE = 60_000;
const everything = { issues: 'write', pull_requests: 'write' } as const;

let server: GitHubServer;
let bot: Client;
let mona: Client;

beforeEach(async () => {
  server = await startServer({
    tokens: {
      bot: { login: 'claim-bot[bot]', permissions: { contents: 'write', ...everything } },
      mona: { login: 'mona', permissions: { contents: 'write', ...everything } },
    },
    assignable: ['mona', 'octo'],
  });
  bot = new Client(server, 'bot');
  mona = new Client(server, 'mona');
});
afterEach(() => server.close());

const numbers = async (query: string) => {
  const { body } = await bot.ask('GET', `/issues?${query}`);
  return body.map(({ number }: { number: number }) => number);
};

describe('a list of issues', () => {
  beforeEach(() => {
    const head = git(server, 'rev-parse', 'main');
    const minutes = (issue: Parameters<typeof server.addIssue>[0]) => {
      server.addIssue(issue);
      server.clock.advance(MINUTE);
    };
    minutes({ number: 3, labels: ['status/ready', 'Bug'], assignees: ['mona'] });
    minutes({ number: 1, labels: ['bug'], author: 'mona' });
    minutes({ number: 2, labels: ['status/ready'], pull: { head } });
    minutes({ number: 4, state: 'closed', labels: ['bug'] });
    minutes({ number: 5, deleted: true });
    minutes({ number: 6, movedTo: { number: 9 } });
  });

  it('has those that are asked for, pull requests too, the newest first', async () => {
    expect(await numbers('')).toEqual([2, 1, 3]);
    expect(await numbers('state=all')).toEqual([4, 2, 1, 3]);
    expect(await numbers('state=closed')).toEqual([4]);
    expect(await numbers('labels=BUG')).toEqual([1, 3]);
    expect(await numbers('labels=bug,status/ready')).toEqual([3]);
    expect(await numbers('labels=none-such')).toEqual([]);
    expect(await numbers('assignee=none')).toEqual([2, 1]);
    expect(await numbers('assignee=*')).toEqual([3]);
    expect(await numbers('assignee=mona&labels=status%2Fready')).toEqual([3]);
    expect(await numbers('creator=mona')).toEqual([1]);
    const { body } = await bot.ask('GET', '/issues');
    expect(body.map((item: object) => 'pull_request' in item)).toEqual([true, false, false]);
  });

  it('comes in the order that is asked for', async () => {
    await mona.ask('POST', '/issues/3/comments', { body: 'first' });
    expect(await numbers('sort=created&direction=asc')).toEqual([3, 1, 2]);
    expect(await numbers('sort=updated')).toEqual([3, 2, 1]);
    expect(await numbers('sort=comments&direction=desc')).toEqual([3, 2, 1]);
    const since = new Date(server.clock.now() - MINUTE).toISOString();
    expect(await numbers(`since=${since}`)).toEqual([3]);
  });

  it('comes in pages, each with the way to the others', async () => {
    const first = await bot.ask('GET', '/issues?per_page=2&state=open');
    expect(first.body).toHaveLength(2);
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    expect(first.headers.get('link')).toMatch(/rel="last"/);
    const second = await bot.ask('GET', `/${next.slice(server.url.length)}`);
    expect(second.body).toMatchObject([{ number: 3 }]);
    expect(second.headers.get('link')).toMatch(/page=1>; rel="first", .*rel="prev"$/);
    expect((await bot.ask('GET', '/issues')).headers.get('link')).toBeNull();
    expect(await numbers('page=9')).toEqual([]);
  });

  it('refuses what makes no sense', async () => {
    for (const query of ['state=new', 'sort=size', 'since=yesterday']) {
      expect(said(await bot.ask('GET', `/issues?${query}`))).toBe('422 Validation Failed');
    }
  });
});

describe('an issue', () => {
  it('is made with what the request says, and one number after the last', async () => {
    server.addIssue({ number: 7 });
    const fields = { title: 'Dashboard', body: 'All claims', labels: ['claims'], assignees: ['mona'] };
    const made = await mona.ask('POST', '/issues', fields);
    expect(made).toMatchObject({ status: 201, body: { number: 8, author_association: 'COLLABORATOR' } });
    expect(server.issue(8)).toMatchObject({ ...fields, author: 'mona', state: 'open' });
    expect(said(await mona.ask('POST', '/issues', {}))).toBe('422 Validation Failed');
  });

  it('changes in what a request names, and in nothing else', async () => {
    server.addIssue({ number: 1, title: 'Old', body: 'text', labels: ['a', 'b'], assignees: ['mona'] });
    server.clock.advance(MINUTE);
    await bot.ask('PATCH', '/issues/1', { state: 'closed', state_reason: 'not_planned' });
    expect(server.issue(1)).toMatchObject({
      ...{ title: 'Old', body: 'text', labels: ['a', 'b'], assignees: ['mona'] },
      ...{ state: 'closed', stateReason: 'not_planned', closedBy: 'claim-bot[bot]' },
    });
    const fields = {
      state: 'open',
      title: 'New',
      body: null,
      labels: ['B', 'c'],
      assignees: ['octo', 'nobody'],
    };
    const { body } = await bot.ask('PATCH', '/issues/1', fields);
    expect(body).toMatchObject({ state: 'open', state_reason: 'reopened', closed_at: null, title: 'New' });
    expect(server.issue(1)).toMatchObject({
      title: 'New',
      body: null,
      labels: ['b', 'c'],
      assignees: ['octo'],
    });
    expect(Date.parse(body.updated_at) - Date.parse(body.created_at)).toBeGreaterThanOrEqual(MINUTE);
    expect(said(await bot.ask('PATCH', '/issues/1', { state: 'done' }))).toBe('422 Validation Failed');
  });

  it('is closed, merged and reopened by tests', async () => {
    const head = git(server, 'rev-parse', 'main');
    server.addIssue({ number: 1 });
    server.addIssue({ number: 2, pull: { head } });
    server.closeIssue(1, { by: 'mona' });
    server.closeIssue(2, { merged: true });
    const read = async (path: string) => (await bot.ask('GET', path)).body;
    expect(await read('/issues/1')).toMatchObject({ state: 'closed', closed_by: { login: 'mona' } });
    expect(await read('/pulls/2')).toMatchObject({ state: 'closed', merged: true, merge_commit_sha: head });
    server.reopenIssue(1);
    server.reopenIssue(2);
    expect([server.issue(1).state, server.issue(2).state]).toEqual(['open', 'closed']);
    expect(() => server.closeIssue(3)).toThrow('there is no #3');
  });

  it('stays as it was in the hands of a test', () => {
    server.addIssue({ number: 1 });
    const before = server.issue(1);
    server.closeIssue(1);
    expect(before.state).toBe('open');
  });
});

describe('a pull request', () => {
  it('has the head that was pushed last, and the commits up to it', async () => {
    const main = git(server, 'rev-parse', 'main');
    const author = { name: 'Mona', email: '7+mona@users.noreply.github.com', date: '2024-02-29T12:00:00Z' };
    const tree = git(server, 'rev-parse', 'main^{tree}');
    const commit = async (message: string, parent: string) => {
      const { body } = await bot.ask('POST', '/git/commits', { message, tree, parents: [parent], author });
      return body.sha as string;
    };
    const one = await commit('one', main);
    const two = await commit('two', one);
    server.addIssue({ number: 2, pull: { head: one, ref: 'fix' } });
    server.push(2, two);
    const { body: pull } = await bot.ask('GET', '/pulls/2');
    expect(pull).toMatchObject({ head: { sha: two, ref: 'fix' }, base: { sha: main }, commits: 2 });
    const { body: commits } = await bot.ask('GET', '/pulls/2/commits');
    expect(commits).toMatchObject([
      { sha: one, author: { login: 'mona' }, commit: { author: { date: author.date } } },
      { sha: two, commit: { message: 'two', committer: { date: author.date } } },
    ]);
    expect((await bot.ask('GET', '/pulls/2/commits?per_page=1&page=2')).body).toMatchObject([{ sha: two }]);
  });

  it('may have a head that git does not know', async () => {
    const head = '3f9c2ab'.padEnd(40, '0');
    server.addIssue({ number: 2, pull: { head } });
    expect((await bot.ask('GET', '/pulls/2')).body).toMatchObject({ head: { sha: head }, commits: 0 });
    expect((await bot.ask('GET', '/pulls/2/commits')).body).toEqual([]);
    expect(() => server.push(1, head)).toThrow('there is no #1');
  });
});
