import { type Entry, type Process, sameProcess } from './entry.js';
import type { LostReason } from './outcome.js';
import { FUTURE_TOLERANCE, type Lease } from './policy.js';

/**
 * What may follow the newest entry of a log. Pure: all that counts comes in as arguments, and the
 * answer is a value that one place executes. Whoever creates the next entry has decided; a decision
 * made on an old view loses there.
 */

/** An entry that stands in the log. */
export interface Standing {
  sequence: number;
  sha: string;
  /** When the host stamped it, epoch milliseconds in whole seconds. */
  stamp: number;
  entry: Entry;
}

/** Which claim is meant: the chain, and the holder where this process knows it. */
export interface ClaimIdentity {
  chain: string;
  holder?: string;
}

export type Command =
  /** Get the key under a fresh identity; `presented` is the chain of a claim that this job may already hold. */
  | { type: 'claim'; identity: Required<ClaimIdentity>; agent: string; lease: Lease; presented?: string }
  /** Prove the claim by a fresh entry. */
  | { type: 'renew'; identity: ClaimIdentity }
  | { type: 'release'; identity: ClaimIdentity; ending: 'released' | 'failed' };

/** What a decision is made in. */
export interface Setting {
  key: string;
  process: Process;
  /** Free text for the entry. */
  text?: string;
}

export type Decision =
  | { type: 'append'; entry: Entry; outcome: 'claimed' | 'reentered' | 'taken-over' | 'renewed' | 'released' }
  | { type: 'refuse'; outcome: 'held' }
  | { type: 'refuse'; outcome: 'lost' | 'not-held'; reason: LostReason }
  | { type: 'refuse'; outcome: 'unreadable-entry'; problem: string };

/**
 * Decides a command on the tail of a key's log.
 * @param tail the newest entry, nothing for a log without entries
 * @param now the host's time in epoch milliseconds, at the earliest that it can be
 */
export function decide(
  tail: Standing | undefined,
  command: Command,
  setting: Setting,
  now: number,
): Decision {
  if (tail && tail.stamp > now + FUTURE_TOLERANCE) {
    return {
      type: 'refuse',
      outcome: 'unreadable-entry',
      problem: 'it is stamped more than a minute in the future',
    };
  }
  if (command.type === 'claim') return decideClaim(tail, command, setting, now);
  const { identity } = command;
  if (!tail || !isMine(tail.entry, identity, setting.process)) {
    const reason = lostReason(tail, identity);
    return { type: 'refuse', outcome: command.type === 'renew' ? 'lost' : 'not-held', reason };
  }
  return command.type === 'renew'
    ? { type: 'append', outcome: 'renewed', entry: continued(tail, 'renewed', setting) }
    : {
        type: 'append',
        outcome: 'released',
        entry: { ...continued(tail, 'released', setting), ending: command.ending },
      };
}

function decideClaim(
  tail: Standing | undefined,
  { identity, agent, lease, presented }: Command & { type: 'claim' },
  setting: Setting,
  now: number,
): Decision {
  const { key, process, text } = setting;
  const begun = (event: 'claimed' | 'taken-over'): Entry => ({
    event,
    key,
    generation: (tail?.entry.generation ?? 0) + 1,
    ...identity,
    agent,
    process,
    ...lease,
    ...(text && { text }),
  });
  if (!tail || !isHeld(tail.entry)) return { type: 'append', outcome: 'claimed', entry: begun('claimed') };
  if (presented !== undefined && isMine(tail.entry, { chain: presented }, process)) {
    return {
      type: 'append',
      outcome: 'reentered',
      entry: { ...continued(tail, 'renewed', setting), ...lease },
    };
  }
  if (now >= expiresAt(tail)) return { type: 'append', outcome: 'taken-over', entry: begun('taken-over') };
  return { type: 'refuse', outcome: 'held' };
}

/** The next entry of a tenure that goes on or ends: all of the tail, its lease too, but what this process adds. */
function continued(tail: Standing, event: 'renewed' | 'released', { process, text }: Setting): Entry {
  const { text: _, ...before } = tail.entry;
  return { ...before, event, process, since: sinceOf(tail), ...(text && { text }) };
}

/** Whether the entry leaves the key in somebody's hands (until its stamp + ttl). */
export function isHeld(entry: Entry): boolean {
  return entry.event !== 'released';
}

/**
 * Whether an entry keeps the claim that is meant, in this process's hands. Sharing a login never
 * means sharing a claim: the chain is random, and of two jobs that present it only the holder's counts.
 */
export function isMine(entry: Entry, { chain, holder }: ClaimIdentity, process: Process): boolean {
  if (!isHeld(entry) || entry.chain !== chain) return false;
  return holder === undefined ? sameProcess(entry.process, process) : entry.holder === holder;
}

/** From when on anybody may take over; binding is the ttl in the entry, not the reader's own. */
export function expiresAt(tail: Pick<Standing, 'stamp' | 'entry'>): number {
  return tail.stamp + tail.entry.ttl;
}

/** Whether an own entry still proves ownership by itself. `now`: the latest that the host's time can be. */
export function isFresh(own: Pick<Standing, 'stamp' | 'entry'>, now: number): boolean {
  return now - own.stamp < own.entry.renewDeadline;
}

/** When the tenure of an entry's holder began, epoch milliseconds. */
export function sinceOf(tail: Pick<Standing, 'stamp' | 'entry'>): number {
  return tail.entry.since ?? tail.stamp;
}

function lostReason(tail: Standing | undefined, { chain }: ClaimIdentity): LostReason {
  if (!tail) return 'none';
  return tail.entry.chain === chain && !isHeld(tail.entry) ? 'released' : 'taken-over';
}
