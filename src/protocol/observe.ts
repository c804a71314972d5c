import { decode } from '../engine/entry.js';
import { entryRef, keyPrefix } from '../engine/key.js';
import { ClaimError } from '../engine/outcome.js';
import type { Standing, Tail } from '../engine/state.js';
import type { HostTime, Slot } from '../ports.js';
import { Patience, type Protocol } from './context.js';

/** A key's log as the host showed it. */
export interface View {
  /** The newest of the log. */
  tail: Tail;
  slots: Slot[];
  /** When the slots were listed: what follows from the list is as old as that. */
  listed: HostTime;
  /** When the newest answer was given; the commit of the tail may have been read after the list. */
  time: HostTime;
}

export interface Known {
  /** The log reaches at least up to this sequence; a list that ends below it is stale (rule 5). */
  floor?: number;
  /** Entries that needn't be read again if one of them is the tail. */
  entries?: (Standing | undefined)[];
}

/**
 * Lists a key's log and reads its tail. A list that lags behind what is known, or a commit that
 * can't be found yet, is unknown rather than free: it is asked again until the deadline.
 */
export async function observe(protocol: Protocol, key: string, known: Known = {}): Promise<View> {
  const floor = known.floor ?? 0;
  const patience = new Patience(protocol);
  for (;;) {
    const { slots, time } = await protocol.store.observe(key);
    const top = slots.at(-1);
    if (!top && floor === 0) return { tail: undefined, slots, listed: time, time };
    if (top && top.sequence >= floor) {
      const familiar = known.entries?.find(
        (entry) => entry?.sha === top.sha && entry.sequence === top.sequence,
      );
      if (familiar) return { tail: familiar, slots, listed: time, time };
      const read = await readEntry(protocol, key, top);
      if (read) return { ...read, slots, listed: time };
    }
    if (!(await patience.wait())) throw lagging(key, top, floor);
  }
}

async function readEntry(
  protocol: Protocol,
  key: string,
  slot: Slot,
): Promise<Pick<View, 'tail' | 'time'> | undefined> {
  const read = await protocol.store.read(slot.sha);
  if (!read) return undefined;
  const { commit, time } = read;
  const decoded = decode(commit.message, key);
  if ('problem' in decoded) return { tail: { ...slot, problem: decoded.problem }, time };
  const { stamp, author } = commit;
  return { tail: { ...slot, stamp, author, entry: decoded.entry }, time };
}

function lagging(key: string, top: Slot | undefined, floor: number): ClaimError {
  const missing = top && top.sequence >= floor ? top.sequence : floor;
  return new ClaimError(
    'unavailable',
    `unavailable: the host's list of ${keyPrefix(key)}* lags behind or its refs were deleted: ${entryRef(key, missing)} is known but can't be read; run again later`,
  );
}
