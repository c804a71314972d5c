import { type Answer, notFound, Refusal } from './answers.js';
import { demand } from './permissions.js';
import { actionsRoutes } from './routes/actions.js';
import { commitRoutes } from './routes/commits.js';
import { refRoutes } from './routes/refs.js';
import { repositoryRoutes } from './routes/repository.js';
import type { Call, Route } from './routes/route.js';
import { trackerRoutes } from './routes/tracker.js';
import { treeRoutes } from './routes/trees.js';

const TABLE = [
  ...repositoryRoutes,
  ...refRoutes,
  ...commitRoutes,
  ...treeRoutes,
  ...trackerRoutes,
  ...actionsRoutes,
].map((route) => ({ route, pattern: patternOf(route.path) }));

/** The route for a decoded path, with what its placeholders stand for. */
export function find(
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } | undefined {
  for (const { route, pattern } of TABLE) {
    const match = route.method === method && pattern.exec(path);
    if (match) return { route, params: { ...match.groups } };
  }
  return undefined;
}

/** Carries out a call, or throws the `Refusal` that says why not. */
export async function perform(route: Route, call: Call): Promise<Answer> {
  const { world, account, params } = call;
  const { owner, repo } = params;
  if (owner && `${owner}/${repo}`.toLowerCase() !== world.repository.toLowerCase()) throw notFound();
  // Before the body is looked at: who may not write doesn't learn whether it would have worked.
  if (route.needs !== 'none') demand(account, route.needs);
  if (route.needsHistory && (await world.git.isEmpty())) throw new Refusal(409, 'Git Repository is empty.');
  return route.act(call);
}

function patternOf(path: string): RegExp {
  const source = path.replace(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\*(\w+)/g, '(?<$1>.*)');
  return new RegExp(`^${source}$`, 's');
}
