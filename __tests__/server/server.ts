import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answers.js';
import { ServerClock } from './clock.js';
import { controlsOf } from './control.js';
import { exchange, type Passage } from './exchange.js';
import { type Fault, Faults, type Injected, type RequestRecord } from './faults.js';
import { BareRepository } from './git/repository.js';
import { Lag } from './lag.js';
import { Limits } from './limits.js';
import { Listener } from './listener.js';
import { Contract } from './openapi/contract.js';
import { type Account, FULL_WRITE } from './permissions.js';
import type { Item, NewItem } from './state/item.js';
import { People, type PeopleOptions } from './state/people.js';
import { type Conclusion, type NewRun, type NewStep, Runs } from './state/runs.js';
import { type Status, Statuses } from './state/statuses.js';
import { Tracker } from './state/tracker.js';
import type { World } from './world.js';

export interface ServerOptions extends PeopleOptions {
  /** Default: `octo/demo`. */
  repository?: string;
  /** Default: `test-token`, of the account `claim-bot` that may write everything. */
  tokens?: Record<string, Account>;
  /** Milliseconds that a request and its answer are on their way, half of it each. Default: 0. */
  delay?: number;
  /** Answers 422 to a commit on the empty tree, and 404 where it is read. */
  refuseEmptyTree?: boolean;
  /** Whether GraphQL is answered; else it's 404. Default: true. */
  graphql?: boolean;
  /** Where the bare repository is or will be; it is left there. Default: a temporary one. */
  directory?: string;
  /** No first commit on `main`. */
  emptyRepository?: boolean;
  /** Changes an answer before it is held against GitHub's description: a test of that description. */
  revise?: (answer: Answer, request: RequestRecord) => Answer;
}

/** A GitHub for one repository, on a real git repository, as far as this project asks for it. */
export interface GitHubServer {
  /** `http://127.0.0.1:<port>`: the API's base URL; links for people start with it too. */
  url: string;
  repository: string;
  /** The bare repository: `git -C <directory> log refs/claims/…`. */
  directory: string;
  /** For requests that arrive from now on. */
  delay: number;
  /** The host's time: that of `Date` headers and of the stamps of commits. */
  clock: Pick<ServerClock, 'now' | 'seconds' | 'advance'>;
  /** How far reads are behind writes: not at all by default. */
  lag: Pick<Lag, 'listing' | 'commits' | 'freeze'>;
  /** Every request in the order of arrival, those not answered yet included. */
  requests: RequestRecord[];
  /** Adds an issue or a pull request; one of the same number is replaced. */
  addIssue(issue: NewItem): void;
  /** By the repository's owner, unless named. */
  closeIssue(number: number, how?: { merged?: boolean; by?: string }): void;
  reopenIssue(number: number, how?: { by?: string }): void;
  /** Moves the head of a pull request. */
  push(number: number, sha: string): void;
  /** What an item is like now; it doesn't change with it. */
  issue(number: number): Item;
  /** The statuses of a commit, newest first. */
  statuses(sha: string): Status[];
  /** Adds a run, or one more attempt of it, with its jobs. */
  addRun(run: NewRun): void;
  /** Ends a job, and its steps unless they are given: a lost runner leaves them running. */
  endJob(id: number, conclusion?: Conclusion, how?: { steps?: NewStep[] }): void;
  inject(fault: Fault): Injected;
  clearFaults(): void;
  /**
   * Sets what is left of the hour of an account, of all unless named, and enforces it.
   * `resetIn` is in seconds of the host's clock; after it there is no limit again.
   */
  limit(how: { left: number; resetIn?: number; resource?: 'core' | 'graphql'; login?: string }): void;
  /** Where the server itself was wrong: what it answered isn't what GitHub would, by its own description. */
  violations: readonly string[];
  /** Ids of the runs that were asked to stop. */
  cancelled: number[];
  /** The refs on disk, by full name; all those that start with `prefix`. */
  refs(prefix?: string): Promise<Map<string, string>>;
  /** Subjects and trailers of a ref's history, newest first. */
  log(ref: string): Promise<string>;
  /**
   * Breaks what is open, waits until nothing is at work, and removes what the server made.
   * Throws at the end if there were violations.
   */
  close(): Promise<void>;
}

const DEFAULT_TOKENS = { 'test-token': { login: 'claim-bot', permissions: FULL_WRITE } };

export async function startServer(options: ServerOptions = {}): Promise<GitHubServer> {
  const directory = resolve(options.directory ?? (await mkdtemp(join(tmpdir(), 'github-'))));
  const tokens = new Map(Object.entries(options.tokens ?? DEFAULT_TOKENS));
  const accounts = [...tokens.values()];
  const world = await openWorld(directory, accounts, options);
  const closing = new AbortController();
  // Every delayed request listens to it.
  setMaxListeners(0, closing.signal);
  const wait = (milliseconds: number) => sleep(milliseconds, undefined, { signal: closing.signal });
  const passage: Passage = {
    ...{ world, tokens, wait, requests: [] },
    faults: new Faults(wait),
    limits: new Limits(),
    contract: new Contract(),
    revise: options.revise ?? ((answer) => answer),
    delay: () => server.delay,
  };
  const listener = new Listener((request, response) => exchange(passage, request, response));
  world.url = await listener.listen();

  const server: GitHubServer = {
    ...controlsOf(world),
    url: world.url,
    repository: world.repository,
    directory,
    delay: options.delay ?? 0,
    requests: passage.requests,
    inject: (fault) => passage.faults.inject(fault),
    clearFaults: () => passage.faults.clear(),
    limit({ left, resetIn = 3_600, resource = 'core', login }) {
      const logins = login === undefined ? accounts.map((account) => account.login) : [login];
      const reset = world.clock.seconds() + resetIn;
      for (const each of logins) passage.limits.leave(each, resource, left, reset);
    },
    violations: passage.contract.violations,
    async close() {
      closing.abort();
      passage.faults.close();
      await listener.close();
      await world.git.close();
      if (!options.directory) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      passage.contract.settle();
    },
  };
  return server;
}

async function openWorld(directory: string, accounts: Account[], options: ServerOptions): Promise<World> {
  const { repository = 'octo/demo', refuseEmptyTree = false, graphql = true } = options;
  const [owner = ''] = repository.split('/');
  const clock = new ServerClock();
  const lag = new Lag(clock);
  const git = await BareRepository.open(directory, lag);
  if (!options.emptyRepository) await git.seed(`# ${repository}\n`, clock.seconds());
  const writers = accounts.filter(({ permissions }) => permissions.contents === 'write');
  return {
    ...{ url: '', repository, git, clock, lag, refuseEmptyTree, graphql },
    ...{ createdAt: clock.now(), cancelled: [] },
    people: new People(
      owner,
      writers.map(({ login }) => login),
      options,
    ),
    tracker: new Tracker(clock, owner),
    statuses: new Statuses(clock),
    runs: new Runs(clock),
  };
}
