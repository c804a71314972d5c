import type { ServerClock } from './clock.js';
import type { BareRepository } from './git/repository.js';
import type { Lag } from './lag.js';
import type { People } from './state/people.js';
import type { Runs } from './state/runs.js';
import type { Statuses } from './state/statuses.js';
import type { Tracker } from './state/tracker.js';

/** Everything that the routes read and change. */
export interface World {
  /** Where the server listens: `http://127.0.0.1:<port>`. */
  url: string;
  /** `owner/name`. */
  repository: string;
  git: BareRepository;
  clock: ServerClock;
  lag: Lag;
  /** When the repository was made, by the host's clock. */
  createdAt: number;
  /** Whether the empty tree is known only once it was made, which nothing here can do. */
  refuseEmptyTree: boolean;
  /** Whether there is GraphQL at all. */
  graphql: boolean;
  people: People;
  tracker: Tracker;
  statuses: Statuses;
  runs: Runs;
  /** The runs that were asked to stop. */
  cancelled: number[];
}

/** Where the repository is, for programs and for people. */
export function placesOf({ url, repository }: World) {
  return { api: `${url}/repos/${repository}`, html: `${url}/${repository}` };
}

/** Epoch milliseconds as GitHub writes times. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** GitHub's opaque ids: the same thing has the same one. */
export function nodeId(kind: string, key: string | number): string {
  return Buffer.from(`${kind}:${key}`).toString('base64url');
}

/** GitHub's numeric ids: the same thing has the same one. */
export function idOf(text: string): number {
  let id = 7;
  for (const char of text) id = (id * 31 + (char.codePointAt(0) ?? 0)) % 1_000_000_007;
  return id;
}
