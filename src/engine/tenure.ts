import { type Entry, runNumber, type Tenure } from './entry.js';
import type { Lease } from './policy.js';
import {
  type ClaimIdentity,
  expiresAt,
  readable,
  type Setting,
  type Standing,
  sinceOf,
  type Tail,
} from './state.js';

/** The entries that begin a tenure, carry it on, and remember it. */

const REMEMBERED = 12;

export interface Beginning {
  event: Entry['event'];
  takeovers: number;
  /** How the tenure before it ended. */
  how: Tenure['how'];
}

/** The first entry of a tenure. */
export function begin(
  tail: Tail,
  { identity, agent, lease }: { identity: Required<ClaimIdentity>; agent: string; lease: Lease },
  { key, process, text }: Setting,
  now: number,
  { event, takeovers, how }: Beginning,
): Entry {
  const standing = readable(tail);
  // A generation is never above its sequence, so that what can't be read is surely passed.
  const generation = (standing?.entry.generation ?? tail?.sequence ?? 0) + 1;
  const history = standing ? remember(standing, how, now) : [];
  return {
    event,
    key,
    generation,
    ...identity,
    agent,
    process,
    ...lease,
    takeovers,
    history,
    ...(text && { text }),
  };
}

/** The next entry of a tenure that goes on or ends: all of the tail but what this process adds. */
export function continued(tail: Standing, event: Entry['event'], { process, text }: Setting): Entry {
  const { text: _, ...before } = tail.entry;
  return { ...before, event, process, since: sinceOf(tail), ...(text && { text }) };
}

/** The history that the next entry carries, given how the tail's tenure ended. */
export function remember(tail: Standing, how: Tenure['how'], now: number): Tenure[] {
  const { event, generation, agent, process, history } = tail.entry;
  if (event === 'closed') return history;
  const until = { expired: expiresAt(tail), superseded: wholeSecond(now), forced: wholeSecond(now) }[
    how as string
  ];
  const ended = {
    generation,
    agent,
    run: runNumber(process),
    since: sinceOf(tail),
    until: until ?? tail.stamp,
    how,
  };
  return [...history, ended].slice(-REMEMBERED);
}

function wholeSecond(epoch: number): number {
  return Math.floor(epoch / 1_000) * 1_000;
}
