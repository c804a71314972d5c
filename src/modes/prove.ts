import type { Command } from '../engine/decide.js';
import { headOf, itemKey, itemOf, shortKey } from '../engine/key.js';
import { ClaimError, type LostReason, unexpected } from '../engine/outcome.js';
import { isFresh, isHeldTooLong, isMine, problemWith, readable, type Standing } from '../engine/state.js';
import { earliest, latest } from '../protocol/context.js';
import { observe } from '../protocol/observe.js';
import { type Base, baseOf, begin, transact } from '../protocol/transact.js';
import { Keeper } from './handle.js';
import { findMeant, type Meaning, type Meant } from './meant.js';
import { endedWords, lostWords } from './words.js';
import type { Report, World } from './world.js';

/** The two modes that prove a claim: verify asks the host, heartbeat writes a fresh entry. */

/**
 * Owned, lost or unknown. An own entry that is too old to be proof is renewed, the new one being it; a
 * claim of a head is owned only while the pull request still has that head.
 */
export async function verify(meaning: Meaning, world: World): Promise<Report> {
  return proven(meaning, world, async (meant, keeper) => {
    const { protocol, process } = world;
    const [view, moved] = await Promise.all([
      observe(protocol, meant.key, keeper.known),
      headMoved(meant, world),
    ]);
    if (moved) return moved;
    const tail = readable(view.tail);
    if (tail && isMine(tail.entry, identityOf(meant), process)) {
      const now = latest(view.time, protocol.clock);
      if (isFresh(tail, now) && problemWith(tail, now) === undefined && !isHeldTooLong(tail, now)) {
        keeper.progress({ type: 'stands', entry: tail, date: view.time.date });
        return owned(meant, tail, now, '');
      }
    }
    return renew(meant, keeper, world, baseOf(protocol, view));
  });
}

/** A claim of a head is lost with the head, though it is still there to be given back. */
async function headMoved({ key, chain }: Meant, { tracker }: World): Promise<Report | undefined> {
  const [head, number] = [headOf(key), itemOf(key)];
  if (head === undefined || number === undefined) return undefined;
  const item = await tracker.item(number, 'pull');
  if (item.head === head) return undefined;
  const now = item.head ? ` to ${item.head.slice(0, 7)}` : '';
  const message = `claim lost: ${itemKey(number)} moved${now}`;
  return { outcome: 'lost', reason: 'head-moved', message, key, chain, item };
}

/** Renews the claim once. Where this job knows its newest entry, nothing is read: the creation decides. */
export async function heartbeat(meaning: Meaning, world: World): Promise<Report> {
  return proven(meaning, world, async (meant, keeper) => {
    const { own } = keeper.handle ?? {};
    const base = own && {
      tail: own,
      date: own.date,
      now: Math.max(own.date, own.stamp),
      at: world.protocol.clock.monotonic(),
    };
    return renew(meant, keeper, world, base);
  });
}

type Prove = (meant: Meant, keeper: Keeper) => Promise<Report>;

/** What both have in common: which claim, what is lost without a question, and that no answer is `unknown`. */
async function proven(meaning: Meaning, world: World, prove: Prove): Promise<Report> {
  const meant = findMeant(meaning, world.handles);
  if (!meant) return { outcome: 'lost', reason: 'none', message: 'claim lost: this job holds no claim' };
  const { key, chain, handle } = meant;
  if (handle?.ended) {
    const message = `claim lost: ${endedWords(key, handle.ended)}`;
    return { outcome: 'lost', reason: handle.ended, message, key, chain };
  }
  try {
    const keeper = new Keeper(world, handle);
    await keeper.settle();
    return await prove(meant, keeper);
  } catch (error) {
    if (error instanceof ClaimError && error.outcome === 'unreadable-entry') throw error;
    const { outcome: reason, message, retryAfter } = error instanceof ClaimError ? error : unexpected(error);
    return {
      outcome: 'unknown',
      reason,
      message: `claim unknown: ${shortKey(key)}: ${message}`,
      key,
      chain,
      retryAfter,
    };
  }
}

async function renew(meant: Meant, keeper: Keeper, world: World, base?: Base): Promise<Report> {
  const { protocol, process } = world;
  const command: Command = { type: 'renew', identity: identityOf(meant) };
  const setting = { key: meant.key, process };
  const transaction = { command, setting, known: keeper.known, save: keeper.progress };
  const start = base ? { base } : await begin(protocol, transaction);
  const result = await transact(protocol, transaction, start);
  if (result.type === 'stands') {
    const report = owned(meant, result.own, earliest(result.time, protocol.clock), ', renewed');
    return { ...report, outcome: 'renewed' };
  }
  const reason = 'reason' in result.refusal ? result.refusal.reason : 'taken-over';
  keeper.end(reason);
  return lost(meant, reason, result.tail, result.now);
}

export function identityOf({ chain, handle }: Meant) {
  return { chain, ...(handle && { holder: handle.holder }) };
}

function owned({ key, chain }: Meant, tail: Standing, now: number, how: string): Report {
  const message = `Owned: ${shortKey(key)}, generation ${tail.entry.generation}${how}`;
  return { outcome: 'owned', message, key, chain, tail, now };
}

function lost({ key, chain }: Meant, reason: LostReason, tail: Standing | undefined, now: number): Report {
  const message = `claim lost: ${lostWords(key, reason, tail, now)}`;
  return { outcome: 'lost', reason, message, key, chain, tail, now };
}
