import { decode } from '../../src/engine/entry.js';
import { sequenceOf } from '../../src/engine/key.js';
import { isHeld, type Standing } from '../../src/engine/state.js';
import type { Report, World } from '../../src/modes/world.js';
import type { Handle, Item } from '../../src/ports.js';
import type { Engine } from './engine.js';
import { FAIR, SimulatedHost, type StoreMutation, type Weather } from './host.js';
import { Dice, Scheduler, SimulatedProcess } from './scheduler.js';

/** One history: a few workers, a cleaner and somebody who forces, in bad weather, from one seed. */

const HEAD = 'a'.repeat(40);
const START = Date.parse('2026-12-01T12:00:00Z');
const MINUTE = 60_000;
/** How long the weather is bad; then a last contender shows that nobody is stuck. */
const SPANS = [25, 25, 25, 50, 150] as const;
const POLL = 30_000;
const LEASE = { ttl: 10 * MINUTE, renewDeadline: 5 * MINUTE, maxHold: 360 * MINUTE };

/** Something done to the outside world in the belief to own the claim. */
interface Write {
  job: string;
  holder: string;
  /** When the host gave the answer that the proof rests on. */
  provedAt: number;
  writtenAt: number;
}

export interface History {
  seed: number;
  key: string;
  host: SimulatedHost;
  writes: Write[];
  /** What jobs were told stands, as they saved it. */
  told: { job: string; own: Standing }[];
  /** Who was told that his claim is lost, and when. */
  losses: { job: string; holder: string; reason: string; at: number }[];
  /** What somebody was told, or left behind, that can't be. */
  wrongs: string[];
  /** How long the last contender waited beyond the moment from which the key was surely free. */
  stuckFor: number;
  story: string[];
}

export interface Plot {
  seed: number;
  engine: Engine;
  workers?: number;
  mutation?: StoreMutation;
  weather?: Weather;
}

class Play {
  readonly scheduler = new Scheduler(START);
  readonly dice: Dice;
  readonly host: SimulatedHost;
  readonly engine: Engine;
  readonly history: History;
  readonly perHead: boolean;
  /** When the bad weather ends. */
  readonly end: number;
  itemOpen = true;
  #jobs = 0;
  #digits = 0;

  constructor({ seed, engine, mutation = {}, weather }: Plot) {
    this.dice = new Dice(seed);
    this.engine = engine;
    const tell = (what: string) => this.tell(what);
    this.host = new SimulatedHost(
      this.scheduler,
      this.dice,
      weather ?? this.#weather(),
      tell,
      engine.ClaimError,
    );
    this.host.mutation = mutation;
    this.perHead = this.dice.chance(0.25);
    this.end = START + this.dice.pick(SPANS) * MINUTE;
    const key = this.perHead ? `item-12/${HEAD}` : 'item-12';
    this.history = {
      seed,
      key,
      host: this.host,
      writes: [],
      told: [],
      losses: [],
      wrongs: [],
      stuckFor: 0,
      story: [],
    };
  }

  tell(what: string): void {
    const since = ((this.scheduler.now - START) / 1_000).toFixed(1).padStart(8);
    this.history.story.push(`${since}s  ${what}`);
  }

  job(): Job {
    this.#jobs += 1;
    return new Job(this, this.#jobs);
  }

  digits(count: number): string {
    this.#digits += 1;
    return this.#digits.toString(16).padStart(count, '0').slice(-count);
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.scheduler.at(this.scheduler.now + milliseconds, resolve));
  }

  get isOver(): boolean {
    return this.scheduler.now > this.end;
  }

  #weather(): Weather {
    const some = (most: number) => (this.dice.chance(0.5) ? this.dice.roll() * most : 0);
    return {
      lostBefore: some(0.15),
      lostAfter: some(0.25),
      failed: some(0.2),
      limited: some(0.15),
      slow: some(0.12),
      doubled: some(0.1),
      lagging: some(0.5),
      freezing: some(0.08),
    };
  }
}

/** A job of a workflow run: several processes that share its files. */
class Job {
  readonly name: string;
  readonly play: Play;
  readonly number: number;
  readonly handles = new Map<string, Handle>();
  step: Handle | undefined;

