import type { ServerClock } from '../clock.js';
import type { Comment, Event, Happening, Item, NewItem, StateReason } from './item.js';
import { keyOf, Labels } from './labels.js';

/** The issues and pull requests of a repository. Each change is stamped by the host's clock and kept as an event. */
export class Tracker {
  readonly labels = new Labels();
  readonly #clock: ServerClock;
  readonly #owner: string;
  readonly #items = new Map<number, Item>();
  #lastId = 0;

  constructor(clock: ServerClock, owner: string) {
    this.#clock = clock;
    this.#owner = owner;
  }

  /** Adds an item; one of the same number is replaced. */
  add(given: NewItem): Item {
    const { number, title = `Item ${number}`, body = null, author = this.#owner, pull } = given;
    const now = this.#clock.now();
    const closed = given.state === 'closed';
    const item: Item = {
      ...{ number, title, body, author },
      ...{ state: given.state ?? 'open', stateReason: closed && !pull ? 'completed' : null },
      ...{ labels: [], assignees: [], comments: [], events: [] },
      ...{ createdAt: now, updatedAt: now, closedAt: closed ? now : null, closedBy: closed ? author : null },
      ...(pull && {
        pull: { head: pull.head, ref: pull.ref ?? `topic-${number}`, mergedAt: pull.merged ? now : null },
      }),
      ...(given.movedTo && { movedTo: given.movedTo }),
      ...(given.deleted && { deleted: true }),
    };
    this.#items.set(number, item);
    this.label(item, given.labels ?? [], author);
    this.assign(item, given.assignees ?? [], author);
    this.#refer(item, body, author);
    return item;
  }

  item(number: number): Item | undefined {
    return this.#items.get(number);
  }

  /** By number. */
  all(): Item[] {
    return [...this.#items.values()].sort((a, b) => a.number - b.number);
  }

  /** The comment of an id, with the item that it is on. */
  comment(id: number): { item: Item; comment: Comment } | undefined {
    for (const item of this.#items.values()) {
      const comment = item.comments.find((each) => each.id === id);
      if (comment) return { item, comment };
    }
    return undefined;
  }

  /** Puts labels on an item; those that the repository doesn't have are made. */
  label(item: Item, names: string[], actor: string): void {
    for (const given of names) {
      const label = this.labels.get(given) ?? this.labels.create(given);
      if (!label || item.labels.includes(label.name)) continue;
      item.labels.push(label.name);
      const { name, color } = label;
      this.#note(item, actor, { event: 'labeled', label: { name, color } });
    }
  }

  /** Takes a label off; false if it isn't there. */
  unlabel(item: Item, given: string, actor: string): boolean {
    const label = this.labels.get(given);
    const index = item.labels.findIndex((name) => keyOf(name) === keyOf(given));
    if (!label || index < 0) return false;
    item.labels.splice(index, 1);
    const { name, color } = label;
    this.#note(item, actor, { event: 'unlabeled', label: { name, color } });
    return true;
  }

  assign(item: Item, logins: string[], actor: string): void {
    for (const assignee of logins) {
      if (item.assignees.includes(assignee)) continue;
      item.assignees.push(assignee);
      this.#note(item, actor, { event: 'assigned', assignee });
    }
  }

  unassign(item: Item, logins: string[], actor: string): void {
    for (const assignee of logins) {
      const index = item.assignees.indexOf(assignee);
      if (index < 0) continue;
      item.assignees.splice(index, 1);
      this.#note(item, actor, { event: 'unassigned', assignee });
    }
  }

  write(item: Item, body: string, author: string): Comment {
    const now = this.#clock.now();
    const comment = { id: ++this.#lastId, author, body, createdAt: now, updatedAt: now };
    item.comments.push(comment);
    this.#note(item, author, { event: 'commented', comment: comment.id });
    this.#refer(item, body, author);
    return comment;
  }

  rewrite(item: Item, comment: Comment, body: string, actor: string): void {
    comment.body = body;
    comment.updatedAt = this.#clock.now();
    item.updatedAt = comment.updatedAt;
    this.#refer(item, body, actor);
  }

  erase(item: Item, comment: Comment): void {
    item.comments = item.comments.filter((each) => each !== comment);
    item.events = item.events.filter((each) => !(each.event === 'commented' && each.comment === comment.id));
    item.updatedAt = this.#clock.now();
  }

  rename(item: Item, title: string, actor: string): void {
    if (title === item.title) return;
    this.#note(item, actor, { event: 'renamed', from: item.title, to: title });
    item.title = title;
  }

  describe(item: Item, body: string | null, actor: string): void {
    item.body = body;
    item.updatedAt = this.#clock.now();
    this.#refer(item, body, actor);
  }

  close(item: Item, actor: string, { merged = false, reason = 'completed' as StateReason } = {}): void {
    if (item.state === 'closed') return;
    if (item.pull && merged) {
      this.#note(item, actor, { event: 'merged' });
      item.pull.mergedAt = item.updatedAt;
    }
    const stateReason = item.pull ? null : reason;
    this.#note(item, actor, { event: 'closed', reason: stateReason });
    Object.assign(item, { state: 'closed', stateReason, closedAt: item.updatedAt, closedBy: actor });
  }

  /** A merged pull request stays closed. */
  reopen(item: Item, actor: string): void {
    if (item.state === 'open' || item.pull?.mergedAt) return;
    this.#note(item, actor, { event: 'reopened' });
    Object.assign(item, {
      state: 'open',
      stateReason: item.pull ? null : 'reopened',
      closedAt: null,
      closedBy: null,
    });
  }

  /** Moves a pull request's head. */
  push(item: Item, head: string): void {
    if (!item.pull) throw new Error(`#${item.number} is no pull request`);
    item.pull.head = head;
    item.updatedAt = this.#clock.now();
  }

  #note(item: Item, actor: string, event: Event): void {
    const at = this.#clock.now();
    const happening: Happening = { id: ++this.#lastId, actor, at, ...event };
    item.events.push(happening);
    item.updatedAt = at;
  }

  /** What a text names with `#7` is told of it, once. */
  #refer(from: Item, text: string | null, actor: string): void {
    const source = from.number;
    for (const [, number] of (text ?? '').matchAll(/#(\d+)\b/g)) {
      const item = this.#items.get(Number(number));
      if (!item || item === from) continue;
      const known = item.events.some((each) => each.event === 'cross-referenced' && each.source === source);
      if (!known) this.#note(item, actor, { event: 'cross-referenced', source });
    }
  }
}
