import { invalid, Refusal } from '../answers.js';
import { issueShape } from '../shapes/item.js';
import type { Item } from '../state/item.js';
import type { World } from '../world.js';
import { itemOf } from './item.js';
import { fieldsOf, REPOSITORY, type Route } from './route.js';

const ASSIGNEES = `${REPOSITORY}/issues/:number/assignees`;

export const assigneeRoutes: Route[] = [
  {
    method: 'POST',
    path: ASSIGNEES,
    needs: 'item=write',
    act(call) {
      const { world, account, body } = call;
      const item = itemOf(call);
      assignAll(world, item, fieldsOf(body)['assignees'], account.login);
      return { status: 201, body: issueShape(world, item) };
    },
  },
  {
    method: 'DELETE',
    path: ASSIGNEES,
    needs: 'item=write',
    act(call) {
      const { world, account, body } = call;
      const item = itemOf(call);
      world.tracker.unassign(item, loginsOf(fieldsOf(body)['assignees']), account.login);
      return { status: 200, body: issueShape(world, item) };
    },
  },
];

/** Assigns those who can be; the others are dropped without a word. */
export function assignAll(world: World, item: Item, given: unknown, actor: string): void {
  const logins = world.people.toAssign(loginsOf(given), item.assignees);
  if (!logins) throw new Refusal(403, 'Forbidden');
  world.tracker.assign(item, logins, actor);
}

export function replaceAssignees(world: World, item: Item, given: unknown, actor: string): void {
  const logins = loginsOf(given);
  const gone = item.assignees.filter((login) => !logins.includes(login));
  world.tracker.unassign(item, gone, actor);
  assignAll(world, item, logins, actor);
}

function loginsOf(given: unknown): string[] {
  if (Array.isArray(given) && given.every((login) => typeof login === 'string')) return given;
  throw invalid('Issue', 'assignees');
}
