import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git } from './client.js';
import type { Account } from './permissions.js';
import { type GitHubServer, startServer } from './server.js';

/** Requests by what they need; `7` is an issue, `8` a pull request. */
const NEEDS: [need: string, method: string, path: string][] = [
  ['issues=read', 'GET', '/issues'],
  ['issues=read', 'GET', '/issues/8'],
  ['issues=write', 'POST', '/issues'],
  ['pull_requests=read', 'GET', '/pulls/8'],
  ['pull_requests=read', 'GET', '/pulls/8/commits'],
  ['statuses=write', 'POST', '/statuses/main'],
  ['statuses=read', 'GET', '/commits/main/status'],
  ['statuses=read', 'GET', '/commits/main/statuses'],
  ['actions=read', 'GET', '/actions/runs/870'],
  ['actions=read', 'GET', '/actions/runs/870/attempts/1'],
  ['actions=read', 'GET', '/actions/runs/870/attempts/1/jobs'],
  ['actions=read', 'GET', '/actions/jobs/38291'],
  ['actions=write', 'POST', '/actions/runs/870/cancel'],
  ['contents=read', 'GET', '/commits/main'],
  ['contents=write', 'POST', '/git/refs'],
];

/** What is read or written of an issue by `issues`, of a pull request by `issues` or `pull_requests`. */
const ON_ITEMS: [level: string, method: string, path: string][] = [
  ['write', 'PATCH', '/issues/:item'],
  ['read', 'GET', '/issues/:item/comments'],
  ['write', 'POST', '/issues/:item/comments'],
  ['read', 'GET', '/issues/:item/labels'],
  ['write', 'POST', '/issues/:item/labels'],
  ['write', 'DELETE', '/issues/:item/labels/none'],
  ['write', 'POST', '/issues/:item/assignees'],
  ['write', 'DELETE', '/issues/:item/assignees'],
  ['read', 'GET', '/issues/:item/timeline'],
  ['read', 'GET', '/issues/comments/:comment'],
  ['write', 'PATCH', '/issues/comments/:comment'],
  ['write', 'DELETE', '/issues/comments/:comment'],
];

const accounts = Object.fromEntries(
  ['contents', 'issues', 'pull_requests', 'statuses', 'actions'].flatMap((name) =>
    ['read', 'write'].map((level): [string, Account] => [
      `${name}=${level}`,
      { login: 'bot', permissions: { [name]: level } },
    ]),
  ),
);

let server: GitHubServer;
let comments: Record<string, string>;

beforeEach(async () => {
  server = await startServer({
    tokens: { ...accounts, all: { login: 'bot', permissions: { issues: 'write', pull_requests: 'write' } } },
  });
  server.addIssue({ number: 7 });
  server.addIssue({ number: 8, pull: { head: git(server, 'rev-parse', 'main') } });
  server.addRun({ id: 870, jobs: [{ id: 38291 }] });
  const comment = async (item: string) => {
    const heard = await new Client(server, 'all').ask('POST', `/issues/${item}/comments`, { body: 'x' });
    return [item, String(heard.body.id)];
  };
  comments = Object.fromEntries(await Promise.all(['7', '8'].map(comment)));
});
afterEach(() => server.close());

const ask = async (token: string, method: string, path: string) => {
  const body = method === 'GET' ? undefined : {};
  const { status, headers } = await new Client(server, token).ask(method, path, body);
  return { allowed: status !== 403, accepted: headers.get('x-accepted-github-permissions') };
};

describe('a permission', () => {
  it.each(NEEDS)('%s is what it takes for %s %s, and no other one will do', async (need, method, path) => {
    const [permission = '', level] = need.split('=');
    for (const token of Object.keys(accounts)) {
      const enough = token === need || (level === 'read' && token === `${permission}=write`);
      expect({ token, ...(await ask(token, method, path)) }).toEqual({
        token,
        allowed: enough,
        accepted: need,
      });
    }
  });

  it.each(ON_ITEMS)(
    'to %s is one of issues, or of pull requests on those: %s %s',
    async (level, method, path) => {
      const accepted = `issues=${level}; pull_requests=${level}`;
      for (const item of ['7', '8']) {
        const at = path.replace(':item', item).replace(':comment', comments[item] ?? '');
        const pulls = { allowed: item === '8', accepted };
        expect(await ask(`pull_requests=${level}`, method, at)).toEqual(pulls);
        expect(await ask(`contents=${level}`, method, at)).toEqual({ allowed: false, accepted });
        if (level === 'write') expect((await ask('issues=read', method, at)).allowed).toBe(false);
        expect(await ask(`issues=${level}`, method, at)).toEqual({ allowed: true, accepted });
      }
    },
  );

  it('of issues or of pull requests is enough for the labels of the repository', async () => {
    for (const name of ['issues', 'pull_requests']) {
      expect((await ask(`${name}=read`, 'GET', '/labels')).allowed).toBe(true);
      expect((await ask(`${name}=read`, 'POST', '/labels')).allowed).toBe(false);
      expect((await ask(`${name}=write`, 'POST', '/labels')).allowed).toBe(true);
    }
    expect((await ask('contents=write', 'GET', '/labels')).allowed).toBe(false);
  });
});
