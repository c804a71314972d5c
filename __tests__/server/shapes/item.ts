import type { Comment, Item } from '../state/item.js';
import type { Label } from '../state/labels.js';
import { isoTime, nodeId, placesOf, type World } from '../world.js';
import { accountShape } from './account.js';

/** An issue; a pull request is one too, then with the key `pull_request`. */
export function issueShape(world: World, item: Item) {
  const { api, html } = placesOf(world);
  const { number, pull, closedBy } = item;
  const url = `${api}/issues/${number}`;
  const page = `${html}/pull/${number}`;
  return {
    ...itemShape(world, item),
    url,
    repository_url: api,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    state_reason: item.stateReason,
    closed_by: closedBy === null ? null : accountShape(world, closedBy),
    performed_via_github_app: null,
    ...(pull && {
      draft: false,
      pull_request: {
        url: `${api}/pulls/${number}`,
        html_url: page,
        diff_url: `${page}.diff`,
        patch_url: `${page}.patch`,
        merged_at: timeOrNull(pull.mergedAt),
      },
    }),
  };
}

/** What issues and pull requests are both shown with. */
export function itemShape(world: World, item: Item) {
  const { number, pull, assignees, labels, author } = item;
  const people = assignees.map((login) => accountShape(world, login));
  return {
    id: 1_000_000 + number,
    node_id: nodeId(pull ? 'PullRequest' : 'Issue', number),
    number,
    title: item.title,
    state: item.state,
    html_url: `${placesOf(world).html}/${pull ? 'pull' : 'issues'}/${number}`,
    user: accountShape(world, author),
    author_association: world.people.associationOf(author),
    body: item.body,
    labels: labelsOf(world, labels).map((label) => labelShape(world, label)),
    assignee: people[0] ?? null,
    assignees: people,
    milestone: null,
    locked: false,
    active_lock_reason: null,
    comments: item.comments.length,
    created_at: isoTime(item.createdAt),
    updated_at: isoTime(item.updatedAt),
    closed_at: timeOrNull(item.closedAt),
  };
}

export function commentShape(world: World, item: Item, comment: Comment) {
  const { api, html } = placesOf(world);
  const { id, author, body } = comment;
  return {
    id,
    node_id: nodeId('IssueComment', id),
    url: `${api}/issues/comments/${id}`,
    html_url: `${html}/${item.pull ? 'pull' : 'issues'}/${item.number}#issuecomment-${id}`,
    issue_url: `${api}/issues/${item.number}`,
    body,
    user: accountShape(world, author),
    author_association: world.people.associationOf(author),
    performed_via_github_app: null,
    created_at: isoTime(comment.createdAt),
    updated_at: isoTime(comment.updatedAt),
  };
}

export function labelShape(world: World, { id, name, color, description }: Label) {
  return {
    id,
    node_id: nodeId('Label', id),
    url: `${placesOf(world).api}/labels/${encodeURIComponent(name)}`,
    name,
    color,
    default: false,
    description,
  };
}

/** The labels of these names. */
export function labelsOf({ tracker }: World, names: string[]): Label[] {
  return names.flatMap((name) => tracker.labels.get(name) ?? []);
}

export function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds);
}
