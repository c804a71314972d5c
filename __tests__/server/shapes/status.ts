import type { Status } from '../state/statuses.js';
import { isoTime, nodeId, placesOf, type World } from '../world.js';
import { accountShape, avatarOf } from './account.js';
import { minimalRepositoryShape } from './repository.js';

export function statusShape(world: World, status: Status) {
  return { ...plainShape(world, status), creator: accountShape(world, status.creator) };
}

/** What a commit's statuses come to: a failure of one is all's, and none at all is pending. */
export function combinedShape(world: World, sha: string, all: Status[], page: Status[]) {
  const url = `${placesOf(world).api}/commits/${sha}`;
  return {
    state: combined(all.map(({ state }) => state)),
    statuses: page.map((status) => plainShape(world, status)),
    sha,
    total_count: all.length,
    repository: minimalRepositoryShape(world),
    commit_url: url,
    url: `${url}/status`,
  };
}

function combined(states: Status['state'][]): Status['state'] {
  if (states.some((state) => state === 'failure' || state === 'error')) return 'failure';
  return states.length === 0 || states.includes('pending') ? 'pending' : 'success';
}

function plainShape(world: World, { id, sha, state, description, context, ...rest }: Status) {
  const at = isoTime(rest.createdAt);
  return {
    url: `${placesOf(world).api}/statuses/${sha}`,
    avatar_url: avatarOf(world, rest.creator),
    id,
    node_id: nodeId('Status', id),
    state,
    description,
    target_url: rest.targetUrl,
    context,
    created_at: at,
    updated_at: at,
  };
}
