/** How long things last. Every time in the engine is in milliseconds. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The lease of one claim; it is written into each entry and binds every reader of it. */
export interface Lease {
  /** A held entry this old is stale: anybody may take the claim over. */
  ttl: number;
  /** A renewal older than this proves nothing to its own holder any more. */
  renewDeadline: number;
  /** No tenure is renewed for longer than this. */
  maxHold: number;
}

export const DEFAULT_LEASE: Lease = { ttl: 10 * MINUTE, renewDeadline: 5 * MINUTE, maxHold: 360 * MINUTE };
/** So many holders in a row may be taken over without a good end. */
export const DEFAULT_MAX_TAKEOVERS = 3;
/** An entry may be deleted once the one after it is this old: no reader of the log as it was is left (rule 6). */
export const SUPERSEDED_AGE = 60 * MINUTE;
/** A closed or finished key's last entry stays for this long. */
export const LAST_ENTRY_AGE = 24 * 60 * MINUTE;

/** A clock that is ahead by more than this isn't a clock: the entry is refused (rule 11). */
export const FUTURE_TOLERANCE = MINUTE;
/** A decision older than this is made again before anything is created (rule 4). */
export const DECISION_AGE = 2 * MINUTE;
/** After a longer time between a read and a create, the slot may have been used before (rule 2). */
export const SLOT_AGE = 10 * MINUTE;
/** How long an unclear answer is asked again (rule 3). */
export const CLEAR_DEADLINE = MINUTE;
/** The same in the post step, which has little time when a run is cancelled. */
export const CLEAR_DEADLINE_IN_POST = 20 * SECOND;

const SHORTEST_TTL = 4 * SECOND;
const LONGEST_TTL = 7 * 24 * 60 * MINUTE;

/** The renew deadline for a ttl when none was asked for: the usual one, or half of a shorter ttl. */
export function defaultRenewDeadline(ttl: number): number {
  return Math.min(DEFAULT_LEASE.renewDeadline, Math.floor(ttl / 2 / SECOND) * SECOND);
}

/** What makes a lease unsafe, as sentences for its user; empty if it is sound. */
export function leaseProblems({ ttl, renewDeadline, maxHold }: Lease): string[] {
  const problems: string[] = [];
  if (ttl < SHORTEST_TTL || ttl > LONGEST_TTL) problems.push('ttl must be between 4s and 7d');
  if (renewDeadline < SECOND) problems.push('renew-deadline must be 1s or longer');
  if (renewDeadline > ttl / 2) {
    problems.push(
      'renew-deadline must be at most half of ttl, or a slow holder and its successor could both work',
    );
  }
  if (maxHold < ttl) problems.push('max-hold must be at least ttl');
  return problems;
}

/** Sound but thin: less than a minute is left for clocks, lag and a write under way. */
export function isThin({ ttl, renewDeadline }: Lease): boolean {
  return ttl - renewDeadline < MINUTE;
}
