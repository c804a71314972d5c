import ms from 'ms';
import { runNumber } from '../engine/entry.js';
import { shortKey } from '../engine/key.js';
import type { LostReason } from '../engine/outcome.js';
import { expiresAt, isHeld, type Standing } from '../engine/state.js';

/** The lines that people read. */

/** `auto-backend (run 870, signal: claim, 34s ago)`: who holds a key, by which entry, how fresh. */
export function holderWords(tail: Standing, now: number): string {
  return `${tail.entry.agent} (run ${runNumber(tail.entry.process)}, signal: claim, ${ago(now - tail.stamp)})`;
}

/** How a claim came about, given what it followed: `taken over from reviewer-a (run 874, expired 5m ago)`. */
export function takenFrom(before: Standing, now: number, verb: string): string {
  const { agent, process } = before.entry;
  const over = now - expiresAt(before);
  const state = over >= 0 ? `expired ${ago(over)}` : `renewed ${ago(now - before.stamp)}`;
  return `${verb} from ${agent} (run ${runNumber(process)}, ${state})`;
}

/** Why a claim is no longer this job's. */
export function lostWords(key: string, reason: LostReason, tail: Standing | undefined, now: number): string {
  if (!tail || reason === 'none') return `the host knows no entry of ${shortKey(key)}`;
  const by = `${tail.entry.agent} (run ${runNumber(tail.entry.process)})`;
  const { event, ending, maxHold } = tail.entry;
  if (reason === 'expired')
    return `${shortKey(key)} has been held for longer than its max-hold of ${duration(maxHold)}`;
  if (reason === 'closed') return `${shortKey(key)} was closed ${ago(now - tail.stamp)}`;
  if (reason === 'done') return `${shortKey(key)} is done, by ${by}, ${ago(now - tail.stamp)}`;
  if (reason === 'released') {
    const verb = ending === 'forced' ? 'freed by force' : 'released';
    return `${shortKey(key)} was ${verb} by ${by}, ${ago(now - tail.stamp)}`;
  }
  const verb = isHeld(tail.entry) ? 'is held' : `was taken over and ${event}`;
  return `${shortKey(key)} ${verb} by ${by}, generation ${tail.entry.generation}`;
}

/** How a claim ended that needs no question any more, as its handle says. */
export function endedWords(key: string, ended: LostReason): string {
  const name = shortKey(key);
  const words: Partial<Record<LostReason, string>> = {
    released: `${name} was released by this job already`,
    done: `${name} was done by this job already`,
    none: `no claim of ${name} was won here`,
    closed: `${name} was closed earlier`,
    expired: `${name} was held for longer than its max-hold`,
  };
  return words[ended] ?? `${name} was taken over from this job earlier`;
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(Math.max(milliseconds, 0) / 1_000);
  return seconds === 0 ? '0s' : ms(seconds * 1_000);
}

function ago(milliseconds: number): string {
  return `${duration(milliseconds)} ago`;
}
