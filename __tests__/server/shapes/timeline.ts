import type { Happening, Item } from '../state/item.js';
import { isoTime, nodeId, placesOf, type World } from '../world.js';
import { accountShape } from './account.js';
import { type Commit, gitCommitShape } from './commit.js';
import { commentShape, issueShape } from './item.js';

/** An event of an item's timeline; nothing where what it is about isn't there any more. */
export function happeningShape(world: World, item: Item, happening: Happening): object | undefined {
  const { event, actor, at } = happening;
  switch (happening.event) {
    case 'commented': {
      const comment = item.comments.find(({ id }) => id === happening.comment);
      return comment && { ...commentShape(world, item, comment), event, actor: accountShape(world, actor) };
    }
    case 'cross-referenced': {
      const source = world.tracker.item(happening.source);
      const when = { created_at: isoTime(at), updated_at: isoTime(at) };
      const from = source && { type: 'issue', issue: issueShape(world, source) };
      return from && { event, actor: accountShape(world, actor), ...when, source: from };
    }
    case 'assigned':
    case 'unassigned':
      return { ...eventShape(world, happening), assignee: accountShape(world, happening.assignee) };
    case 'labeled':
    case 'unlabeled':
      return { ...eventShape(world, happening), label: happening.label };
    case 'renamed':
      return { ...eventShape(world, happening), rename: { from: happening.from, to: happening.to } };
    case 'closed':
      return { ...eventShape(world, happening), state_reason: happening.reason };
    default:
      return eventShape(world, happening);
  }
}

/** A commit of a pull request: an event with no actor and no time but those of its signatures. */
export function committedShape(world: World, commit: Commit) {
  return { ...gitCommitShape(world, commit), event: 'committed' };
}

function eventShape(world: World, { id, event, actor, at }: Happening) {
  return {
    id,
    node_id: nodeId('Event', id),
    url: `${placesOf(world).api}/issues/events/${id}`,
    actor: accountShape(world, actor),
    event,
    commit_id: null,
    commit_url: null,
    created_at: isoTime(at),
    performed_via_github_app: null,
  };
}
