import { notFound, Refusal } from '../answers.js';
import { nodeId, placesOf, userShape, type World } from '../world.js';
import { repositoryShape } from './repository.js';
import { type Call, REPOSITORY, type Route } from './route.js';

type Item = ReturnType<typeof itemOf>;

export const trackerRoutes: Route[] = [
  {
    method: 'GET',
    path: `${REPOSITORY}/issues/:number`,
    needs: 'issues=read',
    act: (call) => ({ status: 200, body: issueShape(call.world, itemOf(call)) }),
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/pulls/:number`,
    needs: 'pull_requests=read',
    async act(call) {
      return { status: 200, body: await pullShape(call.world, itemOf(call)) };
    },
  },
];

/** The item that a path names; one that isn't there any more says where it went. */
function itemOf({ world, params: { number = '' } }: Call) {
  const item = /^[1-9]\d*$/.test(number) ? world.issues.get(Number(number)) : undefined;
  if (!item) throw notFound();
  if (item.deleted) throw new Refusal(410, 'This issue was deleted');
  if (item.movedTo) {
    const { repository = world.repository, number } = item.movedTo;
    const location = `${world.url}/repos/${repository}/issues/${number}`;
    throw new Refusal(301, 'Moved Permanently', { location });
  }
  return item;
}

/** A pull request is an issue too, then with the key `pull_request`. */
function issueShape(world: World, item: Item) {
  const { api, html } = placesOf(world);
  const pulls = { url: `${api}/pulls/${item.number}`, html_url: `${html}/pull/${item.number}` };
  return {
    ...commonShape(world, item),
    url: `${api}/issues/${item.number}`,
    repository_url: api,
    state_reason: item.state === 'closed' ? 'completed' : null,
    ...(item.pull && { pull_request: { ...pulls, merged_at: mergedAt(item) } }),
  };
}

async function pullShape(world: World, item: Item) {
  if (!item.pull) throw notFound();
  const { head, ref = `topic-${item.number}`, merged = false } = item.pull;
  const [owner = ''] = world.repository.split('/');
  const main = await world.git.ref('refs/heads/main');
  const repo = repositoryShape(world);
  const user = userShape(world, owner);
  return {
    ...commonShape(world, item),
    url: `${placesOf(world).api}/pulls/${item.number}`,
    draft: false,
    merged,
    merged_at: mergedAt(item),
    head: { label: `${owner}:${ref}`, ref, sha: head, user, repo },
    base: { label: `${owner}:main`, ref: 'main', sha: main?.sha ?? null, user, repo },
  };
}

function commonShape(world: World, item: Item) {
  const { number, title = `Item ${number}`, state = 'open', pull, createdAt } = item;
  const [owner = ''] = world.repository.split('/');
  return {
    id: 1_000_000 + number,
    node_id: nodeId(pull ? 'PullRequest' : 'Issue', number),
    number,
    title,
    state,
    html_url: `${placesOf(world).html}/${pull ? 'pull' : 'issues'}/${number}`,
    user: userShape(world, owner),
    author_association: 'OWNER',
    body: null,
    labels: [],
    assignee: null,
    assignees: [],
    locked: false,
    comments: 0,
    created_at: createdAt,
    updated_at: createdAt,
    closed_at: state === 'closed' ? createdAt : null,
  };
}

function mergedAt({ pull, createdAt }: Item): string | null {
  return pull?.merged ? createdAt : null;
}
