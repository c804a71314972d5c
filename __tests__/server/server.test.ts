import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, git, said } from './client.js';
import { EMPTY_TREE } from './git/commit.js';
import { type GitHubServer, type ServerOptions, startServer } from './server.js';

const UNKNOWN = '1'.repeat(40);
const writer = { login: 'mona', name: 'Mona <Lisa>', permissions: { contents: 'write' } } as const;

let server: GitHubServer;
let client: Client;

async function start(options: ServerOptions): Promise<void> {
  await server?.close();
  server = await startServer(options);
  client = new Client(server);
}

beforeEach(() => start({}));
afterEach(() => server.close());

describe('creating a ref', () => {
  it('has one winner of twenty', async () => {
    const shas = await Promise.all(Array.from({ length: 20 }, (_, index) => client.commit(`racer ${index}`)));
    const heard = await Promise.all(shas.map((sha) => client.createRef('refs/claims/item-1/00000001', sha)));
    const words = heard.map(said).sort();
    expect(words).toEqual(['201', ...Array.from({ length: 19 }, () => '422 Reference already exists')]);
    const winner = shas[heard.findIndex(({ status }) => status === 201)];
    expect(git(server, 'rev-parse', 'refs/claims/item-1/00000001')).toBe(winner);
  });

  it('says that it exists to who created it, too', async () => {
    const sha = await client.commit('mine');
    expect((await client.createRef('refs/claims/a/00000001', sha)).body.object).toMatchObject({
      sha,
      type: 'commit',
    });
    expect(said(await client.createRef('refs/claims/a/00000001', sha))).toBe('422 Reference already exists');
  });

  it('refuses a name that is a directory of another, and the reverse', async () => {
    const sha = await client.commit('entry');
    await client.createRef('refs/claims/deploy/20251130', sha);
    for (const name of ['refs/claims/deploy', 'refs/claims/deploy/20251130/00000001']) {
      expect(said(await client.createRef(name, sha))).toBe('422 Reference update failed');
    }
    expect(git(server, 'for-each-ref', '--format=%(refname)', 'refs/claims')).toBe(
      'refs/claims/deploy/20251130',
    );
  });

  it.each([
    ['refs/claims/fine/00000001', true],
    ['refs/claims/a..b', false],
    ['refs/claims/a.lock', false],
    ['refs/claims/.a', false],
    ['refs/claims/a.', false],
    ['refs/claims//a', false],
    ['refs/claims/a/', false],
    ['refs/claims/a b', false],
    ['refs/claims/a~1', false],
    ['refs/claims/a:b', false],
    ['refs/claims/a*', false],
    ['refs/claims/@{0}', false],
    ['refs/claims/a\nb', false],
    ['refs/claims/é@(1)', true],
  ])('judges %j as git does', async (name, good) => {
    const { status } = spawnSync('git', ['check-ref-format', name]);
    const { status: answer } = await client.createRef(name, await client.commit('entry'));
    expect({ git: status === 0, answer }).toEqual({ git: good, answer: good ? 201 : 422 });
    expect((await server.refs('refs/claims/')).has(name)).toBe(good);
  });

  it('refuses what no ref can be', async () => {
    const sha = await client.commit('entry');
    const answers = [
      await client.createRef('heads/a', sha),
      await client.createRef('refs/claims', sha),
      await client.createRef('refs/claims/a', UNKNOWN),
      await client.createRef('refs/claims/a', 'abc'),
      await client.createRef(`refs/claims/${'x/'.repeat(122)}x`, sha),
      await client.createRef('refs/claims/a\0b', sha),
      await client.ask('POST', '/git/refs', {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 422));
    expect(answers[2]?.body.message).toBe('Object does not exist');
    expect([...(await server.refs()).keys()]).toEqual(['refs/heads/main']);
  });
});

describe('a ref that is there', () => {
  it('is listed by a plain prefix, in order', async () => {
    const sha = await client.commit('entry');
    const names = [
      'item-2/00000001',
      'item-1/00000010',
      'item-12/00000001',
      'item-1/00000009',
      'item-1/a/00000001',
    ];
    for (const name of names) await client.createRef(`refs/claims/${name}`, sha);
    const list = async (prefix: string) => {
      const { body } = await client.ask('GET', `/git/matching-refs/${prefix}`);
      return body.map(({ ref }: { ref: string }) => ref.replace('refs/claims/', ''));
    };
    const first = ['item-1/00000009', 'item-1/00000010', 'item-1/a/00000001'];
    expect(await list('claims/item-1/')).toEqual(first);
    expect(await list('claims%2Fitem-1%2F')).toEqual(first);
    expect(await list('claims/item-1')).toEqual([...first, 'item-12/00000001']);
    expect(await list('claims/item-3/')).toEqual([]);
    expect(await list('claims/item-*')).toEqual([]);
    expect((await list('')).at(-1)).toBe('refs/heads/main');
  });

  it('is read, moved and deleted by its name, however the slashes are written', async () => {
    const [one, two] = [await client.commit('one'), await client.commit('two')];
    await client.createRef('refs/claims/a/b', one);
    expect((await client.ask('GET', '/git/ref/claims%2Fa%2Fb')).body.object.sha).toBe(one);
    expect(said(await client.ask('GET', '/git/ref/claims/a'))).toBe('404 Not Found');
    expect((await client.ask('PATCH', '/git/refs/claims%2Fa/b', { sha: two })).status).toBe(200);
    expect(git(server, 'rev-parse', 'refs/claims/a/b')).toBe(two);
    const patched = await client.ask('PATCH', '/git/refs/claims/none', { sha: two });
    expect(said(patched)).toBe('422 Reference does not exist');
    const deleted = await Promise.all([1, 2, 3].map(() => client.ask('DELETE', '/git/refs/claims%2Fa%2Fb')));
    const gone = '422 Reference does not exist';
    expect(deleted.map(said).sort()).toEqual(['204', gone, gone]);
    expect(git(server, 'for-each-ref', 'refs/claims')).toBe('');
  });

  it('goes back only by force if it is a branch', async () => {
    const { body } = await client.ask('GET', '/commits/main');
    const side = await client.commit('unrelated');
    const refused = await client.ask('PATCH', '/git/refs/heads/main', { sha: side });
    expect(said(refused)).toBe('422 Update is not a fast forward');
    expect(git(server, 'rev-parse', 'main')).toBe(body.sha);
    expect((await client.ask('PATCH', '/git/refs/heads/main', { sha: side, force: true })).status).toBe(200);
    expect(git(server, 'rev-parse', 'main')).toBe(side);
  });
});

describe('a commit', () => {
  it('is stamped by the account and the clock of the host', async () => {
    await start({ tokens: { secret: writer } });
    server.clock.advance(86_400_000);
    const heard = await new Client(server, 'secret').ask('POST', '/git/commits', {
      message: 'hi',
      tree: EMPTY_TREE,
    });
    const { sha, author, committer } = heard.body;
    const stamp = Date.parse(author.date) / 1_000;
    expect(committer).toEqual(author);
    expect(git(server, 'show', '-s', '--format=%an|%ae|%at|%cn|%ct', sha)).toBe(
      `Mona Lisa|mona@users.noreply.github.com|${stamp}|Mona Lisa|${stamp}`,
    );
    expect(stamp).toBeGreaterThan(Date.now() / 1_000 + 86_300);
    const lead = Date.parse(heard.headers.get('date') ?? '') / 1_000 - stamp;
    expect(lead).toBeGreaterThanOrEqual(0);
    expect(lead).toBeLessThan(10);
  });

  it('is the same one if the bytes and the second are the same', async () => {
    const make = () => client.ask('POST', '/git/commits', { message: 'same', tree: EMPTY_TREE });
    const [one, two] = await Promise.all([make(), make()]);
    expect(one.body.sha === two.body.sha).toBe(one.body.author.date === two.body.author.date);
    server.clock.advance(1_000);
    const three = await make();
    expect([one.body.sha, two.body.sha]).not.toContain(three.body.sha);
  });

  it('keeps its author, its parents and its message to the byte', async () => {
    const message = 'Claimed by é\n\nfree text\n\nClaim-Version: 1\nClaim-Holder: a\n';
    const parent = await client.commit('before\n\nClaim-Version: 1');
    const author = { name: 'A', email: 'a@b.c', date: '2024-02-29T12:00:00Z' };
    const made = await client.ask('POST', '/git/commits', {
      message,
      tree: EMPTY_TREE,
      parents: [parent],
      author,
    });
    expect(made.body).toMatchObject({ author, committer: author, message, parents: [{ sha: parent }] });
    const read = await client.ask('GET', `/git/commits/${made.body.sha}`);
    expect(read.body).toEqual(made.body);
    await client.createRef('refs/claims/a/00000002', made.body.sha);
    expect(await server.log('refs/claims/a/00000002')).toBe(
      'Claimed by é\nClaim-Version: 1\nClaim-Holder: a\n\nbefore\nClaim-Version: 1\n',
    );
    const bytes = git(server, 'cat-file', 'commit', made.body.sha);
    const by = 'A <a@b.c> 1709208000 +0000';
    expect(bytes).toBe(
      `tree ${EMPTY_TREE}\nparent ${parent}\nauthor ${by}\ncommitter ${by}\n\n${message.trimEnd()}`,
    );
  });

  it('needs a tree and parents that exist', async () => {
    const make = (fields: object) => client.ask('POST', '/git/commits', { message: 'm', ...fields });
    const root = (await client.ask('GET', '/git/trees/HEAD')).body;
    expect(root.tree).toMatchObject([{ path: 'README.md', mode: '100644', type: 'blob' }]);
    expect((await make({ tree: root.sha })).status).toBe(201);
    const commit = await client.commit('m');
    const noTree = '422 Tree SHA does not exist';
    expect(said(await make({ tree: UNKNOWN }))).toBe(noTree);
    expect(said(await make({ tree: commit }))).toBe(noTree);
    for (const parents of [[UNKNOWN], [root.sha], 'x']) {
      const heard = await make({ tree: EMPTY_TREE, parents });
      expect(said(heard)).toBe('422 Parent SHA does not exist or is not a commit object');
    }
    expect(said(await client.ask('POST', '/git/trees', { tree: [] }))).toBe('422 Invalid tree info');
    expect(said(await client.ask('GET', `/git/commits/${UNKNOWN}`))).toBe('404 Not Found');
    await start({ refuseEmptyTree: true });
    expect(said(await make({ tree: EMPTY_TREE }))).toBe(noTree);
  });

  it("can't be made in an empty repository, nor a ref", async () => {
    await start({ emptyRepository: true });
    const empty = '409 Git Repository is empty.';
    expect(said(await client.ask('POST', '/git/commits', { message: 'm', tree: EMPTY_TREE }))).toBe(empty);
    expect(said(await client.createRef('refs/claims/a', UNKNOWN))).toBe(empty);
    expect(said(await client.ask('GET', '/git/matching-refs/claims/'))).toBe(empty);
  });
});
