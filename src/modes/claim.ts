import type { Command } from '../engine/decide.js';
import { isoTime, runNumber } from '../engine/entry.js';
import { itemKey, type Parts, partKey, shortKey } from '../engine/key.js';
import { ClaimError } from '../engine/outcome.js';
import type { Lease } from '../engine/policy.js';
import { readable, type Standing } from '../engine/state.js';
import type { Item } from '../ports.js';
import { earliest } from '../protocol/context.js';
import { begin, type Result, type Start, transact } from '../protocol/transact.js';
import { Keeper } from './handle.js';
import { isLive } from './meant.js';
import { duration, holderWords, takenFrom } from './words.js';
import type { Report, World } from './world.js';

/** What is to be claimed: a free key, or an item and what part of it. */
export type Target =
  | { key: string }
  | {
      number: number;
      /** What the user takes the item for; the host's word counts. */
      kind: Item['kind'] | undefined;
      /** The agent is part of the key. */
      perAgent: boolean;
      /** The head is part of the key: the sha that is meant, or the pull request's own. */
      perHead: false | { sha: string | undefined };
    };

export interface ClaimRequest {
  target: Target;
  agent: string;
  lease: Lease;
  maxTakeovers: number;
  /** Claims that the job may hold already; the one of this key is gone on with. */
  presented: { key: string; chain: string }[];
  /** Takes the claim from whoever has it. */
  force: boolean;
  /** Takes the claim from an older run of the same account. */
  sameActor: boolean;
  /** Free text for the entry. */
  text?: string;
}

/** Takes the key if it is free or stale, or goes on with the claim that this job has on it. */
export async function claim(request: ClaimRequest, world: World): Promise<Report> {
  const { target } = request;
  if ('key' in target) return claimKey(target.key, async () => undefined, request, world);
  const { number, kind, perAgent, perHead } = target;
  const parts: Parts = { agent: perAgent ? request.agent : undefined };
  if (!perHead) {
    return claimKey(partKey(number, parts), () => world.tracker.item(number, kind), request, world);
  }
  // Which key it is only the pull request's head says, so nothing can be asked beside it.
  const item = await world.tracker.item(number, 'pull');
  const { head } = item;
  if (!head) {
    throw new ClaimError(
      'invalid-input',
      `invalid-input: ${itemKey(number)} is no pull request, so it has no head: leave "head" out of "per". Nothing was changed`,
    );
  }
  const key = partKey(number, { ...parts, head: perHead.sha ?? head });
  if (perHead.sha !== undefined && perHead.sha !== head) {
    const message = `Not claimed: ${itemKey(number)} moved to ${head.slice(0, 7)}, ${perHead.sha.slice(0, 7)} is no longer its head`;
    return { outcome: 'closed', reason: 'head-moved', message, key, item };
  }
  return claimKey(key, async () => item, request, world);
}

async function claimKey(
  key: string,
  readItem: () => Promise<Item | undefined>,
  request: ClaimRequest,
  world: World,
): Promise<Report> {
  const live = world.handles.all().find((handle) => handle.key === key && isLive(handle));
  const presented = request.presented.find((id) => id.key === key)?.chain ?? live?.chain;
  const command = commandFor(presented, request, world);
  const known =
    presented === undefined ? undefined : world.handles.all().find(({ chain }) => chain === presented);
  const keeper = new Keeper(world, known, (handle) => {
    world.handles.save(handle);
    // What a re-entered step goes on with isn't its own to release.
    if (handle.chain === command.identity.chain) world.step.save(handle);
  });
  await keeper.settle();
  const { protocol, process } = world;
  const setting = { key, process, ...(request.text && { text: request.text }) };
  const transaction = { command, setting, known: keeper.known, save: keeper.progress };
  const guess = { tail: keeper.handle?.own };
  const [item, start] = await Promise.all([readItem(), begin(protocol, transaction, guess)]);
  if (item && !item.open) return closed(key, item, start);

  const result = await transact(protocol, transaction, start);
  if (result.type === 'refused') {
    keeper.end('taken-over');
    return notClaimed(key, item, result);
  }
  await world.mirror.show(result.own);
  return { ...won(result, world), item };
}

function commandFor(
  presented: string | undefined,
  { agent, lease, maxTakeovers, force, sameActor }: ClaimRequest,
  { protocol, process }: World,
): Command & { type: 'claim' } {
  const holder = [agent, runNumber(process), process.job, protocol.entropy(16)].join('/');
  return {
    type: 'claim',
    identity: { chain: protocol.entropy(16), holder },
    agent,
    lease,
    maxTakeovers,
    sameActor,
    ...(presented !== undefined && { presented }),
    ...(force && { force: {} }),
  };
}

function won({ own, outcome, before, time }: Result & { type: 'stands' }, { protocol }: World): Report {
  const { key, generation, chain } = own.entry;
  const now = earliest(time, protocol.clock);
  const how: Record<string, string> = {
    'taken-over': before ? `, ${takenFrom(before, now, 'taken over')}` : '',
    forced: before ? `, ${takenFrom(before, now, 'taken by force')}` : ', by force',
    reentered: ', entered again by the job that holds it',
  };
  const message = `Claimed ${shortKey(key)}: generation ${generation}${how[outcome] ?? ''}`;
  return { outcome, message, key, chain, tail: own, before, now };
}

function notClaimed(
  key: string,
  item: Item | undefined,
  { refusal, tail, now }: Result & { type: 'refused' },
): Report {
  const { outcome } = refusal;
  return {
    outcome,
    message: `Not claimed: ${shortKey(key)} ${refusedWords(outcome, tail, now)}`,
    key,
    tail,
    item,
    now,
  };
}

function refusedWords(outcome: string, tail: Standing | undefined, now: number): string {
  if (!tail) return 'is held';
  const { takeovers, notBefore = 0 } = tail.entry;
  switch (outcome) {
    case 'done':
      return `is done since ${isoTime(tail.stamp)}: a new head is a new claim`;
    case 'closed':
      return `was closed while it was held; it is free in ${duration(notBefore - now)}`;
    case 'exhausted':
      return `was taken over ${takeovers} times in a row without a good end, last by ${holderWords(tail, now)}; only "force" starts anew`;
    default:
      return `is held by ${holderWords(tail, now)}`;
  }
}

function closed(key: string, item: Item, { base }: Start): Report {
  const tail = readable(base.tail);
  return {
    outcome: 'closed',
    message: `Not claimed: ${itemKey(item.number)} is closed`,
    key,
    tail,
    item,
    now: base.now,
  };
}
