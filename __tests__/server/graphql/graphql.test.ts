import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git, said } from '../client.js';
import { type GitHubServer, startServer } from '../server.js';

const NOTHING = '0'.repeat(40);
const REPOSITORY = '{ repository(owner: "octo", name: "demo") { id } }';
const UPDATE = `mutation ($id: ID!, $updates: [RefUpdate!]!) {
  updateRefs(input: { repositoryId: $id, refUpdates: $updates, clientMutationId: "mine" }) { clientMutationId }
}`;

let server: GitHubServer;
let client: Client;
let id: string;

beforeEach(async () => {
  server = await startServer({
    tokens: {
      'test-token': { login: 'claim-bot', permissions: { contents: 'write' } },
      reader: { login: 'reader', permissions: { contents: 'read' } },
      other: { login: 'other', permissions: { issues: 'write' } },
    },
  });
  client = new Client(server);
  id = (await client.graphql(REPOSITORY)).body.data.repository.id;
});
afterEach(() => server.close());

describe('commits', () => {
  it('are read many at a time', async () => {
    const shas = await Promise.all(
      Array.from({ length: 100 }, (_, index) => client.commit(`entry ${index}`)),
    );
    const objects = shas.map(
      (sha, index) => `o${index}: object(oid: "${sha}") { ... on Commit { oid message } }`,
    );
    const { body } = await client.graphql(
      `{ repository(owner: "octo", name: "demo") { ${objects.join(' ')} } }`,
    );
    const expected = shas.map((oid, index) => [`o${index}`, { oid, message: `entry ${index}` }]);
    expect(body).toEqual({ data: { repository: Object.fromEntries(expected) } });
  });

  it('have all that an entry says', async () => {
    const parent = await client.commit('before');
    const sha = await client.commit('Claimed\n\nClaim-Version: 1', [parent]);
    const { body } = await client.graphql(
      `query ($oid: GitObjectID!) {
        repository(owner: "OCTO", name: "demo") {
          object(oid: $oid) {
            __typename
            ... on Commit {
              message committedDate committer { date } author { name email user { login } }
              parents(first: 5) { totalCount nodes { oid } } tree { oid }
            }
          }
          unknown: object(oid: "${'1'.repeat(40)}") { oid }
        }
      }`,
      { oid: sha },
    );
    const date = new Date(1_000 * Number(git(server, 'show', '-s', '--format=%ct', sha))).toISOString();
    const committedDate = date.replace('.000', '');
    expect(body.data.repository).toEqual({
      object: {
        __typename: 'Commit',
        message: 'Claimed\n\nClaim-Version: 1',
        committedDate,
        committer: { date: committedDate },
        author: {
          name: 'claim-bot',
          email: 'claim-bot@users.noreply.github.com',
          user: { login: 'claim-bot' },
        },
        parents: { totalCount: 1, nodes: [{ oid: parent }] },
        tree: { oid: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' },
      },
      unknown: null,
    });
  });

  it('are not there yet where reads lag', async () => {
    server.lag.commits = 60_000;
    const sha = await client.commit('entry');
    const read = async () => {
      const { body } = await client.graphql(
        `{ repository(owner: "octo", name: "demo") { object(oid: "${sha}") { oid } } }`,
      );
      return body.data.repository.object;
    };
    expect(await read()).toBeNull();
    server.clock.advance(60_001);
    expect(await read()).toEqual({ oid: sha });
  });
});

describe('a query', () => {
  it('that the schema does not have is refused', async () => {
    const wrong = [
      '{',
      '{ repository(owner: "octo", name: "demo") { colour } }',
      '{ repository(owner: "octo") { id } }',
      '{ repository(owner: "octo", name: "demo") { object(oid: "main") { oid } } }',
      `mutation { updateRefs(input: { repositoryId: "x", refUpdates: [{ name: "main", afterOid: "${NOTHING}" }] }) { clientMutationId } }`,
      'mutation { updateRefs(input: { repositoryId: "x" }) { clientMutationId } }',
    ];
    for (const query of wrong) {
      const { status, body } = await client.graphql(query);
      expect([status, Object.keys(body)]).toEqual([200, ['errors']]);
    }
    expect(said(await client.ask('POST', '//graphql', {}))).toMatch(/^400 A query attribute/);
  });

  it('that GitHub has an answer to, and this server has not, is a mistake of the test', async () => {
    const heard = await client.graphql('{ repository(owner: "octo", name: "demo") { stargazerCount } }');
    expect(said(heard)).toMatch(/^500 .*no query here asks for Repository.stargazerCount/);
    await expect(server.close()).rejects.toThrow('Repository.stargazerCount');
  });

  it('for another repository finds none', async () => {
    const { body } = await client.graphql('{ repository(owner: "octo", name: "other") { id } }');
    expect(body).toMatchObject({ data: { repository: null }, errors: [{ type: 'NOT_FOUND' }] });
  });

  it('needs a token, and a permission', async () => {
    expect((await new Client(server, 'nobody').graphql(REPOSITORY)).status).toBe(401);
    const object = `{ repository(owner: "octo", name: "demo") { object(oid: "${NOTHING}") { oid } } }`;
    expect((await new Client(server, 'other').graphql(object)).body).toMatchObject({
      data: { repository: { object: null } },
      errors: [{ type: 'FORBIDDEN', path: ['repository', 'object'] }],
    });
  });

  it('has a limit of its own', async () => {
    server.limit({ left: 0, resource: 'graphql' });
    const heard = await client.graphql(REPOSITORY);
    expect([heard.status, heard.headers.get('x-ratelimit-resource')]).toEqual([403, 'graphql']);
    expect((await client.ask('GET', '')).status).toBe(200);
  });

  it('is answered with 404 where there is no GraphQL', async () => {
    await server.close();
    server = await startServer({ graphql: false });
    expect(said(await new Client(server).graphql(REPOSITORY))).toBe('404 Not Found');
  });
});

describe('refs that are updated together', () => {
  const ref = (number: number) => `refs/claims/item-1/0000000${number}`;
  const update = (updates: object[], as = client) => as.graphql(UPDATE, { id, updates });
  const refs = async () => Object.fromEntries(await server.refs('refs/claims/'));
  const failed = (heard: { body: unknown }, message: RegExp) =>
    expect(heard.body).toMatchObject({
      data: { updateRefs: null },
      errors: [{ type: 'UNPROCESSABLE', path: ['updateRefs'], message: expect.stringMatching(message) }],
    });
  let one: string;
  let two: string;

  beforeEach(async () => {
    [one, two] = [await client.commit('one'), await client.commit('two')];
  });

  it('are created, moved and deleted', async () => {
    const made = [1, 2].map((number) => ({ name: ref(number), beforeOid: NOTHING, afterOid: one }));
    expect((await update(made)).body).toEqual({ data: { updateRefs: { clientMutationId: 'mine' } } });
    expect(await refs()).toEqual({ [ref(1)]: one, [ref(2)]: one });
    await update([
      { name: ref(1), beforeOid: one, afterOid: NOTHING },
      { name: ref(2), beforeOid: one, afterOid: two },
      { name: ref(3), afterOid: two },
    ]);
    expect(await refs()).toEqual({ [ref(2)]: two, [ref(3)]: two });
    expect(git(server, 'rev-parse', ref(3))).toBe(two);
  });

  it('stay as they are, all of them, where one is not what it has to be', async () => {
    await update([{ name: ref(1), beforeOid: NOTHING, afterOid: one }]);
    const before = await refs();
    const good = { name: ref(2), beforeOid: NOTHING, afterOid: one };
    for (const bad of [
      { name: ref(1), beforeOid: NOTHING, afterOid: two },
      { name: ref(1), beforeOid: two, afterOid: NOTHING },
      { name: ref(3), beforeOid: one, afterOid: two },
      { name: `${ref(1)}/below`, beforeOid: NOTHING, afterOid: two },
      { name: 'refs/claims/a..b', beforeOid: NOTHING, afterOid: two },
      good,
    ]) {
      failed(await update([good, bad]), /^Reference update failed$/);
    }
    failed(await update([good, { name: ref(3), afterOid: NOTHING }]), /^Reference does not exist/);
    failed(await update([good, { name: ref(3), afterOid: '1'.repeat(40) }]), /^Object does not exist/);
    expect(await refs()).toEqual(before);
  });

  it('are checked without being changed, too', async () => {
    await update([{ name: ref(1), beforeOid: NOTHING, afterOid: one }]);
    const absent = { name: ref(2), beforeOid: NOTHING, afterOid: NOTHING };
    const same = { name: ref(1), beforeOid: one, afterOid: one };
    expect((await update([absent, same])).body).not.toHaveProperty('errors');
    failed(await update([{ ...same, beforeOid: two, afterOid: two }]), /^Reference update failed$/);
  });

  it('have one winner of ten', async () => {
    const racers = Array.from({ length: 10 }, (_, index) => `refs/claims/racer/${index}`);
    const heard = await Promise.all(
      racers.map((name) =>
        update([ref(1), name].map((each) => ({ name: each, beforeOid: NOTHING, afterOid: one }))),
      ),
    );
    const winners = racers.filter((_, index) => !heard[index]?.body.errors);
    expect(winners).toHaveLength(1);
    expect(Object.keys(await refs())).toEqual([ref(1), ...winners]);
  });

  it('go back only by force where they are branches', async () => {
    const main = git(server, 'rev-parse', 'main');
    const back = { name: 'refs/heads/main', beforeOid: main, afterOid: one };
    failed(await update([back]), /^Update is not a fast forward/);
    expect((await update([{ ...back, force: true }])).body).not.toHaveProperty('errors');
    expect(git(server, 'rev-parse', 'main')).toBe(one);
  });

  it('need the permission and the repository', async () => {
    const updates = [{ name: ref(1), beforeOid: NOTHING, afterOid: one }];
    expect((await update(updates, new Client(server, 'reader'))).body).toMatchObject({
      data: { updateRefs: null },
      errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }],
    });
    const { body } = await client.graphql(UPDATE, { id: 'other', updates });
    expect(body.errors).toMatchObject([{ type: 'NOT_FOUND' }]);
    expect(await refs()).toEqual({});
  });

  it('are seen by lists that lag when those show everything else', async () => {
    const release = server.lag.freeze();
    await update([{ name: ref(1), beforeOid: NOTHING, afterOid: one }]);
    const list = async () => (await client.ask('GET', '/git/matching-refs/claims/')).body.length;
    expect(await list()).toBe(0);
    release();
    expect(await list()).toBe(1);
  });
});
