import type { Entry, Tenure } from './entry.js';
import { headOf } from './key.js';
import type { LostReason, Outcome } from './outcome.js';
import type { Lease } from './policy.js';
import {
  type ClaimIdentity,
  expiresAt,
  isHeld,
  isHeldTooLong,
  isMine,
  problemWith,
  readable,
  type Setting,
  type Standing,
  type Tail,
} from './state.js';
import { begin, continued, remember } from './tenure.js';

/**
 * What may follow the newest entry of a log. Pure: all that counts comes in as arguments, and the
 * answer is a value that one place executes. Whoever creates the next entry has decided; a decision
 * made on an old view loses there.
 */

/** The right to act against somebody's claim; `against` is the sha or the holder that was seen first. */
interface Force {
  against?: string;
}

export type Command =
  /** Get the key under a fresh identity. */
  | {
      type: 'claim';
      identity: Required<ClaimIdentity>;
      agent: string;
      lease: Lease;
      maxTakeovers: number;
      /** The chain of a claim that this job may already hold. */
      presented?: string;
      force?: Force;
      /** Whether an older claim of the same account is taken over, live as it may be. */
      sameActor?: boolean;
    }
  /** Prove the claim by a fresh entry. */
  | { type: 'renew'; identity: ClaimIdentity }
  | { type: 'release'; identity: ClaimIdentity; ending: 'released' | 'failed' | 'done' }
  /** Free somebody's claim without taking it; `identity` and `agent` are the freer's. */
  | { type: 'free'; identity: Required<ClaimIdentity>; agent: string; lease: Lease; force: Force }
  /** The item is closed: end what is held of it. */
  | { type: 'close' };

type Appended = Extract<
  Outcome,
  'claimed' | 'reentered' | 'taken-over' | 'forced' | 'renewed' | 'released' | 'done' | 'cleaned'
>;
export type Append = { type: 'append'; entry: Entry; outcome: Appended };
export type Refusal =
  | { type: 'refuse'; outcome: 'held' | 'done' | 'closed' | 'exhausted' }
  | { type: 'refuse'; outcome: 'lost' | 'not-held'; reason: LostReason }
  | { type: 'refuse'; outcome: 'unreadable-entry'; problem: string };
export type Decision = Append | Refusal;

/**
 * Decides a command on the tail of a key's log.
 * @param now the host's time in epoch milliseconds, at the earliest that it can be
 */
export function decide(tail: Tail, command: Command, setting: Setting, now: number): Decision {
  const problem = problemWith(tail, now);
  if (problem !== undefined && !isForced(command, tail)) {
    return { type: 'refuse', outcome: 'unreadable-entry', problem };
  }
  switch (command.type) {
    case 'claim':
      return decideClaim(tail, command, setting, now);
    case 'renew':
      return decideRenewal(readable(tail), command.identity, setting, now);
    case 'release':
      return decideRelease(readable(tail), command, setting);
    case 'free':
      return decideFree(tail, command, setting, now);
    case 'close':
      return decideClose(readable(tail), setting);
  }
}

/** Force is against the entry that was seen first; after a lost race it isn't applied to a new holder. */
export function aim(command: Command, tail: Tail): Command {
  if (!('force' in command) || !command.force || command.force.against !== undefined) return command;
  return { ...command, force: { against: markOf(tail) } } as Command;
}

function markOf(tail: Tail): string {
  if (!tail) return 'nobody';
  const standing = readable(tail);
  return standing && isHeld(standing.entry) ? standing.entry.holder : tail.sha;
}

function isForced(command: Command, tail: Tail): boolean {
  return 'force' in command && command.force !== undefined && command.force.against === markOf(tail);
}

