import { notFound } from '../answers.js';
import { type Commit, commitShape } from '../shapes/commit.js';
import { pullShape } from '../shapes/pull.js';
import type { Item } from '../state/item.js';
import type { World } from '../world.js';
import { itemOf } from './item.js';
import { pageOf } from './pages.js';
import { type Call, PAGES, REPOSITORY, type Route } from './route.js';

const BASE = 'refs/heads/main';
/** GitHub lists no more of them. */
const MOST_COMMITS = 250;

export const pullRoutes: Route[] = [
  {
    method: 'GET',
    path: `${REPOSITORY}/pulls/:number`,
    needs: 'pull_requests=read',
    async act(call) {
      const { world } = call;
      const item = pullOf(call);
      const [base, commits] = await Promise.all([world.git.object(BASE), commitsOf(world, item)]);
      return { status: 200, body: pullShape(world, item, base?.sha ?? '', commits.length) };
    },
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/pulls/:number/commits`,
    needs: 'pull_requests=read',
    query: PAGES,
    async act(call) {
      const commits = await commitsOf(call.world, pullOf(call));
      const { items, headers } = pageOf(call, commits.slice(0, MOST_COMMITS));
      return { status: 200, body: items.map((commit) => commitShape(call.world, commit)), headers };
    },
  },
];

function pullOf(call: Call): Item {
  const item = itemOf(call);
  if (!item.pull) throw notFound();
  return item;
}

/** The commits of a pull request, oldest first; none of an issue, or where git doesn't know the head. */
export async function commitsOf({ git }: World, { pull }: Item): Promise<Commit[]> {
  if (!pull) return [];
  const shas = await git.between(BASE, pull.head);
  const commits = await Promise.all(shas.map((sha) => git.commit(sha)));
  return commits.flatMap((commit) => commit ?? []);
}
