import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, said } from './client.js';
import { type GitHubServer, startServer } from './server.js';

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
