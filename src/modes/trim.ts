import { ClaimError } from '../engine/outcome.js';
import { SUPERSEDED_AGE } from '../engine/policy.js';
import type { Commit, Slot } from '../ports.js';
import type { Base } from '../protocol/transact.js';
import type { World } from './world.js';

/** From how many entries on a log is trimmed at a release; before that it isn't worth a request. */
const TRIM_FROM = 24;
/** So many at once, as a post step has little time. */
const TRIM_AT_MOST = 30;

/**
 * The entries that may go: from the lowest up, each whose successor is old enough that nobody can
 * still act on the log as it was before it (rule 6). The newest is never among them.
 * @param now the host's time, epoch milliseconds
 */
export function superseded(slots: Slot[], commits: Map<string, Pick<Commit, 'stamp'>>, now: number): Slot[] {
  const run: Slot[] = [];
  for (const [index, slot] of slots.entries()) {
    const next = slots[index + 1];
    const stamp = next && commits.get(next.sha)?.stamp;
    if (stamp === undefined || now - stamp < SUPERSEDED_AGE) break;
    run.push(slot);
  }
  return run;
}

/** Keeps the log of a key that no sweep visits from growing for ever. What fails is left for the next time. */
export async function trim({ protocol: { store } }: World, key: string, base: Base): Promise<string[]> {
  const slots = base.slots ?? [];
  if (slots.length < TRIM_FROM) return [];
  try {
    const lowest = slots.slice(0, TRIM_AT_MOST + 1);
    const commits = await store.readAll(lowest.map(({ sha }) => sha));
    await store.remove(key, superseded(lowest, commits, base.now));
    return [];
  } catch (error) {
    if (!(error instanceof ClaimError)) throw error;
    return [`Old entries of ${key} stay for now: ${error.message}`];
  }
}
