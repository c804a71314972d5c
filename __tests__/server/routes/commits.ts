import { notFound, Refusal } from '../answers.js';
import { EMPTY_TREE, type Signature } from '../git/commit.js';
import type { Account } from '../permissions.js';
import { type Commit, commitShape, gitCommitShape } from '../shapes/commit.js';
import type { World } from '../world.js';
import { type Call, fieldsOf, REPOSITORY, type Route } from './route.js';

export const commitRoutes: Route[] = [
  {
    method: 'POST',
    path: `${REPOSITORY}/git/commits`,
    needs: 'contents=write',
    needsHistory: true,
    act: createCommit,
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/git/commits/:sha`,
    needs: 'contents=read',
    needsHistory: true,
    async act({ world, params: { sha = '' } }) {
      const commit = isSha(sha) ? await readable(world, sha) : undefined;
      if (!commit) throw notFound();
      return { status: 200, body: gitCommitShape(world, commit) };
    },
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/commits/*ref`,
    needs: 'contents=read',
    needsHistory: true,
    async act({ world, params: { ref = '' } }) {
      const commit = await readable(world, ref);
      if (!commit) throw new Refusal(422, `No commit found for SHA: ${ref}`);
      return { status: 200, body: commitShape(world, commit) };
    },
  },
];

/** What a branch, a tag, `HEAD` or a sha stands for; no other of git's ways to name a commit. */
export function commitOf(world: World, name: string): Promise<Commit | undefined> {
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(name)) return Promise.resolve(undefined);
  return world.git.commit(`${name}^{commit}`);
}

/** The commit of a name, if it can be read yet. */
export async function readable(world: World, name: string): Promise<Commit | undefined> {
  const commit = await commitOf(world, name);
  return commit && !world.lag.hides(commit.sha) ? commit : undefined;
}

async function createCommit({ world, account, body }: Call) {
  const { message, tree, parents, author, committer = author } = fieldsOf(body);
  if (typeof message !== 'string' || message.includes('\0')) {
    throw new Refusal(422, 'Invalid request.\n\n"message" wasn\'t supplied.');
  }
  const commit = {
    tree: await treeOf(world, tree),
    parents: await parentsOf(world, parents),
    author: signatureOf(world, account, author),
    committer: signatureOf(world, account, committer),
    message,
  };
  const sha = await world.git.write(commit);
  world.lag.made(sha);
  const shape = gitCommitShape(world, { ...commit, sha });
  return { status: 201, body: shape, headers: { location: shape.url } };
}

async function treeOf({ git, refuseEmptyTree }: World, tree: unknown): Promise<string> {
  const known = isSha(tree) && !(tree === EMPTY_TREE && refuseEmptyTree);
  if (known && (await git.typeOf(tree)) === 'tree') return tree;
  throw new Refusal(422, 'Tree SHA does not exist');
}

async function parentsOf({ git }: World, parents: unknown = []): Promise<string[]> {
  const shas = Array.isArray(parents) && parents.every(isSha) ? parents : undefined;
  const types = await Promise.all((shas ?? []).map((sha) => git.typeOf(sha)));
  if (shas && types.every((type) => type === 'commit')) return shas;
  throw new Refusal(422, 'Parent SHA does not exist or is not a commit object');
}

/** Who a commit is by, and when: as the request says, or the account and the host's clock. */
function signatureOf({ clock }: World, account: Account, given: unknown): Signature {
  if (given === undefined) {
    const email = `${account.login}@users.noreply.github.com`;
    return { name: account.name ?? account.login, email, seconds: clock.seconds() };
  }
  const { name, email, date } = fieldsOf(given);
  const seconds = date === undefined ? clock.seconds() : Math.floor(Date.parse(String(date)) / 1_000);
  if (typeof name === 'string' && typeof email === 'string' && seconds >= 0) return { name, email, seconds };
  throw new Refusal(
    422,
    'Invalid request.\n\nAn author or committer needs a name, an email and a valid date.',
  );
}

function isSha(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
}
