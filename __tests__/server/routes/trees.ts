import { notFound, Refusal } from '../answers.js';
import { EMPTY_TREE } from '../git/commit.js';
import { placesOf, type World } from '../world.js';
import { commitOf } from './commits.js';
import { REPOSITORY, type Route } from './route.js';

interface TreeEntry {
  mode: string;
  path: string;
  sha: string;
}

const SHA_BYTES = 20;

export const treeRoutes: Route[] = [
  {
    method: 'POST',
    path: `${REPOSITORY}/git/trees`,
    needs: 'contents=write',
    needsHistory: true,
    act() {
      // GitHub makes no empty tree, and nothing here needs another one than those that are there.
      throw new Refusal(422, 'Invalid tree info');
    },
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/git/trees/*name`,
    needs: 'contents=read',
    needsHistory: true,
    async act({ world, params: { name = '' } }) {
      return { status: 200, body: await treeShape(world, name) };
    },
  },
];

async function treeShape(world: World, name: string) {
  const { git, refuseEmptyTree } = world;
  const sha = (await commitOf(world, name))?.tree ?? name;
  const object = /^[0-9a-f]{40}$/.test(sha) ? await git.object(sha) : undefined;
  if (object?.type !== 'tree' || (refuseEmptyTree && sha === EMPTY_TREE)) throw notFound();
  const base = `${placesOf(world).api}/git`;
  const entries = decodeTree(object.content).map(async ({ path, mode, sha }) => {
    const type = mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
    const size = type === 'blob' ? { size: (await git.object(sha))?.content.length } : {};
    return { path, mode, type, sha, ...size, url: `${base}/${type}s/${sha}` };
  });
  return { sha, url: `${base}/trees/${sha}`, tree: await Promise.all(entries), truncated: false };
}

/** A tree's bytes: for each entry the mode, a space, the name, a zero, and the sha in binary. */
function decodeTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let start = 0; start < content.length; ) {
    const zero = content.indexOf(0, start);
    const [mode = '', ...words] = content.toString('utf8', start, zero).split(' ');
    const end = zero + 1 + SHA_BYTES;
    entries.push({
      mode: mode.padStart(6, '0'),
      path: words.join(' '),
      sha: content.toString('hex', zero + 1, end),
    });
    start = end;
  }
  return entries;
}
