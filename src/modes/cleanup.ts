import { decode } from '../engine/entry.js';
import { itemKey, keyPrefix, shortKey } from '../engine/key.js';
import { ClaimError } from '../engine/outcome.js';
import { DECISION_AGE, LAST_ENTRY_AGE } from '../engine/policy.js';
import { readable, type Tail } from '../engine/state.js';
import type { Commit, Item, Slot } from '../ports.js';
import { earliest } from '../protocol/context.js';
import { transact } from '../protocol/transact.js';
import { superseded } from './trim.js';
import type { Report, World } from './world.js';

export interface CleanupRequest {
  number: number;
  kind: Item['kind'] | undefined;
  /** Free text for the entries. */
  text?: string;
}

interface Tally {
  keys: number;
  closed: number;
  deleted: number;
  left: number;
  warnings: string[];
}

/** Ends what is held of a closed item, and deletes what nobody can still act on (rules 6 and 9). */
export async function cleanup({ number, kind, text }: CleanupRequest, world: World): Promise<Report> {
  const { store } = world.protocol;
  const [item, { logs, time }] = await Promise.all([
    readItem(number, kind, world),
    store.list(keyPrefix(itemKey(number))),
  ]);
  const name = itemKey(number);
  if (item?.open) return { outcome: 'cleaned', message: `Nothing to clean: ${name} is open`, item };
  const tally: Tally = { keys: logs.size, closed: 0, deleted: 0, left: 0, warnings: [] };
  if (logs.size === 0)
    return { outcome: 'cleaned', message: `Nothing to clean: ${name} has no claims`, item };

  const shas = [...logs.values()].flat().map(({ sha }) => sha);
  const commits = await store.readAll(shas);
  for (const [key, slots] of logs) {
    try {
      await cleanKey(
        {
          key,
          slots,
          commits,
          date: time.date,
          now: earliest(time, world.protocol.clock),
          at: time.receivedAt,
          text,
        },
        tally,
        world,
      );
    } catch (error) {
      // One key's failure is for its next run; the others go on.
      if (!(error instanceof ClaimError)) throw error;
      tally.left += slots.length;
      tally.warnings.push(`${shortKey(key)} is left for the next run: ${error.message}`);
    }
  }
  return {
    outcome: 'cleaned',
    message: tellTally(name, tally),
    item,
    now: time.date,
    warnings: tally.warnings,
  };
}

/** The item; nothing for one that was deleted or moved, which is as closed as can be. */
async function readItem(
  number: number,
  kind: Item['kind'] | undefined,
  { tracker }: World,
): Promise<Item | undefined> {
  try {
    return await tracker.item(number, kind);
  } catch (error) {
    if (error instanceof ClaimError && error.outcome === 'invalid-input') return undefined;
    throw error;
  }
}

interface Log {
  key: string;
  slots: Slot[];
  commits: Map<string, Commit>;
  date: number;
  now: number;
  /** When the list was answered, on this process's monotonic clock. */
  at: number;
  text: string | undefined;
}

async function cleanKey(log: Log, tally: Tally, world: World): Promise<void> {
  const { key, slots, commits, date, now, at, text } = log;
  const { protocol, process } = world;
  const tail = tailOf(log);
  if (!tail) return;
  const setting = { key, process, ...(text && { text }) };
  const base = { tail, date, now, at };
  const transaction = { command: { type: 'close' as const }, setting, save: () => {} };
  const result = await transact(protocol, transaction, { base });
  const run = superseded(slots, commits, now);
  const standing = readable(tail);
  if (result.type === 'stands') tally.closed += 1;
  else if (standing && now - standing.stamp >= LAST_ENTRY_AGE && run.length === slots.length - 1)
    run.push(...slots.slice(-1));
  tally.left += slots.length - run.length + (result.type === 'stands' ? 1 : 0);
  // By name a ref of another life could be hit: an old list deletes nothing.
  if (protocol.clock.monotonic() - at > DECISION_AGE) {
    tally.left += run.length;
    return;
  }
  await protocol.store.remove(key, run);
  tally.deleted += run.length;
}

/** The newest of a listed log; its commit may not be there yet, and then nothing can be said of it. */
function tailOf({ key, slots, commits }: Log): Tail {
  const top = slots.at(-1);
  const commit = top && commits.get(top.sha);
  if (!commit)
    throw new ClaimError(
      'unavailable',
      `unavailable: the newest entry of ${shortKey(key)} can't be read yet`,
    );
  const decoded = decode(commit.message, key);
  if ('problem' in decoded) return { ...top, problem: decoded.problem };
  return { ...top, stamp: commit.stamp, author: commit.author, entry: decoded.entry };
}

function tellTally(name: string, { keys, closed, deleted, left }: Tally): string {
  const entries = (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'}`;
  return `Cleaned ${name}: ${keys} ${keys === 1 ? 'key' : 'keys'}, ${closed} closed now, ${entries(deleted)} deleted, ${left} left for a later run`;
}
