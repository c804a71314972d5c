import { committedShape, happeningShape } from '../shapes/timeline.js';
import { itemOf } from './item.js';
import { pageOf } from './pages.js';
import { commitsOf } from './pulls.js';
import { type Call, PAGES, REPOSITORY, type Route } from './route.js';

export const timelineRoutes: Route[] = [
  {
    method: 'GET',
    path: `${REPOSITORY}/issues/:number/timeline`,
    needs: 'item=read',
    query: PAGES,
    async act(call) {
      const { items, headers } = pageOf(call, await timelineOf(call));
      return { status: 200, body: items, headers };
    },
  },
];

/** All that has happened to an item, the oldest first. */
async function timelineOf(call: Call) {
  const { world } = call;
  const item = itemOf(call);
  const commits = (await commitsOf(world, item)).map((commit) => ({
    at: commit.committer.seconds * 1_000,
    shape: committedShape(world, commit),
  }));
  const events = item.events.map((event) => ({ at: event.at, shape: happeningShape(world, item, event) }));
  return [...commits, ...events].sort((a, b) => a.at - b.at).flatMap(({ shape }) => shape ?? []);
}
