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
      stranger: { login: 'stranger', permissions: everything },
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
    const since = new Date(server.clock.now() - 2_000).toISOString();
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

describe('assignees', () => {
  it('are added to those that there are; who cannot be assigned is not, without a word', async () => {
    server.addIssue({ number: 1, assignees: ['octo'] });
    const heard = await bot.ask('POST', '/issues/1/assignees', { assignees: ['mona', 'nobody', 'octo'] });
    expect(heard.status).toBe(201);
    const logins = heard.body.assignees.map(({ login }: { login: string }) => login);
    expect(logins).toEqual(['octo', 'mona']);
    expect(heard.body.assignee.login).toBe('octo');
    await bot.ask('DELETE', '/issues/1/assignees', { assignees: ['octo', 'nobody'] });
    expect(server.issue(1).assignees).toEqual(['mona']);
    expect(said(await bot.ask('POST', '/issues/1/assignees', {}))).toBe('422 Validation Failed');
  });

  it('are ten at most', async () => {
    await server.close();
    server = await startServer();
    server.addIssue({ number: 1, assignees: ['first'] });
    const assignees = Array.from({ length: 12 }, (_, index) => `user-${index}`);
    await new Client(server).ask('POST', '/issues/1/assignees', { assignees });
    expect(server.issue(1).assignees).toHaveLength(10);
  });

  it('are no bots: one of them and all of it is refused, or as others that cannot be', async () => {
    server.addIssue({ number: 1 });
    const both = { assignees: ['mona', 'claim-bot[bot]'] };
    expect(said(await bot.ask('POST', '/issues/1/assignees', both))).toBe('403 Forbidden');
    expect(server.issue(1).assignees).toEqual([]);
    await server.close();
    server = await startServer({ botAssignees: 'drop' });
    server.addIssue({ number: 1 });
    await new Client(server).ask('POST', '/issues/1/assignees', both);
    expect(server.issue(1).assignees).toEqual(['mona']);
  });
});

describe('labels', () => {
  it('are the repository’s, whatever the case of their letters', async () => {
    const blue = { name: 'In-Progress', color: '0052cc', description: 'claimed' };
    expect((await bot.ask('POST', '/labels', blue)).body).toMatchObject(blue);
    expect((await bot.ask('GET', '/labels/in-progress')).body).toMatchObject(blue);
    const again = await bot.ask('POST', '/labels', { name: 'in-progress' });
    expect(said(again)).toBe('422 Validation Failed');
    expect(again.body.errors).toMatchObject([{ resource: 'Label', code: 'already_exists', field: 'name' }]);
    expect(said(await bot.ask('GET', '/labels/status%2Fready'))).toBe('404 Not Found');
    for (const wrong of [{}, { name: 'x', color: 'blue' }, { name: 'x'.repeat(51) }]) {
      expect(said(await bot.ask('POST', '/labels', wrong))).toBe('422 Validation Failed');
    }
    expect((await bot.ask('GET', '/labels')).body).toMatchObject([blue]);
  });

  it('are put on an issue, made grey where there is none, and taken off', async () => {
    await bot.ask('POST', '/labels', { name: 'bug', color: 'ff0000' });
    server.addIssue({ number: 1, labels: ['bug'] });
    const labels = ['Bug', { name: 'status/ready' }];
    const { body } = await bot.ask('POST', '/issues/1/labels', { labels });
    expect(body).toMatchObject([
      { name: 'bug', color: 'ff0000' },
      { name: 'status/ready', color: 'ededed' },
    ]);
    expect(server.issue(1).labels).toEqual(['bug', 'status/ready']);
    const left = await bot.ask('DELETE', '/issues/1/labels/status%2Fready');
    expect(left).toMatchObject({ status: 200, body: [{ name: 'bug' }] });
    expect(said(await bot.ask('DELETE', '/issues/1/labels/status%2Fready'))).toBe('404 Label does not exist');
    expect((await bot.ask('GET', '/issues/1/labels?per_page=1')).body).toMatchObject([{ name: 'bug' }]);
    expect((await bot.ask('GET', '/labels/status/ready')).status).toBe(200);
  });

  it('are put on by two at once, and both stay', async () => {
    server.addIssue({ number: 1 });
    await Promise.all(
      [bot, mona].map((client, index) => client.ask('POST', '/issues/1/labels', [`label-${index}`])),
    );
    expect(server.issue(1).labels.toSorted()).toEqual(['label-0', 'label-1']);
  });
});
