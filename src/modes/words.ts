import ms from 'ms';
import { expiresAt, isHeld, type Standing } from '../engine/decide.js';
import { runNumber } from '../engine/entry.js';
import type { LostReason } from '../engine/outcome.js';

/** The lines that people read. */

/** `auto-backend (run 870, signal: claim, 34s ago)`: who holds a key, by which entry, how fresh. */
export function holderWords(tail: Standing, now: number): string {
  return `${tail.entry.agent} (run ${runNumber(tail.entry.process)}, signal: claim, ${ago(now - tail.stamp)})`;
}

/** How a claim came about, given what it followed: ` taken over from reviewer-a (run 874, expired 5m ago)`. */
export function takenFrom(before: Standing, now: number): string {
  const { agent, process } = before.entry;
  return `taken over from ${agent} (run ${runNumber(process)}, expired ${ago(now - expiresAt(before))})`;
}

/** Why a claim is no longer this job's. */
export function lostWords(key: string, reason: LostReason, tail: Standing | undefined, now: number): string {
  if (!tail || reason === 'none') return `the host knows no entry of ${key}`;
  const by = `${tail.entry.agent} (run ${runNumber(tail.entry.process)})`;
  if (reason === 'released') return `${key} was released by ${by}, ${ago(now - tail.stamp)}`;
  const verb = isHeld(tail.entry) ? 'is held' : 'was taken over and released';
  return `${key} ${verb} by ${by}, generation ${tail.entry.generation}`;
}

/** How a claim ended that needs no question any more, as its handle says. */
export function endedWords(key: string, ended: LostReason): string {
  if (ended === 'released') return `${key} was released by this job already`;
  if (ended === 'none') return `no claim of ${key} was won here`;
  return `${key} was taken over from this job earlier`;
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(Math.max(milliseconds, 0) / 1_000);
  return seconds === 0 ? '0s' : ms(seconds * 1_000);
}

function ago(milliseconds: number): string {
  return `${duration(milliseconds)} ago`;
}
