import { type Answer, notFound, Refusal } from './answers.js';
import { graphqlRoutes } from './graphql/endpoint.js';
import { demand } from './permissions.js';
import { actionsRoutes } from './routes/actions.js';
import { assigneeRoutes } from './routes/assignees.js';
import { commentRoutes } from './routes/comments.js';
import { commitRoutes } from './routes/commits.js';
import { issueRoutes } from './routes/issues.js';
import { isAboutIssue } from './routes/item.js';
import { labelRoutes } from './routes/labels.js';
import { pullRoutes } from './routes/pulls.js';
import { refRoutes } from './routes/refs.js';
import { repositoryRoutes } from './routes/repository.js';
import type { Call, Route } from './routes/route.js';
import { statusRoutes } from './routes/statuses.js';
import { timelineRoutes } from './routes/timeline.js';
import { treeRoutes } from './routes/trees.js';

/** The first one that fits a request has it. */
export const routes: readonly Route[] = [
  ...repositoryRoutes,
  ...refRoutes,
  // Before the commits, whose names may have any number of parts.
  ...statusRoutes,
  ...commitRoutes,
  ...treeRoutes,
  ...issueRoutes,
  ...commentRoutes,
  ...labelRoutes,
  ...assigneeRoutes,
  ...timelineRoutes,
  ...pullRoutes,
  ...actionsRoutes,
  ...graphqlRoutes,
];

const TABLE = routes.map((route) => ({ route, pattern: patternOf(route.path) }));

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
  if (route.needs !== 'none') demand(account, route.needs, isAboutIssue(call));
  if (route.needsHistory && (await world.git.isEmpty())) throw new Refusal(409, 'Git Repository is empty.');
  return route.act(call);
}

function patternOf(path: string): RegExp {
  const source = path.replace(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\*(\w+)/g, '(?<$1>.*)');
  return new RegExp(`^${source}$`, 's');
}
