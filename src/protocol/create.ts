import { entryRef } from '../engine/key.js';
import { ClaimError } from '../engine/outcome.js';
import { isHeld, type Standing } from '../engine/state.js';
import type { HostTime } from '../ports.js';
import { Patience, type Protocol } from './context.js';
import { observe, type View } from './observe.js';

/** What became of an entry: it stands, or its slot is another's, with the log as seen then. */
export type Created = { stands: true; time: HostTime } | { stands: false; seen: View };

/**
 * Creates an entry's ref, asking again with the same commit until the answer is clear (rule 3).
 *
 * Throws `ambiguous` past the deadline if a try may have acted, and the host's refusal if none can have.
 * Standing isn't owning: that the caller must judge by the entry's age.
 */
export async function createUntilClear(protocol: Protocol, key: string, entry: Standing): Promise<Created> {
  const patience = new Patience(protocol);
  let lost = '';
  for (;;) {
    const answer = await ask(protocol, key, entry, lost);
    if (answer.type === 'created') return { stands: true, time: answer.time };
    if (answer.type === 'exists') return readBack(protocol, key, entry);
    if (answer.type === 'unclear') lost = answer.problem;
    const pause = answer.type === 'limited' ? answer.retryAfter : 0;
    if (await patience.wait(pause)) continue;
    if (lost) throw ambiguous(key, entry, lost);
    throw new ClaimError(
      'rate-limited',
      `rate-limited: the host refuses to create ${entryRef(key, entry.sequence)} before ${Math.ceil(pause / 1_000)}s have passed (${answer.problem}); nothing was created, run again then`,
      { retryAfter: pause },
    );
  }
}

/** One try. A refusal after a lost answer says nothing about the try before it. */
async function ask(protocol: Protocol, key: string, entry: Standing, lost: string) {
  try {
    return await protocol.store.create(key, entry.sequence, entry.sha);
  } catch (error) {
    if (lost && error instanceof ClaimError) throw ambiguous(key, entry, `${lost}; then ${error.message}`);
    throw error;
  }
}

/**
 * The slot is taken: mine, if an earlier try of mine acted. An entry that holds the key is believed only
 * while it is the newest; what came after it decides otherwise.
 */
async function readBack(protocol: Protocol, key: string, entry: Standing): Promise<Created> {
  const seen = await observe(protocol, key, { floor: entry.sequence, entries: [entry] }).catch((error) => {
    if (error instanceof ClaimError && error.outcome === 'unavailable')
      throw ambiguous(key, entry, error.message);
    throw error;
  });
  const mine = seen.slots.some(({ sequence, sha }) => sequence === entry.sequence && sha === entry.sha);
  const counts = seen.tail?.sha === entry.sha || !isHeld(entry.entry);
  return mine && counts ? { stands: true, time: seen.listed } : { stands: false, seen };
}

function ambiguous(key: string, entry: Standing, problem: string): ClaimError {
  return new ClaimError(
    'ambiguous',
    `ambiguous: whether ${entryRef(key, entry.sequence)} was created isn't known (${problem}); if it was, it lapses by its ttl of ${entry.entry.ttl / 1_000}s. Run again later`,
  );
}