  constructor(play: Play, number: number) {
    this.play = play;
    this.number = number;
    this.name = `job ${number}`;
  }

  process(role: string): SimulatedProcess {
    return new SimulatedProcess(this.play.scheduler, `${this.name} ${role}`);
  }

  world(process: SimulatedProcess): World {
    const { play } = this;
    const { host, history } = play;
    const save = (handle: Handle) => {
      if (handle.own && handle.own.entry.holder === handle.holder)
        history.told.push({ job: this.name, own: handle.own });
      this.handles.set(handle.chain, structuredClone(handle));
    };
    const item = async (): Promise<Item> => {
      await process.sleep(50);
      const open = play.itemOpen;
      return { number: 12, kind: 'pull', title: 'x', url: 'https://h/12', open, head: HEAD };
    };
    return {
      protocol: {
        store: host.open(process),
        clock: process,
        entropy: (count) => play.digits(count),
        deadline: 60_000,
      },
      tracker: { item },
      mirror: { show: async () => {}, remove: async () => {} },
      handles: { save, all: () => structuredClone([...this.handles.values()]) },
      step: { save: (handle) => void Object.assign(this, { step: structuredClone(handle) }) },
      home: 'https://h/o/r',
      process: { run: `https://h/o/r/actions/runs/${this.number}/attempts/1`, job: '1' },
    };
  }

  claim(process: SimulatedProcess, force = false): Promise<Report | undefined> {
    const { engine, perHead } = this.play;
    const target = {
      number: 12,
      kind: 'pull' as const,
      perAgent: false,
      perHead: perHead && { sha: undefined },
    };
    const request = {
      target,
      agent: `agent-${this.number}`,
      lease: LEASE,
      maxTakeovers: 1_000,
      presented: [],
    };
    return this.#tried(
      'claim',
      engine.claim({ ...request, force, sameActor: false }, this.world(process)),
      process,
    );
  }

  verify(process: SimulatedProcess): Promise<Report | undefined> {
    return this.#tried('verify', this.play.engine.verify({ required: false }, this.world(process)), process);
  }

  heartbeat(process: SimulatedProcess): Promise<Report | undefined> {
    return this.#tried(
      'heartbeat',
      this.play.engine.heartbeat({ required: false }, this.world(process)),
      process,
    );
  }

  release(process: SimulatedProcess, ending: 'released' | 'failed' | 'done'): Promise<Report | undefined> {
    const { key, chain } = this.step ?? { key: '', chain: '' };
    const meaning = { required: false, ...(chain && { claim: { key, chain } }) };
    return this.#tried(
      `release as ${ending}`,
      this.play.engine.release({ meaning, ending }, this.world(process)),
      process,
    );
  }

  free(process: SimulatedProcess): Promise<Report | undefined> {
    const { engine, history } = this.play;
    const request = { key: history.key, agent: 'admin', lease: LEASE, text: 'stuck' };
    return this.#tried('free', engine.free(request, this.world(process)), process);
  }

  cleanup(process: SimulatedProcess): Promise<Report | undefined> {
    return this.#tried(
      'cleanup',
      this.play.engine.cleanup({ number: 12, kind: 'pull' }, this.world(process)),
      process,
    );
  }

  /** Writes to the outside world, some time after a proof. */
  write(process: SimulatedProcess, { tail }: Report): void {
    const { scheduler, history } = this.play;
    const holder = tail?.entry.holder ?? '';
    history.writes.push({ job: this.name, holder, provedAt: process.answeredAt, writtenAt: scheduler.now });
    this.play.tell(`${process.name}: writes to the outside world`);
  }

  /** After a post step that had its answers nothing may be left in the job's name. */
  checkLeftBehind(): void {
    const { host, key, wrongs } = this.play.history;
    const newest = [...host.refsAt(this.play.scheduler.now)]
      .filter(([ref]) => sequenceOf(key, ref))
      .sort()
      .at(-1);
    const decoded = newest && decode(host.commits.get(newest[1])?.message ?? '', key);
    if (!decoded || 'problem' in decoded || !isHeld(decoded.entry)) return;
    if (decoded.entry.agent === `agent-${this.number}`)
      wrongs.push(`${this.name} is over and its claim was left behind`);
  }

  async #tried(what: string, doing: Promise<Report>, process: SimulatedProcess): Promise<Report | undefined> {
    const { play } = this;
    play.tell(`${process.name}: ${what}`);
    try {
      const report = await doing;
      play.tell(`${process.name}: ${what} → ${report.outcome}: ${report.message}`);
      if (report.outcome === 'lost') this.#noteLoss(report);
      if (report.outcome === 'held' && report.tail?.entry.agent === `agent-${this.number}`) {
        play.history.wrongs.push(`${this.name} was told that its own claim is another's`);
      }
      return report;
    } catch (error) {
      if (!(error instanceof play.engine.ClaimError)) throw error;
      play.tell(`${process.name}: ${what} → ${error.outcome}`);
      return undefined;
    }
  }

  #noteLoss({ reason = '', chain }: Report): void {
    const { holder = '' } = [...this.handles.values()].find((handle) => handle.chain === chain) ?? {};
    this.play.history.losses.push({ job: this.name, holder, reason, at: this.play.scheduler.now });
  }
}