function decideClaim(
  tail: Tail,
  command: Command & { type: 'claim' },
  setting: Setting,
  now: number,
): Decision {
  const { presented, sameActor, maxTakeovers } = command;
  const forced = isForced(command, tail);
  const begun = (
    event: 'claimed' | 'taken-over' | 'forced',
    how: Tenure['how'],
    takeovers: number,
  ): Append => ({
    type: 'append',
    outcome: event,
    entry: begin(tail, command, setting, now, { event, takeovers, how }),
  });
  if (!tail) return begun('claimed', 'released', 0);
  const standing = readable(tail);
  if (!standing || problemWith(tail, now)) return begun('forced', 'forced', 0);
  const { entry, author } = standing;
  if (entry.event === 'done') return { type: 'refuse', outcome: 'done' };
  if (!isHeld(entry)) {
    if (entry.notBefore !== undefined && now < entry.notBefore) {
      return forced ? begun('forced', 'closed', 0) : { type: 'refuse', outcome: 'closed' };
    }
    const goodEnd = entry.ending === 'released' || entry.ending === 'done' || entry.ending === 'forced';
    return begun('claimed', entry.ending ?? 'closed', goodEnd ? 0 : entry.takeovers);
  }
  if (presented !== undefined && isMine(entry, { chain: presented }, setting.process)) {
    const renewed = { ...continued(standing, 'renewed', setting), ...command.lease };
    return { type: 'append', outcome: 'reentered', entry: renewed };
  }
  if (now < expiresAt(standing)) {
    if (forced) return begun('forced', 'forced', 0);
    const same = sameActor && setting.author !== undefined && author === setting.author;
    return same ? begun('taken-over', 'superseded', entry.takeovers) : { type: 'refuse', outcome: 'held' };
  }
  if (entry.takeovers < maxTakeovers) return begun('taken-over', 'expired', entry.takeovers + 1);
  return forced ? begun('forced', 'expired', 0) : { type: 'refuse', outcome: 'exhausted' };
}

function decideRenewal(
  tail: Standing | undefined,
  identity: ClaimIdentity,
  setting: Setting,
  now: number,
): Decision {
  if (!tail || !isMine(tail.entry, identity, setting.process)) {
    return { type: 'refuse', outcome: 'lost', reason: lostReason(tail, identity) };
  }
  if (isHeldTooLong(tail, now)) return { type: 'refuse', outcome: 'lost', reason: 'expired' };
  return { type: 'append', outcome: 'renewed', entry: continued(tail, 'renewed', setting) };
}

function decideRelease(
  tail: Standing | undefined,
  { identity, ending }: Command & { type: 'release' },
  setting: Setting,
): Decision {
  if (!tail || !isMine(tail.entry, identity, setting.process)) {
    return { type: 'refuse', outcome: 'not-held', reason: lostReason(tail, identity) };
  }
  // Final only for a head: another push is another key. A resource or an issue must not be done for ever.
  if (ending === 'done' && headOf(tail.entry.key)) {
    return { type: 'append', outcome: 'done', entry: { ...continued(tail, 'done', setting), takeovers: 0 } };
  }
  const entry: Entry = { ...continued(tail, 'released', setting), ending };
  return {
    type: 'append',
    outcome: 'released',
    entry: ending === 'failed' ? entry : { ...entry, takeovers: 0 },
  };
}

function decideFree(
  tail: Tail,
  command: Command & { type: 'free' },
  setting: Setting,
  now: number,
): Decision {
  const standing = readable(tail);
  if (tail && (!standing || problemWith(tail, now))) {
    const entry = begin(tail, command, setting, now, { event: 'released', takeovers: 0, how: 'forced' });
    return { type: 'append', outcome: 'released', entry: { ...entry, ending: 'forced' } };
  }
  if (!standing || !isHeld(standing.entry)) {
    const reason = standing?.entry.event === 'done' ? 'done' : 'none';
    return { type: 'refuse', outcome: 'not-held', reason };
  }
  if (!isForced(command, tail)) return { type: 'refuse', outcome: 'not-held', reason: 'taken-over' };
  const entry: Entry = { ...continued(standing, 'released', setting), ending: 'forced', takeovers: 0 };
  return { type: 'append', outcome: 'released', entry };
}

function decideClose(tail: Standing | undefined, setting: Setting): Decision {
  if (!tail) return { type: 'refuse', outcome: 'not-held', reason: 'none' };
  const { event } = tail.entry;
  if (event === 'done' || event === 'closed') return { type: 'refuse', outcome: 'not-held', reason: event };
  const { ending: _, since: __, ...before } = continued(tail, 'closed', setting);
  const history = remember(tail, tail.entry.ending ?? 'closed', tail.stamp);
  // Whoever held it may still be at work: until its ttl has passed nobody else may begin.
  const entry: Entry = isHeld(tail.entry)
    ? { ...before, history, notBefore: expiresAt(tail) }
    : { ...before, history };
  return { type: 'append', outcome: 'cleaned', entry };
}

function lostReason(tail: Standing | undefined, { chain }: ClaimIdentity): LostReason {
  if (!tail) return 'none';
  const { event } = tail.entry;
  const ended = event === 'released' || event === 'closed' || event === 'done' ? event : undefined;
  return tail.entry.chain === chain && ended ? ended : 'taken-over';
}
