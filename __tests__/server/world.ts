import type { ServerClock } from './clock.js';
import type { BareRepository } from './git/repository.js';

/** An issue, or with `pull` a pull request. */
export interface Issue {
  number: number;
  title?: string;
  state?: 'open' | 'closed';
  /** `head` is the sha of its head; the branch is `topic-<number>` unless named. */
  pull?: { head: string; ref?: string; merged?: boolean };
  /** Transferred: answered with 301. The repository is this one unless named. */
  movedTo?: { repository?: string; number: number };
  /** Answered with 410. */
  deleted?: boolean;
}

/** Everything that the routes read and change. */
export interface World {
  /** Where the server listens: `http://127.0.0.1:<port>`. */
  url: string;
  /** `owner/name`. */
  repository: string;
  git: BareRepository;
  clock: ServerClock;
  /** Whether the empty tree is known only once it was made, which nothing here can do. */
  refuseEmptyTree: boolean;
  issues: Map<number, Issue & { createdAt: string }>;
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

/** What GitHub puts wherever an account is named. */
export function userShape(world: World, login: string) {
  return {
    login,
    id: idOf(login),
    node_id: nodeId('User', login),
    url: `${world.url}/users/${encodeURIComponent(login)}`,
    html_url: `${world.url}/${encodeURIComponent(login)}`,
    type: login.endsWith('[bot]') ? 'Bot' : 'User',
    site_admin: false,
  };
}

function idOf(text: string): number {
  let id = 7;
  for (const char of text) id = (id * 31 + (char.codePointAt(0) ?? 0)) % 1_000_000_007;
  return id;
}
