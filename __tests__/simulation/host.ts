import { createHash } from 'node:crypto';
import { entryRef, keyPrefix, sequenceOf } from '../../src/engine/key.js';
import type { ClaimError } from '../../src/engine/outcome.js';
import type { ClaimStore, Commit, CreateAnswer, HostTime, Slot } from '../../src/ports.js';
import { logsOf } from '../../src/stores/logs.js';
import type { Dice, Scheduler, SimulatedProcess } from './scheduler.js';

/** One ref's life. */
export interface RefLife {
  ref: string;
  sha: string;
  createdAt: number;
  deletedAt: number;
}

/** How unkind the world is; each a probability of one request. */
export interface Weather {
  lostBefore: number;
  lostAfter: number;
  failed: number;
  limited: number;
  /** Arrives or is answered late, by up to hours. */
  slow: number;
  /** Carried out a second time, later. */
  doubled: number;
  /** A list or a commit is shown as it was a while ago. */
  lagging: number;
  /** The process freezes or is suspended just when its answer arrives. */
  freezing: number;
}

export const FAIR: Weather = {
  lostBefore: 0,
  lostAfter: 0,
  failed: 0,
  limited: 0,
  slow: 0,
  doubled: 0,
  lagging: 0,
  freezing: 0,
};
const TIMEOUT = 10_000;
const TRIES = 4;

/** What a store of a weakened kind does otherwise. */
export interface StoreMutation {
  /** Every refusal of a creation is read as "exists". */
  anyRefusalExists?: boolean;
  /** A layer below holds a creation back for as long as a limit lasts. */
  heldBack?: boolean;
  /** A creation that is already there is moved instead. */
  moves?: boolean;
}

/** A git host: creations are atomic, lists and commits may be shown late. */
export class SimulatedHost {
  readonly lives: RefLife[] = [];
  readonly commits = new Map<string, Commit & { at: number; parent: string | undefined }>();
  weather: Weather;
  mutation: StoreMutation = {};
  readonly scheduler: Scheduler;
  readonly dice: Dice;
  /** Told of all that happens. */
  readonly tell: (what: string) => void;
  /** The errors of the engine that plays. */
  readonly ClaimError: typeof ClaimError;

  constructor(
    scheduler: Scheduler,
    dice: Dice,
    weather: Weather,
    tell: (what: string) => void,
    errors: typeof ClaimError,
  ) {
    this.scheduler = scheduler;
    this.dice = dice;
    this.weather = weather;
    this.tell = tell;
    this.ClaimError = errors;
  }

  refsAt(moment: number): Map<string, string> {
    const alive = this.lives.filter((life) => life.createdAt <= moment && moment < life.deletedAt);
    return new Map(alive.map(({ ref, sha }) => [ref, sha]));
  }

  alive(ref: string): RefLife | undefined {
    return this.lives.find((life) => life.ref === ref && life.deletedAt === Number.POSITIVE_INFINITY);
  }

  create(ref: string, sha: string, by: string): 'created' | 'exists' {
    const there = this.alive(ref);
    if (there && !this.mutation.moves) return 'exists';
    if (there) there.deletedAt = this.scheduler.now;
    this.lives.push({ ref, sha, createdAt: this.scheduler.now, deletedAt: Number.POSITIVE_INFINITY });
    this.tell(`host: ${ref.slice(-8)} created by ${by}: ${this.commits.get(sha)?.message.split('\n')[0]}`);
    return 'created';
  }

  remove(ref: string): void {
    const there = this.alive(ref);
    if (there) there.deletedAt = this.scheduler.now;
    if (there) this.tell(`host: ${ref.slice(-8)} deleted`);
  }

  /** The moment that an answer carries: whole seconds, from one of several machines. */
  stamp(): number {
    return Math.floor((this.scheduler.now + this.dice.between(-300, 300)) / 1_000) * 1_000;
  }

  open(process: SimulatedProcess, author = 'claim-bot'): ClaimStore {
    return new SimulatedStore(this, process, author);
  }
}

type Fate = 'answered' | 'lost' | 'failed' | 'limited';

class SimulatedStore implements ClaimStore {
  readonly #host: SimulatedHost;
  readonly #process: SimulatedProcess;
  readonly #author: string;

  constructor(host: SimulatedHost, process: SimulatedProcess, author: string) {
    this.#host = host;
    this.#process = process;
    this.#author = author;
  }

