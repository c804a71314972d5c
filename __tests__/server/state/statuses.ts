import type { ServerClock } from '../clock.js';

export const STATES = ['error', 'failure', 'pending', 'success'] as const;

/** A commit status. Times are the host's, epoch milliseconds. */
export interface Status {
  id: number;
  sha: string;
  state: (typeof STATES)[number];
  context: string;
  description: string | null;
  targetUrl: string | null;
  creator: string;
  createdAt: number;
}

/** The statuses of commits: each one stays, and the newest of a context counts. */
export class Statuses {
  readonly #clock: ServerClock;
  readonly #statuses: Status[] = [];

  constructor(clock: ServerClock) {
    this.#clock = clock;
  }

  add(given: Omit<Status, 'id' | 'createdAt'>): Status {
    const status = { ...given, id: this.#statuses.length + 1, createdAt: this.#clock.now() };
    this.#statuses.push(status);
    return status;
  }

  /** All of a commit, newest first. */
  of(sha: string): Status[] {
    return this.#statuses.filter((status) => status.sha === sha).reverse();
  }

  /** Those that count. */
  latestOf(sha: string): Status[] {
    const seen = new Set<string>();
    return this.of(sha).filter(({ context }) => !seen.has(context) && seen.add(context));
  }
}
