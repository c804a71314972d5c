import { createHash } from 'node:crypto';
import { entryRef, keyPrefix, sequenceOf } from '../engine/key.js';
import type { ClaimStore, Clock, Commit, CreateAnswer, HostTime, Slot } from '../ports.js';
import { logsOf } from './logs.js';

/**
 * Claim logs in this process's memory: the reference of what a store does, without a host. Several
 * stores may share one `MemoryHost`, as several processes share a server.
 */
export class MemoryHost {
  readonly refs = new Map<string, string>();
  readonly commits = new Map<string, Commit & { parent: string | undefined }>();
  /** The host's clock, epoch milliseconds. */
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** As hosts show time: in whole seconds. */
  seconds(): number {
    return Math.floor(this.now() / 1_000) * 1_000;
  }
}

export class MemoryStore implements ClaimStore {
  readonly #host: MemoryHost;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #author: string;

  constructor(host: MemoryHost, clock: Pick<Clock, 'monotonic'>, author = 'claim-bot') {
    this.#host = host;
    this.#clock = clock;
    this.#author = author;
  }

  async observe(key: string) {
    const prefix = keyPrefix(key);
    const slots = [...this.#host.refs]
      .filter(([ref]) => ref.startsWith(prefix))
      .map(([ref, sha]) => ({ sequence: sequenceOf(key, ref) ?? 0, sha }))
      .filter(({ sequence }) => sequence > 0)
      .sort((a, b) => a.sequence - b.sequence);
    return { slots, time: this.#time() };
  }

  async read(sha: string) {
    const commit = this.#host.commits.get(sha);
    return commit && { commit, time: this.#time() };
  }

  async list(prefix: string) {
    return { logs: logsOf(this.#host.refs, prefix), time: this.#time() };
  }

  async readAll(shas: string[]) {
    const found = shas.flatMap((sha) => this.#host.commits.get(sha) ?? []);
    return new Map(found.map((commit) => [commit.sha, commit]));
  }

  async mint(message: string, parent: string | undefined): Promise<Commit> {
    const stamp = this.#host.seconds();
    const sha = createHash('sha1').update(`${parent}\n${stamp}\n${message}`).digest('hex');
    const commit = { sha, message, stamp, author: this.#author, parent };
    this.#host.commits.set(sha, commit);
    return commit;
  }

  async create(key: string, sequence: number, sha: string): Promise<CreateAnswer> {
    const ref = entryRef(key, sequence);
    if (!this.#host.commits.has(sha)) return { type: 'unclear', problem: `there is no commit ${sha}` };
    if (this.#host.refs.has(ref)) return { type: 'exists' };
    this.#host.refs.set(ref, sha);
    return { type: 'created', time: this.#time() };
  }

  async remove(key: string, run: Slot[]): Promise<void> {
    for (const { sequence } of run) this.#host.refs.delete(entryRef(key, sequence));
  }

  #time(): HostTime {
    const at = this.#clock.monotonic();
    return { date: this.#host.seconds(), sentAt: at, receivedAt: at };
  }
}