  observe(key: string): Promise<{ slots: Slot[]; time: HostTime }> {
    return this.#patiently(() => {
      const slots = [...this.#seen()].flatMap(([ref, sha]) => {
        const sequence = sequenceOf(key, ref);
        return sequence ? [{ sequence, sha }] : [];
      });
      return slots.sort((a, b) => a.sequence - b.sequence);
    }).then(({ value, time }) => ({ slots: value, time }));
  }

  list(prefix: string): Promise<{ logs: Map<string, Slot[]>; time: HostTime }> {
    return this.#patiently(() => logsOf(this.#seen(), prefix)).then(({ value, time }) => ({
      logs: value,
      time,
    }));
  }

  async read(sha: string): Promise<{ commit: Commit; time: HostTime } | undefined> {
    const { value, time } = await this.#patiently(() => this.#commit(sha));
    return value && { commit: value, time };
  }

  async readAll(shas: string[]): Promise<Map<string, Commit>> {
    const { value } = await this.#patiently(() => shas.flatMap((sha) => this.#commit(sha) ?? []));
    return new Map(value.map((commit) => [commit.sha, commit]));
  }

  async mint(message: string, parent: string | undefined): Promise<Commit> {
    const { value } = await this.#patiently(() => {
      const stamp = this.#host.stamp();
      const sha = createHash('sha1').update(`${parent} ${stamp} ${message}`).digest('hex');
      const commit = { sha, message, stamp, author: this.#author, parent, at: this.#host.scheduler.now };
      this.#host.commits.set(sha, commit);
      return commit;
    });
    return value;
  }

  async create(key: string, sequence: number, sha: string): Promise<CreateAnswer> {
    const ref = entryRef(key, sequence);
    const { heldBack, anyRefusalExists } = this.#host.mutation;
    if (heldBack && this.#host.weather !== FAIR && this.#host.dice.chance(0.2))
      await this.#process.sleep(3_600_000 + 300_000);
    const { fate, value, time } = await this.#once(() => this.#host.create(ref, sha, this.#process.name));
    if (fate === 'limited') return { type: 'limited', retryAfter: 30_000, problem: 'HTTP 429' };
    if (fate !== 'answered' || !time) {
      return anyRefusalExists && fate === 'failed' ? { type: 'exists' } : { type: 'unclear', problem: fate };
    }
    return value === 'created' ? { type: 'created', time } : { type: 'exists' };
  }

  async remove(key: string, run: Slot[]): Promise<void> {
    for (const { sequence } of run) {
      const { fate } = await this.#once(() => this.#host.remove(entryRef(key, sequence)));
      if (fate !== 'answered')
        throw new this.#host.ClaimError('unavailable', `unavailable: ${keyPrefix(key)}: ${fate}`);
    }
  }

  #seen(): Map<string, string> {
    const { scheduler, dice, weather } = this.#host;
    const lag = dice.chance(weather.lagging) ? dice.between(100, 8_000) : 0;
    return this.#host.refsAt(scheduler.now - lag);
  }

  #commit(sha: string): Commit | undefined {
    const commit = this.#host.commits.get(sha);
    const { scheduler, dice, weather } = this.#host;
    const fresh = commit && scheduler.now - commit.at < 3_000;
    return fresh && dice.chance(weather.lagging) ? undefined : commit;
  }

  /** What may safely be repeated is repeated, as a store does it. */
  async #patiently<T>(act: () => T): Promise<{ value: T; time: HostTime }> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const { fate, value, time } = await this.#once(act);
      if (fate === 'answered' && time) return { value: value as T, time };
      await this.#process.sleep(attempt * attempt * 1_000);
    }
    throw new this.#host.ClaimError('unavailable', 'unavailable: no answer');
  }

  /** One request, with the fate that the dice have for it. */
  #once<T>(act: () => T): Promise<{ fate: Fate; value?: T; time?: HostTime }> {
    const { scheduler, dice, weather } = this.#host;
    const sentAt = this.#process.monotonic();
    const sent = scheduler.now;
    const arrival = sent + delay(dice, weather.slow);
    const lostBefore = dice.chance(weather.lostBefore);
    const refused = dice.chance(weather.limited)
      ? 'limited'
      : dice.chance(weather.failed / 2)
        ? 'failed'
        : undefined;
    const unanswered = dice.chance(weather.lostAfter)
      ? 'lost'
      : dice.chance(weather.failed / 2)
        ? 'failed'
        : undefined;
    const back = delay(dice, weather.slow);
    const doubled = dice.chance(weather.doubled) ? dice.pick([1_000, 60_000, 900_000, 4_500_000]) : 0;
    return new Promise((arrived) => {
      const resolve = (result: { fate: Fate; value?: T; time?: HostTime }) => {
        if (!dice.chance(weather.freezing)) return arrived(result);
        const duration = dice.pick([20_000, 450_000, 590_000, 700_000, 700_000, 4_000_000]);
        this.#host.tell(`${this.#process.name}: stands still for ${duration / 1_000}s`);
        this.#process.freeze(duration, dice.chance(0.7));
        this.#process.deliver(scheduler.now, () => arrived(result));
      };
      const answer = (moment: number, result: { fate: Fate; value?: T; time?: HostTime }) => {
        const late = moment - sent > TIMEOUT;
        this.#process.deliver(late ? sent + TIMEOUT : moment, () =>
          resolve(late ? { fate: 'lost' } : result),
        );
      };
      if (lostBefore) return answer(sent + TIMEOUT + 1, { fate: 'lost' });
      if (arrival - sent > TIMEOUT) answer(arrival, { fate: 'lost' });
      scheduler.at(arrival, () => {
        const settled = arrival - sent > TIMEOUT;
        if (refused && !settled) answer(scheduler.now + back, { fate: refused });
        if (refused) return;
        const value = act();
        if (doubled) scheduler.at(scheduler.now + doubled, () => act());
        if (settled) return;
        if (unanswered) {
          return answer(scheduler.now + (unanswered === 'lost' ? TIMEOUT + 1 : back), { fate: unanswered });
        }
        const date = this.#host.stamp();
        const actedAt = scheduler.now;
        this.#process.deliver(actedAt + Math.min(back, Math.max(0, sent + TIMEOUT - actedAt)), () => {
          if (actedAt + back - sent > TIMEOUT) return resolve({ fate: 'lost' });
          this.#process.answeredAt = actedAt;
          resolve({ fate: 'answered', value, time: { date, sentAt, receivedAt: this.#process.monotonic() } });
        });
      });
    });
  }
}

function delay(dice: Dice, slow: number): number {
  return dice.chance(slow) ? dice.pick([5_000, 30_000, 130_000, 700_000, 4_000_000]) : dice.between(5, 200);
}
