import { type Command, isMine, sinceOf } from '../engine/decide.js';
import { begin, transact } from '../protocol/transact.js';
import { Keeper } from './handle.js';
import { findMeant, type Meaning, type Meant } from './meant.js';
import { identityOf } from './prove.js';
import { duration, endedWords, lostWords } from './words.js';
import type { Report, World } from './world.js';

export interface ReleaseRequest {
  meaning: Meaning;
  ending: 'released' | 'failed';
  /** Free text for the entry. */
  text?: string;
}

/** Gives the job's claim back; what isn't this job's is left alone, and that is no error. */
export async function release({ meaning, ...request }: ReleaseRequest, world: World): Promise<Report> {
  const meant = findMeant(meaning, world.handles);
  if (!meant)
    return { outcome: 'not-held', reason: 'none', message: 'Nothing to release: this job holds no claim' };
  return releaseMeant(meant, request, world);
}

export async function releaseMeant(
  meant: Meant,
  { ending, text }: Omit<ReleaseRequest, 'meaning'>,
  world: World,
): Promise<Report> {
  const { protocol, process, mirror } = world;
  const { key, chain, handle } = meant;
  if (handle?.ended) {
    const message = `Nothing to release: ${endedWords(key, handle.ended)}`;
    return { outcome: 'not-held', reason: handle.ended, message, key, chain };
  }
  const keeper = new Keeper(world, handle);
  await keeper.settle();
  const command: Command = { type: 'release', identity: identityOf(meant), ending };
  const setting = { key, process, ...(text && { text }) };
  const transaction = { command, setting, known: keeper.known, save: keeper.progress };
  const own = keeper.handle?.own;
  const start = await begin(protocol, transaction, own && { tail: own });
  const { tail } = start.base;
  if (tail && isMine(tail.entry, identityOf(meant), process)) await mirror.remove(tail);

  const result = await transact(protocol, transaction, start);
  if (result.type === 'stands') {
    const { entry, stamp } = result.own;
    const as = entry.ending === 'failed' ? ' as failed' : '';
    const held = duration(stamp - sinceOf(result.own));
    const message = `Released ${key}${as}: generation ${entry.generation}, held for ${held}`;
    return { outcome: 'released', message, key, chain, tail: result.own, before: result.before, now: stamp };
  }
  const reason = 'reason' in result.refusal ? result.refusal.reason : 'taken-over';
  keeper.end(reason);
  const message = `Nothing to release: ${lostWords(key, reason, result.tail, result.now)}`;
  return { outcome: 'not-held', reason, message, key, chain, tail: result.tail, now: result.now };
}
