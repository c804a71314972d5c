import { type Entry, type Process, sameProcess } from './entry.js';
import { FUTURE_TOLERANCE } from './policy.js';

/** What the newest entry of a log says of its key. */

/** An entry that stands in the log. */
export interface Standing {
  sequence: number;
  sha: string;
  /** When the host stamped it, epoch milliseconds in whole seconds. */
  stamp: number;
  /** The account that the host stamped it with. */
  author: string;
  entry: Entry;
}

/** The newest ref of a log where that is no entry that anybody may build on. */
interface Unreadable {
  sequence: number;
  sha: string;
  /** Why, as the end of a sentence that begins with the ref. */
  problem: string;
}

/** The newest of a log; nothing where the log is empty. */
export type Tail = Standing | Unreadable | undefined;

/** What a decision is made in. */
export interface Setting {
  key: string;
  process: Process;
  /** The account that the host stamps this process's entries with, where that is known already. */
  author?: string;
  /** Free text for the entry. */
  text?: string;
}

/** Which claim is meant: the chain, and the holder where this process knows it. */
export interface ClaimIdentity {
  chain: string;
  holder?: string;
}

/** What keeps anybody from building on the tail (rule 11). */
export function problemWith(tail: Tail, now: number): string | undefined {
  if (tail && 'problem' in tail) return tail.problem;
  return tail && tail.stamp > now + FUTURE_TOLERANCE
    ? 'it is stamped more than a minute in the future'
    : undefined;
}

/** The tail as an entry; nothing where there is none that can be read. */
export function readable(tail: Tail): Standing | undefined {
  return tail && 'entry' in tail ? tail : undefined;
}

/** Whether the entry leaves the key in somebody's hands (until its stamp + ttl). */
export function isHeld({ event }: Entry): boolean {
  return event !== 'released' && event !== 'closed' && event !== 'done';
}

/**
 * Whether an entry keeps the claim that is meant, in this process's hands. Sharing a login never
 * means sharing a claim: the chain is random, and of two jobs that present it only the holder's counts.
 */
export function isMine(entry: Entry, { chain, holder }: ClaimIdentity, process: Process): boolean {
  if (!isHeld(entry) || entry.chain !== chain || !sameProcess(entry.process, process)) return false;
  return holder === undefined || entry.holder === holder;
}

/** From when on anybody may take over; binding is the ttl in the entry, not the reader's own. */
export function expiresAt(tail: Pick<Standing, 'stamp' | 'entry'>): number {
  return tail.stamp + tail.entry.ttl;
}

/**
 * Whether an own entry still proves ownership by itself.
 * @param now the latest that the host's time can be
 */
export function isFresh(own: Pick<Standing, 'stamp' | 'entry'>, now: number): boolean {
  return now - own.stamp < own.entry.renewDeadline;
}

/** Whether a tenure has lasted for as long as one may. */
export function isHeldTooLong(tail: Pick<Standing, 'stamp' | 'entry'>, now: number): boolean {
  return now - sinceOf(tail) >= tail.entry.maxHold;
}

/** When the tenure of an entry's holder began, epoch milliseconds. */
export function sinceOf(tail: Pick<Standing, 'stamp' | 'entry'>): number {
  return tail.entry.since ?? tail.stamp;
}