const OWNED = new Set(['claimed', 'taken-over', 'forced', 'reentered', 'owned', 'renewed']);

/** One run after another, each claiming, working, proving, writing, and ending well or badly. */
async function worker(play: Play): Promise<void> {
  const { dice } = play;
  while (!play.isOver) {
    await play.sleep(dice.between(0, 6 * MINUTE));
    const job = play.job();
    const main = job.process('main');
    const fate = dice.pick(['well', 'well', 'killed', 'killed', 'runner dies'] as const);
    disturb(play, main);
    const over = new Promise<void>((resolve) => {
      void work(play, job, main).then(resolve, resolve);
      if (fate === 'well') return;
      play.scheduler.at(play.scheduler.now + dice.between(100, 25 * MINUTE), () => {
        if (!main.isDead) play.tell(`${main.name}: killed`);
        main.kill();
        resolve();
      });
    });
    await over;
    if (fate !== 'runner dies' && job.step) {
      const post = job.process('post');
      disturb(play, post);
      const ending = fate !== 'well' ? 'failed' : play.perHead && dice.chance(0.2) ? 'done' : 'released';
      const report = await job.release(post, ending);
      if (report) job.checkLeftBehind();
    } else if (fate !== 'runner dies') {
      job.checkLeftBehind();
    }
  }
}

async function work(play: Play, job: Job, main: SimulatedProcess): Promise<void> {
  const { dice } = play;
  let proof = await job.claim(main, dice.chance(0.03));
  if (!proof || !OWNED.has(proof.outcome)) return;
  const beside = dice.chance(0.4) ? keepAlive(play, job) : undefined;
  for (let step = dice.between(1, 6); step > 0 && proof && OWNED.has(proof.outcome); step--) {
    await main.sleep(dice.pick([10, 2_000, 60_000, 3 * MINUTE, 285_000]));
    if (dice.chance(0.7)) job.write(main, proof);
    await main.sleep(dice.pick([1_000, MINUTE, 4 * MINUTE, 8 * MINUTE, 15 * MINUTE]));
    proof = dice.chance(0.7) ? await job.verify(main) : await job.heartbeat(main);
  }
  beside?.kill();
}

/** A second process of the job that renews beside the first. */
function keepAlive(play: Play, job: Job): SimulatedProcess {
  const child = job.process('child');
  disturb(play, child);
  void (async () => {
    while (!child.isDead && !play.isOver) {
      await child.sleep(2 * MINUTE);
      const report = await job.heartbeat(child);
      if (report?.outcome === 'lost') return;
    }
  })();
  return child;
}

/** Freezes and suspensions, at any moment. */
function disturb(play: Play, process: SimulatedProcess): void {
  const { dice, scheduler } = play;
  for (let times = dice.pick([0, 0, 1, 2]); times > 0; times--) {
    const duration = dice.pick([1_000, 20_000, 3 * MINUTE, 6 * MINUTE, 12 * MINUTE, 75 * MINUTE]);
    const suspended = dice.chance(0.5);
    scheduler.at(scheduler.now + dice.between(1, 20 * MINUTE), () => {
      play.tell(`${process.name}: ${suspended ? 'suspended' : 'frozen'} for ${duration / 1_000}s`);
      process.freeze(duration, suspended);
    });
  }
}

