import { notFound, Refusal } from '../answers.js';
import type { Comment, Item } from '../state/item.js';
import type { World } from '../world.js';
import type { Call } from './route.js';

type Place = Pick<Call, 'world' | 'params'>;

/** The item that a path names; one that isn't there any more says where it went. */
export function itemOf(call: Place): Item {
  const item = find(call);
  if (!item) throw notFound();
  if (item.deleted) throw new Refusal(410, 'This issue was deleted');
  if (item.movedTo) throw moved(call.world, item.movedTo);
  return item;
}

/** The comment that a path names, and the item that it is on. */
export function commentOf({ world, params: { comment = '' } }: Place): { item: Item; comment: Comment } {
  const found = world.tracker.comment(idOfText(comment));
  if (!found) throw notFound();
  return found;
}

/** Whether a path is about an issue that is no pull request. */
export function isAboutIssue({ world, params }: Place): boolean {
  const { comment } = params;
  const item = comment ? world.tracker.comment(idOfText(comment))?.item : find({ world, params });
  return item !== undefined && !item.pull;
}

function find({ world, params: { number = '' } }: Place): Item | undefined {
  return world.tracker.item(idOfText(number));
}

/** 0, which nothing has, for what is no id. */
function idOfText(text: string): number {
  return /^[1-9]\d*$/.test(text) ? Number(text) : 0;
}

function moved(world: World, { repository = world.repository, number }: NonNullable<Item['movedTo']>) {
  return new Refusal(301, 'Moved Permanently', {
    location: `${world.url}/repos/${repository}/issues/${number}`,
  });
}
