import { itemOf } from '../../src/engine/key.js';
import { ClaimError } from '../../src/engine/outcome.js';
import { CLEAR_DEADLINE, DEFAULT_LEASE } from '../../src/engine/policy.js';
import { type ClaimRequest, claim } from '../../src/modes/claim.js';
import { cleanup } from '../../src/modes/cleanup.js';
import type { Meaning } from '../../src/modes/meant.js';
import { heartbeat, verify } from '../../src/modes/prove.js';
import { free, release } from '../../src/modes/release.js';
import type { World } from '../../src/modes/world.js';
import type { ClaimStore, Handle, Item } from '../../src/ports.js';
import { MemoryHost, MemoryStore } from '../../src/stores/memory.js';
import { FakeClock } from './clock.js';
import { NOON, processOfRun } from './entries.js';

/** One host in memory and any number of jobs on it, all on one clock that tests move. */
export class Office {
  readonly clock = new FakeClock();
  readonly host = new MemoryHost(() => NOON + this.clock.elapsed);
  readonly items = new Map<number, Item>();
  #digits = 0;

  addItem(number: number, change: Partial<Item> = {}): void {
    const url = `https://github.com/octo/demo/issues/${number}`;
    this.items.set(number, { number, kind: 'issue', title: `Item ${number}`, url, open: true, ...change });
  }

  job(run: number, id = '1', author = 'claim-bot'): Worker {
    return new Worker(this, run, id, author);
  }

  /** Digits that differ from call to call and from test to test alike. */
  digits(count: number): string {
    this.#digits += 1;
    return this.#digits.toString(16).padStart(count, '0').slice(-count);
  }

  /** The subjects of a key's log, oldest first. */
  story(key: string): string[] {
    const refs = [...this.host.refs].filter(([ref]) => ref.startsWith(`refs/claims/${key}/`)).sort();
    return refs.map(([, sha]) => this.host.commits.get(sha)?.message.split('\n')[0] ?? '?');
  }
}

/** What a test does to the calls of one job's store; each may act, fail, wait, or do anything first. */
export type Interference = {
  [Name in keyof ClaimStore]?: (
    act: () => ReturnType<ClaimStore[Name]>,
    call: number,
  ) => ReturnType<ClaimStore[Name]>;
};

/** One job: its store, its handles, its modes. */
export class Worker {
  interference: Interference = {};
  readonly handles = new Map<string, Handle>();
  /** What a claim step saved for its post step. */
  step: Handle | undefined;
  readonly world: World;

  constructor(office: Office, run: number, id: string, author: string) {
    const process = processOfRun(run, id);
    this.world = {
      protocol: {
        store: this.#interfered(new MemoryStore(office.host, office.clock, author)),
        clock: office.clock,
        entropy: (count) => office.digits(count),
        deadline: CLEAR_DEADLINE,
      },
      tracker: {
        item: async (number) => {
          const item = office.items.get(number);
          if (!item) throw new ClaimError('invalid-input', `invalid-input: item-${number} is none`);
          return item;
        },
      },
      mirror: { show: async () => {}, remove: async () => {} },
      handles: {
        save: (handle) => void this.handles.set(`${handle.key}@${handle.chain}`, structuredClone(handle)),
        all: () => structuredClone([...this.handles.values()]),
      },
      step: {
        save: (handle) => {
          this.step = structuredClone(handle);
        },
      },
      home: 'https://github.com/octo/demo',
      process,
    };
  }

  claim(key = 'deploy/prod', change: Partial<ClaimRequest> = {}) {
    const number = itemOf(key);
    const target: ClaimRequest['target'] =
      number === undefined ? { key } : { number, kind: 'issue', perAgent: false, perHead: false };
    const usual = { lease: DEFAULT_LEASE, maxTakeovers: 3, presented: [], force: false, sameActor: false };
    return claim({ target, agent: `agent-${this.#run}`, ...usual, ...change }, this.world);
  }

  free(key: string, reason: string) {
    return free({ key, agent: `agent-${this.#run}`, lease: DEFAULT_LEASE, text: reason }, this.world);
  }

  cleanup(number: number) {
    return cleanup({ number, kind: undefined }, this.world);
  }

  verify(meaning: Partial<Meaning> = {}) {
    return verify({ required: false, ...meaning }, this.world);
  }

  heartbeat() {
    return heartbeat({ required: false }, this.world);
  }

  release(ending: 'released' | 'failed' | 'done' = 'released') {
    return release({ meaning: { required: false }, ending }, this.world);
  }

  get #run(): string {
    return /runs\/(\d+)/.exec(this.world.process.run)?.[1] ?? '';
  }

  #interfered(store: MemoryStore): ClaimStore {
    const calls = { observe: 0, list: 0, read: 0, readAll: 0, mint: 0, create: 0, remove: 0 };
    const through = <Name extends keyof ClaimStore>(name: Name, act: () => ReturnType<ClaimStore[Name]>) => {
      calls[name] += 1;
      return this.interference[name]?.(act, calls[name]) ?? act();
    };
    return {
      observe: (key) => through('observe', () => store.observe(key)),
      list: (prefix) => through('list', () => store.list(prefix)),
      readAll: (shas) => through('readAll', () => store.readAll(shas)),
      remove: (key, run) => through('remove', () => store.remove(key, run)),
      read: (sha) => through('read', () => store.read(sha)),
      mint: (message, parent) => through('mint', () => store.mint(message, parent)),
      create: (key, sequence, sha) => through('create', () => store.create(key, sequence, sha)),
    };
  }
}