/** Closes and reopens the item, and cleans up after it. */
async function cleaner(play: Play): Promise<void> {
  const { dice } = play;
  while (!play.isOver) {
    await play.sleep(dice.between(10 * MINUTE, 60 * MINUTE));
    play.itemOpen = dice.chance(0.4);
    play.tell(`the item is ${play.itemOpen ? 'open' : 'closed'}`);
    const process = play.job().process('cleanup');
    disturb(play, process);
    const cleaning = new Job(play, 900).cleanup(process);
    await Promise.race([cleaning, play.sleep(20 * MINUTE)]);
    if (dice.chance(0.7)) play.itemOpen = true;
  }
}

/** Long after the bad weather: the item is closed, swept twice a day apart, and reopened. */
async function epilogue(play: Play): Promise<void> {
  await play.sleep(play.end - START + 5 * 60 * MINUTE);
  play.host.weather = FAIR;
  play.itemOpen = false;
  const hours = play.dice.pick([
    [0, 2, 26],
    [0, 26],
    [0, 26, 1],
  ]);
  for (const pause of hours) {
    await play.sleep(pause * 60 * MINUTE);
    const job = new Job(play, 901);
    await job.cleanup(job.process('cleanup'));
  }
  play.itemOpen = true;
}

/** Deletes what an hour has passed over, as every release of a long log does, but more often. */
async function sweeper(play: Play): Promise<void> {
  const { dice, engine, host, history } = play;
  while (!play.isOver) {
    await play.sleep(dice.between(MINUTE, 12 * MINUTE));
    const process = new SimulatedProcess(play.scheduler, 'sweeper');
    const store = host.open(process);
    try {
      const { slots, time } = await store.observe(history.key);
      const commits = await store.readAll(slots.map(({ sha }) => sha));
      await store.remove(history.key, engine.superseded(slots, commits, time.date));
    } catch (error) {
      if (!(error instanceof engine.ClaimError)) throw error;
    }
  }
}

async function admin(play: Play): Promise<void> {
  const { dice } = play;
  while (!play.isOver) {
    await play.sleep(dice.between(20 * MINUTE, 90 * MINUTE));
    if (dice.chance(0.3))
      await Promise.race([
        new Job(play, 950).free(new Job(play, 950).process('free')),
        play.sleep(5 * MINUTE),
      ]);
  }
}

/** In fair weather again, somebody polls: nobody may be stuck for longer than a ttl and one poll. */
async function lastContender(play: Play): Promise<void> {
  const { history, host, scheduler } = play;
  await play.sleep(play.end - START + 40 * 60 * MINUTE);
  host.weather = FAIR;
  play.itemOpen = true;
  const began = scheduler.now;
  const job = new Job(play, 999);
  for (;;) {
    const report = await job.claim(job.process('main'));
    if (report && (OWNED.has(report.outcome) || report.outcome === 'done')) break;
    if (scheduler.now - began > 24 * 60 * MINUTE) break;
    await play.sleep(POLL);
  }
  history.stuckFor = Math.max(0, scheduler.now - began - LEASE.ttl);
}

/** Plays a history to its end. */
export async function play(plot: Plot): Promise<History> {
  const stage = new Play(plot);
  for (let count = plot.workers ?? 3; count > 0; count--) void worker(stage);
  if (stage.dice.chance(0.5)) void cleaner(stage);
  if (stage.dice.chance(0.3)) void admin(stage);
  if (stage.dice.chance(0.5)) void epilogue(stage);
  if (stage.dice.chance(0.5)) void sweeper(stage);
  void lastContender(stage);
  await stage.scheduler.run(stage.end + 70 * 60 * MINUTE);
  return stage.history;
}

export const TTL_MINUS_DEADLINE = LEASE.ttl - LEASE.renewDeadline;
