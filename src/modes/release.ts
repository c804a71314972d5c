import type { Command } from '../engine/decide.js';
import { runNumber } from '../engine/entry.js';
import { shortKey } from '../engine/key.js';
import type { Lease } from '../engine/policy.js';
import { isMine, readable, sinceOf } from '../engine/state.js';
import { begin, type Result, transact } from '../protocol/transact.js';
import { Keeper } from './handle.js';
import { findMeant, type Meaning, type Meant } from './meant.js';
import { identityOf } from './prove.js';
import { trim } from './trim.js';
import { duration, endedWords, lostWords } from './words.js';
import type { Report, World } from './world.js';

export interface ReleaseRequest {
  meaning: Meaning;
  ending: 'released' | 'failed' | 'done';
  /** Free text for the entry. */
  text?: string;
}

export interface FreeRequest {
  key: string;
  agent: string;
  lease: Lease;
  /** Why, in the words of whoever forces it. */
  text: string;
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
  const tail = readable(start.base.tail);
  if (tail && isMine(tail.entry, identityOf(meant), process)) await mirror.remove(tail);

  const result = await transact(protocol, transaction, start);
  if (result.type === 'refused') {
    const report = notHeld(key, result);
    keeper.end(report.reason);
    const won = handle === undefined || keeper.handle?.own !== undefined;
    return { ...report, chain, reason: won ? report.reason : 'none' };
  }
  const warnings = await trim(world, key, start.base);
  return { ...ended(key, result), chain, ...(warnings.length && { warnings }) };
}

/** Frees somebody's claim by force, without taking it. */
export async function free({ key, agent, lease, text }: FreeRequest, world: World): Promise<Report> {
  const { protocol, process } = world;
  const holder = [agent, runNumber(process), process.job, protocol.entropy(16)].join('/');
  const identity = { chain: protocol.entropy(16), holder };
  const command: Command = { type: 'free', identity, agent, lease, force: {} };
  const transaction = { command, setting: { key, process, text }, save: () => {} };
  const start = await begin(protocol, transaction);
  const tail = readable(start.base.tail);
  const result = await transact(protocol, transaction, start);
  if (result.type === 'refused') return notHeld(key, result);
  const from = tail ? ` from ${tail.entry.agent} (run ${runNumber(tail.entry.process)})` : '';
  return {
    ...ended(key, result),
    message: `Freed ${shortKey(key)} by force${from}: generation ${result.own.entry.generation}`,
  };
}

function ended(key: string, { own, outcome, before }: Result & { type: 'stands' }): Report {
  const { entry, stamp } = own;
  const as = entry.ending && entry.ending !== 'released' ? ` as ${entry.ending}` : '';
  const verb = outcome === 'done' ? 'Done' : 'Released';
  const held = duration(stamp - sinceOf(own));
  const message = `${verb} ${shortKey(key)}${as}: generation ${entry.generation}, held for ${held}`;
  return {
    outcome: 'released',
    ...(outcome === 'done' && { reason: 'done' }),
    message,
    key,
    tail: own,
    before,
    now: stamp,
  };
}

function notHeld(key: string, { refusal, tail, now }: Result & { type: 'refused' }) {
  const reason = 'reason' in refusal ? refusal.reason : ('taken-over' as const);
  const message = `Nothing to release: ${lostWords(key, reason, tail, now)}`;
  return { outcome: 'not-held' as const, reason, message, key, tail, now };
}
