import { type Append, aim, type Command, decide, type Refusal } from '../engine/decide.js';
import { decode, type Entry, encode } from '../engine/entry.js';
import { entryRef } from '../engine/key.js';
import { ClaimError, type Outcome } from '../engine/outcome.js';
import { DECISION_AGE, SLOT_AGE } from '../engine/policy.js';
import { isFresh, isHeld, readable, type Setting, type Standing, type Tail } from '../engine/state.js';
import type { HostTime, Slot } from '../ports.js';
import { earliest, latest, type Protocol } from './context.js';
import { type Created, createUntilClear } from './create.js';
import { type Known, observe, type View } from './observe.js';

/**
 * Appends an entry to a key's log: observe → decide → mint → save → create, and again from the
 * newer view whenever somebody else was first. What stands at the end is owned as well.
 */

/** So often an entry may be too old when it stands, or a decision before it is carried out. */
const STALE_AT_MOST = 3;
/** Refusals after which an entry surely doesn't stand. */
const REFUSALS = new Set<Outcome>(['rate-limited', 'permission-denied', 'auth-error', 'invalid-input']);

/** What a decision rests on. */
export interface Base {
  tail: Tail;
  /** The refs of the log, where they were listed. */
  slots?: Slot[];
  /** The host's `Date` of the read, or of the own create, that the tail comes from. */
  date: number;
  /** The earliest that the host's clock can have shown when the base was made. */
  now: number;
  /** When that read or create was answered, on this process's monotonic clock. */
  at: number;
}

export type Progress =
  /** About to be created; saved before, so that no death in between loses track of it. */
  | { type: 'pending'; entry: Standing; date: number }
  | { type: 'stands'; entry: Standing; date: number }
  /** The slot of the pending entry is another's. */
  | { type: 'void' };

export interface Transaction {
  command: Command;
  setting: Setting;
  known?: Known;
  save(progress: Progress): void;
}

/** An entry that was minted for a tail that was only expected. */
interface Guessed {
  parent: string | undefined;
  minted: Standing;
}

/** Where a transaction begins. */
export interface Start {
  base: Base;
  guessed?: Guessed | undefined;
}

export type Result =
  | {
      type: 'stands';
      own: Standing;
      outcome: Append['outcome'];
      before: Standing | undefined;
      time: HostTime;
    }
  | { type: 'refused'; refusal: Refusal; tail: Standing | undefined; now: number };

/**
 * Observes the log, and meanwhile mints what is to follow the tail that is expected.
 * @param guess the expected tail: nothing for an empty log; left out, nothing is minted ahead
 */
export async function begin(
  protocol: Protocol,
  { command, setting, known }: Transaction,
  guess?: { tail: Tail },
): Promise<Start> {
  const expected = guess && decide(guess.tail, command, setting, Number.POSITIVE_INFINITY);
  const [view, minted] = await Promise.all([
    observe(protocol, setting.key, known),
    expected?.type === 'append' ? mint(protocol, guess?.tail, expected.entry) : undefined,
  ]);
  return { base: baseOf(protocol, view), guessed: minted && { parent: guess?.tail?.sha, minted } };
}

/** Carries a command out from its start, until its entry stands and is proof, or it is refused. */
export async function transact(protocol: Protocol, transaction: Transaction, start: Start): Promise<Result> {
  const { save } = transaction;
  const { guessed } = start;
  let { base } = start;
  let command = aim(transaction.command, base.tail);
  const setting = { ...transaction.setting, ...(guessed && { author: guessed.minted.author }) };
  let stale = 0;
  let won: { outcome: Append['outcome']; before: Standing | undefined } | undefined;
  for (;;) {
    const decision = decide(base.tail, command, setting, base.now);
    if (decision.type === 'refuse') return refused(decision, base, setting.key);
    if (stale >= STALE_AT_MOST) throw tooSlow(setting.key, base.tail);
    const entry = fits(guessed, base, decision)
      ? guessed.minted
      : await mint(protocol, base.tail, decision.entry);
    if (protocol.clock.monotonic() - base.at > DECISION_AGE) {
      stale += 1;
      base = baseOf(protocol, await observe(protocol, setting.key, transaction.known));
      continue;
    }
    save({ type: 'pending', entry, date: base.date });
    const created = await create(protocol, entry, save);
    if (!created.stands) {
      save({ type: 'void' });
      base = baseOf(protocol, created.seen);
      command = goingOn(command, entry);
      continue;
    }
    save({ type: 'stands', entry, date: created.time.date });
    if (!won || decision.outcome !== 'reentered')
      won = { outcome: decision.outcome, before: readable(base.tail) };
    const doubt = isHeld(entry.entry) ? await doubts(protocol, entry, base, created.time) : undefined;
    if (!doubt) return { type: 'stands', own: entry, ...won, time: created.time };
    stale += 1;
    base = doubt;
    command = goingOn(command, entry);
  }
}

