import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git, said } from './client.js';
import { type GitHubServer, startServer } from './server.js';

const MINUTE = 60_000;
const everything = { issues: 'write', pull_requests: 'write' } as const;

let server: GitHubServer;
let mona: Client;
let stranger: Client;

beforeEach(async () => {
  server = await startServer({
    tokens: {
      mona: { login: 'mona', permissions: { contents: 'write', ...everything } },
      stranger: { login: 'stranger', permissions: everything },
    },
    associations: { friend: 'MEMBER' },
  });
  mona = new Client(server, 'mona');
  stranger = new Client(server, 'stranger');
  server.addIssue({ number: 7 });
});
afterEach(() => server.close());

describe('a comment', () => {
  it('has the author, what that is to the repository, and the time of the host', async () => {
    server.clock.advance(60 * MINUTE);
    const heard = await mona.ask('POST', '/issues/7/comments', { body: '🤖 claimed' });
    expect(heard).toMatchObject({
      status: 201,
      body: { body: '🤖 claimed', user: { login: 'mona' }, author_association: 'COLLABORATOR' },
    });
    const lead = Date.parse(heard.body.created_at) - Date.now();
    expect(lead).toBeGreaterThan(59 * MINUTE);
    expect(heard.body.html_url).toMatch(/\/octo\/demo\/issues\/7#issuecomment-\d+$/);
    const other = await stranger.ask('POST', '/issues/7/comments', { body: 'me too' });
    expect(other.body).toMatchObject({ author_association: 'NONE' });
    expect((await mona.ask('GET', '/issues/7')).body).toMatchObject({ comments: 2 });
  });

  it('is read, edited and deleted by its id', async () => {
    const { body: made } = await mona.ask('POST', '/issues/7/comments', { body: 'one' });
    const path = `/issues/comments/${made.id}`;
    expect((await stranger.ask('GET', path)).body).toEqual(made);
    server.clock.advance(MINUTE);
    const { body: edited } = await mona.ask('PATCH', path, { body: 'two' });
    expect(edited).toMatchObject({ id: made.id, body: 'two', created_at: made.created_at });
    expect(Date.parse(edited.updated_at) - Date.parse(made.updated_at)).toBeGreaterThanOrEqual(MINUTE);
    expect(server.issue(7).comments).toMatchObject([{ id: made.id, author: 'mona', body: 'two' }]);
    expect((await mona.ask('DELETE', path)).status).toBe(204);
    expect(server.issue(7)).toMatchObject({ comments: [], events: [] });
    for (const method of ['GET', 'DELETE']) expect(said(await mona.ask(method, path))).toBe('404 Not Found');
  });

  it('has a text, and not too long a one', async () => {
    for (const body of [undefined, ' ', 7, 'x'.repeat(65_537)]) {
      const heard = await mona.ask('POST', '/issues/7/comments', { body });
      expect(said(heard)).toBe('422 Validation Failed');
    }
    expect(server.issue(7).comments).toEqual([]);
  });

  it.each(['/issues/8/comments', '/issues/x/comments'])(
    'is on no item that is not there: %s',
    async (path) => {
      expect(said(await mona.ask('POST', path, { body: 'x' }))).toBe('404 Not Found');
    },
  );
});

describe('a list of comments', () => {
  it('has them in the order in which they were made, from a moment of change on, in pages', async () => {
    const ids: number[] = [];
    for (const body of ['a', 'b', 'c']) {
      ids.push((await mona.ask('POST', '/issues/7/comments', { body })).body.id);
      server.clock.advance(MINUTE);
    }
    const since = new Date(server.clock.now() - 1_000).toISOString();
    await mona.ask('PATCH', `/issues/comments/${ids[0]}`, { body: 'a again' });
    const list = async (query: string) => {
      const { body } = await mona.ask('GET', `/issues/7/comments${query}`);
      return body.map((comment: { body: string }) => comment.body);
    };
    expect(await list('')).toEqual(['a again', 'b', 'c']);
    expect(await list(`?since=${since}`)).toEqual(['a again']);
    expect(await list('?per_page=2&page=2')).toEqual(['c']);
  });
});

describe('a timeline', () => {
  const eventsOf = async (number: number, query = '') => {
    const { body } = await mona.ask('GET', `/issues/${number}/timeline${query}`);
    return body.map(({ event }: { event: string }) => event);
  };

  it('tells who did what, in order', async () => {
    await mona.ask('POST', '/issues/7/labels', ['in-progress']);
    await mona.ask('POST', '/issues/7/assignees', { assignees: ['mona'] });
    await stranger.ask('POST', '/issues/7/comments', { body: 'hello' });
    await stranger.ask('DELETE', '/issues/7/labels/in-progress');
    await mona.ask('DELETE', '/issues/7/assignees', { assignees: ['mona'] });
    await mona.ask('PATCH', '/issues/7', { title: 'Better', state: 'closed', state_reason: 'duplicate' });
    await mona.ask('PATCH', '/issues/7', { state: 'open' });
    const { body } = await mona.ask('GET', '/issues/7/timeline');
    expect(body).toMatchObject([
      { event: 'labeled', actor: { login: 'mona' }, label: { name: 'in-progress', color: 'ededed' } },
      { event: 'assigned', actor: { login: 'mona' }, assignee: { login: 'mona' } },
      { event: 'commented', actor: { login: 'stranger' }, body: 'hello' },
      { event: 'unlabeled', actor: { login: 'stranger' }, label: { name: 'in-progress' } },
      { event: 'unassigned', assignee: { login: 'mona' } },
      { event: 'renamed', rename: { from: 'Item 7', to: 'Better' } },
      { event: 'closed', state_reason: 'duplicate' },
      { event: 'reopened', actor: { login: 'mona' } },
    ]);
    expect(await eventsOf(7, '?per_page=3&page=3')).toEqual(['closed', 'reopened']);
  });

  it('has nothing of what changed nothing', async () => {
    server.addIssue({ number: 8, labels: ['a'], assignees: ['mona'] });
    await mona.ask('POST', '/issues/8/labels', ['A']);
    await mona.ask('POST', '/issues/8/assignees', { assignees: ['mona'] });
    await mona.ask('PATCH', '/issues/8', { state: 'open', title: 'Item 8', labels: ['a'] });
    expect(await eventsOf(8)).toEqual(['labeled', 'assigned']);
  });

  it('names what names the item, once, and a commit without an actor', async () => {
    const head = await new Client(server, 'mona').commit('fix', [git(server, 'rev-parse', 'main')]);
    server.addIssue({ number: 31, body: 'Fixes #7, see #7 and #99', pull: { head }, author: 'mona' });
    await mona.ask('POST', '/issues/31/comments', { body: 'as #7 says' });
    const { body } = await mona.ask('GET', '/issues/7/timeline');
    expect(body).toMatchObject([
      { event: 'cross-referenced', source: { issue: { number: 31, pull_request: {} } } },
    ]);
    server.closeIssue(31, { merged: true });
    expect((await eventsOf(31)).toSorted()).toEqual(['closed', 'commented', 'committed', 'merged']);
    const { body: events } = await mona.ask('GET', '/issues/31/timeline');
    const committed = events.find(({ event }: { event: string }) => event === 'committed');
    expect(committed).toMatchObject({ sha: head });
    expect(committed).not.toHaveProperty('actor');
  });
});
