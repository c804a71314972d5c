import { invalid } from '../answers.js';
import { issueShape } from '../shapes/item.js';
import type { Item, StateReason } from '../state/item.js';
import { keyOf } from '../state/labels.js';
import { assignAll, replaceAssignees } from './assignees.js';
import { itemOf } from './item.js';
import { namesOf, replaceLabels } from './labels.js';
import { pageOf } from './pages.js';
import { type Call, fieldsOf, PAGES, REPOSITORY, type Route, sinceOf } from './route.js';

export const issueRoutes: Route[] = [
  {
    method: 'GET',
    path: `${REPOSITORY}/issues`,
    needs: 'issues=read',
    query: [...PAGES, 'state', 'labels', 'assignee', 'creator', 'since', 'sort', 'direction'],
    act(call) {
      const { items, headers } = pageOf(call, listOf(call));
      return { status: 200, body: items.map((item) => issueShape(call.world, item)), headers };
    },
  },
  {
    method: 'POST',
    path: `${REPOSITORY}/issues`,
    needs: 'issues=write',
    act: createIssue,
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/issues/:number`,
    needs: 'issues=read',
    act: (call) => ({ status: 200, body: issueShape(call.world, itemOf(call)) }),
  },
  {
    method: 'PATCH',
    path: `${REPOSITORY}/issues/:number`,
    needs: 'item=write',
    act: updateIssue,
  },
];

/** The issues and pull requests that a query asks for, in the order that it asks for. */
function listOf({ world, query }: Call): Item[] {
  const state = query.get('state') ?? 'open';
  if (!['open', 'closed', 'all'].includes(state)) throw invalid('Issue', 'state');
  const wanted = (query.get('labels') ?? '').split(',').filter(Boolean).map(keyOf);
  const assignee = query.get('assignee') ?? '*any';
  const creator = query.get('creator');
  const since = sinceOf(query);
  const matching = world.tracker.all().filter((item) => {
    const labels = item.labels.map(keyOf);
    return (
      !item.deleted &&
      !item.movedTo &&
      (state === 'all' || item.state === state) &&
      wanted.every((name) => labels.includes(name)) &&
      isAssigned(item, assignee) &&
      (creator === null || item.author === creator) &&
      item.updatedAt >= since
    );
  });
  return sorted(matching, query.get('sort') ?? 'created', query.get('direction') ?? 'desc');
}

/** `none`, `*` for anybody, or a login; `*any` is what it is without that parameter. */
function isAssigned({ assignees }: Item, wanted: string): boolean {
  if (wanted === '*any') return true;
  if (wanted === 'none') return assignees.length === 0;
  return wanted === '*' ? assignees.length > 0 : assignees.includes(wanted);
}

function sorted(items: Item[], by: string, direction: string): Item[] {
  const keys: Record<string, (item: Item) => number> = {
    created: ({ createdAt }) => createdAt,
    updated: ({ updatedAt }) => updatedAt,
    comments: ({ comments }) => comments.length,
  };
  const key = keys[by];
  if (!key) throw invalid('Issue', 'sort');
  const sign = direction === 'asc' ? 1 : -1;
  return items.sort((a, b) => sign * (key(a) - key(b) || a.number - b.number));
}

function createIssue({ world, account: { login }, body }: Call) {
  const { title, body: text, labels, assignees } = fieldsOf(body);
  if (typeof title !== 'string' || title === '') throw invalid('Issue', 'title', 'missing_field');
  const { tracker } = world;
  const number = Math.max(0, ...tracker.all().map((item) => item.number)) + 1;
  const item = tracker.add({
    number,
    title,
    author: login,
    labels: labels === undefined ? [] : namesOf(labels),
    ...(typeof text === 'string' && { body: text }),
  });
  if (assignees !== undefined) assignAll(world, item, assignees, login);
  const shape = issueShape(world, item);
  return { status: 201, body: shape, headers: { location: shape.url } };
}

function updateIssue(call: Call) {
  const { world, account, body } = call;
  const { login } = account;
  const { tracker } = world;
  const item = itemOf(call);
  const { title, body: text, state, state_reason: reason, labels, assignees } = fieldsOf(body);
  if (state !== undefined && state !== 'open' && state !== 'closed') throw invalid('Issue', 'state');
  if (typeof title === 'string') tracker.rename(item, title, login);
  if (typeof text === 'string' || text === null) tracker.describe(item, text, login);
  if (labels !== undefined) replaceLabels(world, item, labels, login);
  if (assignees !== undefined) replaceAssignees(world, item, assignees, login);
  if (state === 'closed') tracker.close(item, login, { reason: (reason ?? 'completed') as StateReason });
  if (state === 'open') tracker.reopen(item, login);
  return { status: 200, body: issueShape(world, item) };
}