/** A claim whose entry has stood is gone on with, not lost to itself. */
function goingOn(command: Command, { entry }: Standing): Command {
  return command.type === 'claim' ? { ...command, presented: entry.chain } : command;
}

/** Creates an entry; one that surely never came to be is no longer pending. */
async function create(protocol: Protocol, entry: Standing, save: Transaction['save']): Promise<Created> {
  try {
    return await createUntilClear(protocol, entry.entry.key, entry);
  } catch (error) {
    if (error instanceof ClaimError && REFUSALS.has(error.outcome)) save({ type: 'void' });
    throw error;
  }
}

function tooSlow(key: string, tail: Tail): ClaimError {
  return new ClaimError(
    'unavailable',
    `unavailable: the host is too slow for this claim: entries for ${entryRef(key, tail?.sequence ?? 1)} and on were too old when they stood, ${STALE_AT_MOST} times in a row; set a longer ttl and renew-deadline`,
  );
}

/** What a view of the log says of now; it is as old as its list. */
export function baseOf(protocol: Protocol, { tail, slots, listed, time }: View): Base {
  return { tail, slots, date: listed.date, now: earliest(time, protocol.clock), at: listed.receivedAt };
}

/** Whether what was minted ahead is just what has now been decided on the real tail. */
function fits(guessed: Guessed | undefined, { tail }: Base, decision: Append): guessed is Guessed {
  return (
    guessed !== undefined &&
    guessed.parent === tail?.sha &&
    guessed.minted.sequence === (tail?.sequence ?? 0) + 1 &&
    JSON.stringify(guessed.minted.entry) === JSON.stringify(decision.entry)
  );
}

async function mint(protocol: Protocol, tail: Tail, entry: Entry): Promise<Standing> {
  const message = encode(entry, protocol.entropy(16));
  // What can't be read back would keep everybody from the key.
  const decoded = decode(message, entry.key);
  if ('problem' in decoded) {
    throw new ClaimError(
      'invalid-input',
      `invalid-input: no entry can be written for ${entry.key}: ${decoded.problem}. Nothing was changed`,
    );
  }
  const { sha, stamp, author } = await protocol.store.mint(message, tail?.sha, entry.key);
  return { sequence: (tail?.sequence ?? 0) + 1, sha, stamp, author, entry };
}

/**
 * An entry that stands proves ownership only while its own stamp is young, and only if its slot can't
 * have been used and deleted since it was chosen (rule 2).
 * @returns the base to go on from where that isn't so; nothing if the entry is proof
 */
async function doubts(
  protocol: Protocol,
  own: Standing,
  base: Base,
  created: HostTime,
): Promise<Base | undefined> {
  let time = created;
  if (created.date - base.date > SLOT_AGE) {
    const view = await observe(protocol, own.entry.key, { floor: own.sequence, entries: [own] });
    if (view.tail?.sha !== own.sha) return baseOf(protocol, view);
    time = view.time;
  }
  if (isFresh(own, latest(time, protocol.clock))) return undefined;
  return { tail: own, date: time.date, now: earliest(time, protocol.clock), at: time.receivedAt };
}

function refused(refusal: Refusal, { tail, now }: Base, key: string): Result {
  if (refusal.outcome === 'unreadable-entry') throw unreadable(key, tail?.sequence ?? 1, refusal.problem);
  return { type: 'refused', refusal, tail: readable(tail), now };
}

function unreadable(key: string, sequence: number, problem: string): ClaimError {
  const ref = entryRef(key, sequence);
  return new ClaimError(
    'unreadable-entry',
    `unreadable-entry: ${ref} can't be used: ${problem}. Nothing was changed; find out who wrote it (git log ${ref}), then update this action, delete that ref, or go past it with "force"`,
  );
}
