import type { Command, Standing } from '../engine/decide.js';
import { runNumber } from '../engine/entry.js';
import { itemOf } from '../engine/key.js';
import type { Lease } from '../engine/policy.js';
import type { Item } from '../ports.js';
import { earliest } from '../protocol/context.js';
import { begin, type Result, type Start, transact } from '../protocol/transact.js';
import { Keeper } from './handle.js';
import { holderWords, takenFrom } from './words.js';
import type { Report, World } from './world.js';

export interface ClaimRequest {
  key: string;
  /** What the user takes the item for; the host's word counts. */
  kind?: Item['kind'] | undefined;
  agent: string;
  lease: Lease;
  /** The chain of a claim of this key that the job may hold already. */
  presented?: string | undefined;
  /** Free text for the entry. */
  text?: string;
}

/** Takes the key if it is free or stale, or goes on with the claim that this job has on it. */
export async function claim(request: ClaimRequest, world: World): Promise<Report> {
  const { protocol, process } = world;
  const { key, agent, lease, presented, text } = request;
  const chain = protocol.entropy(16);
  const holder = [agent, runNumber(process), process.job, protocol.entropy(16)].join('/');
  const command: Command = {
    type: 'claim',
    identity: { chain, holder },
    agent,
    lease,
    ...(presented !== undefined && { presented }),
  };
  const known =
    presented === undefined ? undefined : world.handles.all().find((handle) => handle.chain === presented);
  const keeper = new Keeper(world, known, (handle) => {
    world.handles.save(handle);
    // What a re-entered step goes on with isn't its own to release.
    if (handle.chain === chain) world.step.save(handle);
  });
  await keeper.settle();

  const setting = { key, process, ...(text && { text }) };
  const transaction = { command, setting, known: keeper.known, save: keeper.progress };
  const guess =
    presented === undefined ? { tail: undefined } : keeper.handle?.own && { tail: keeper.handle.own };
  const [item, start] = await Promise.all([readItem(request, world), begin(protocol, transaction, guess)]);
  if (item && !item.open) return closed(key, item, start);

  const result = await transact(protocol, transaction, start);
  if (result.type === 'refused') {
    keeper.end('taken-over');
    return held(key, item, result);
  }
  await world.mirror.show(result.own);
  return { ...won(result, world), item };
}

async function readItem({ key, kind }: ClaimRequest, { tracker }: World): Promise<Item | undefined> {
  const number = itemOf(key);
  return number === undefined ? undefined : tracker.item(number, kind);
}

function won({ own, outcome, before, time }: Result & { type: 'stands' }, { protocol }: World): Report {
  const { key, generation, chain } = own.entry;
  const now = earliest(time, protocol.clock);
  const how: Record<string, string> = {
    'taken-over': before ? `, ${takenFrom(before, now)}` : '',
    reentered: ', entered again by the job that holds it',
  };
  return {
    outcome,
    message: `Claimed ${key}: generation ${generation}${how[outcome] ?? ''}`,
    key,
    chain,
    tail: own,
    before,
    now,
  };
}

function held(key: string, item: Item | undefined, { tail, now }: Result & { type: 'refused' }): Report {
  const by = tail ? holderWords(tail, now) : 'somebody';
  return { outcome: 'held', message: `Not claimed: ${key} is held by ${by}`, key, tail, item, now };
}

function closed(key: string, item: Item, { base }: Start): Report {
  const tail: Standing | undefined = base.tail;
  return { outcome: 'closed', message: `Not claimed: ${key} is closed`, key, tail, item, now: base.now };
}
