import { invalid, notFound, Refusal } from '../answers.js';
import { labelShape, labelsOf } from '../shapes/item.js';
import type { Item } from '../state/item.js';
import { keyOf } from '../state/labels.js';
import type { World } from '../world.js';
import { itemOf } from './item.js';
import { pageOf } from './pages.js';
import { type Call, fieldsOf, PAGES, REPOSITORY, type Route } from './route.js';

export const labelRoutes: Route[] = [
  {
    method: 'GET',
    path: `${REPOSITORY}/labels`,
    needs: 'item=read',
    query: PAGES,
    act(call) {
      const { items, headers } = pageOf(call, call.world.tracker.labels.all());
      return { status: 200, body: items.map((label) => labelShape(call.world, label)), headers };
    },
  },
  {
    method: 'POST',
    path: `${REPOSITORY}/labels`,
    needs: 'item=write',
    act: createLabel,
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/labels/*name`,
    needs: 'item=read',
    act({ world, params: { name = '' } }) {
      const label = world.tracker.labels.get(name);
      if (!label) throw notFound();
      return { status: 200, body: labelShape(world, label) };
    },
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/issues/:number/labels`,
    needs: 'item=read',
    query: PAGES,
    act(call) {
      const { items, headers } = pageOf(call, shapesOf(call, itemOf(call)));
      return { status: 200, body: items, headers };
    },
  },
  {
    method: 'POST',
    path: `${REPOSITORY}/issues/:number/labels`,
    needs: 'item=write',
    act(call) {
      const item = itemOf(call);
      const { labels = call.body } = fieldsOf(call.body);
      call.world.tracker.label(item, namesOf(labels), call.account.login);
      return { status: 200, body: shapesOf(call, item) };
    },
  },
  {
    method: 'DELETE',
    path: `${REPOSITORY}/issues/:number/labels/*name`,
    needs: 'item=write',
    act(call) {
      const { world, account, params } = call;
      const item = itemOf(call);
      const removed = world.tracker.unlabel(item, params['name'] ?? '', account.login);
      if (!removed) throw new Refusal(404, 'Label does not exist');
      return { status: 200, body: shapesOf(call, item) };
    },
  },
];

const LONGEST_NAME = 50;

function createLabel({ world, body }: Call) {
  const { name, color, description = null } = fieldsOf(body);
  if (typeof name !== 'string') throw invalid('Label', 'name', 'missing_field');
  if (color !== undefined && !(typeof color === 'string' && /^[0-9a-f]{6}$/i.test(color))) {
    throw invalid('Label', 'color');
  }
  if (description !== null && typeof description !== 'string') throw invalid('Label', 'description');
  const [good = ''] = namesOf([name]);
  const label = world.tracker.labels.create(good, color as string | undefined, description);
  if (!label) throw invalid('Label', 'name', 'already_exists');
  const shape = labelShape(world, label);
  return { status: 201, body: shape, headers: { location: shape.url } };
}

function shapesOf({ world }: Call, item: Item) {
  return labelsOf(world, item.labels).map((label) => labelShape(world, label));
}

export function replaceLabels({ tracker }: World, item: Item, given: unknown, actor: string): void {
  const names = namesOf(given);
  const kept = new Set(names.map(keyOf));
  for (const name of item.labels.filter((each) => !kept.has(keyOf(each)))) tracker.unlabel(item, name, actor);
  tracker.label(item, names, actor);
}

/** The names that a request lists, as texts or as objects with a name. */
export function namesOf(labels: unknown): string[] {
  if (!Array.isArray(labels)) throw invalid('Label', 'labels');
  return labels.map((label: unknown) => {
    const name = typeof label === 'string' ? label : fieldsOf(label)['name'];
    if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME) throw invalid('Label', 'name');
    return name;
  });
}
