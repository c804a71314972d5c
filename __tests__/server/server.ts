import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answers.js';
import { ServerClock } from './clock.js';
import { exchange, type Passage } from './exchange.js';
import { type Fault, Faults, type Injected, type RequestRecord } from './faults.js';
import { BareRepository } from './git/repository.js';
import { Limits } from './limits.js';
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
  clock: { now(): number; advance(milliseconds: number): void };
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

/** Longer than any client keeps a connection: one closed under a request would be a fault that no test asked for. */
const KEEP_ALIVE = 120_000;

export async function startServer(options: ServerOptions = {}): Promise<GitHubServer> {
  const { repository = 'octo/demo', tokens = DEFAULT_TOKENS, refuseEmptyTree = false } = options;
  const directory = resolve(options.directory ?? (await mkdtemp(join(tmpdir(), 'github-'))));
  const clock = new ServerClock();
  const git = await BareRepository.open(directory);
  if (!options.emptyRepository) await git.seed(`# ${repository}\n`, clock.seconds());

  const closing = new AbortController();
  // Every delayed request listens to it.
  setMaxListeners(0, closing.signal);
  const wait = (milliseconds: number) => sleep(milliseconds, undefined, { signal: closing.signal });
  const [owner = ''] = repository.split('/');
  const writers = Object.values(tokens).filter(({ permissions }) => permissions.contents === 'write');
  const world: World = {
    ...{ url: '', repository, git, clock, refuseEmptyTree, createdAt: clock.now(), cancelled: [] },
    people: new People(
      owner,
      writers.map(({ login }) => login),
      options,
    ),
    tracker: new Tracker(clock, owner),
    statuses: new Statuses(clock),
    runs: new Runs(clock),
  };
  const passage: Passage = {
    world,
    tokens: new Map(Object.entries(tokens)),
    faults: new Faults(wait),
    limits: new Limits(),
    requests: [],
    contract: new Contract(),
    revise: options.revise ?? ((answer) => answer),
    delay: () => server.delay,
    wait,
  };
  const http = serve(passage);
  world.url = await http.listen();

  const server: GitHubServer = {
    url: world.url,
    repository,
    directory,
    delay: options.delay ?? 0,
    clock,
    requests: passage.requests,
    ...inProcess(world, owner),
    inject: (fault) => passage.faults.inject(fault),
    clearFaults: () => passage.faults.clear(),
    violations: passage.contract.violations,
    cancelled: world.cancelled,
    refs: async (prefix = '') => new Map((await git.list(prefix)).map(({ name, sha }) => [name, sha])),
    log: (ref) => git.log(ref),
    async close() {
      closing.abort();
      passage.faults.close();
      await http.close();
      await git.close();
      if (!options.directory) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      passage.contract.settle();
    },
  };
  return server;
}

/** What a test may do to the host, and ask it, without a request. */
function inProcess({ tracker, statuses, runs }: World, owner: string) {
  const known = (number: number) => {
    const item = tracker.item(number);
    if (!item) throw new Error(`there is no #${number}`);
    return item;
  };
  return {
    addIssue: (issue) => void tracker.add(issue),
    closeIssue: (number, { merged = false, by = owner } = {}) => tracker.close(known(number), by, { merged }),
    reopenIssue: (number, { by = owner } = {}) => tracker.reopen(known(number), by),
    push: (number, sha) => tracker.push(known(number), sha),
    issue: (number) => structuredClone(known(number)),
    statuses: (sha) => structuredClone(statuses.of(sha)),
    addRun: (run) => runs.add(run),
    endJob: (id, conclusion, how) => runs.end(id, conclusion, how),
  } satisfies Partial<GitHubServer>;
}

/** Listens on a free port of this machine only; each request is on its own, none waits for another. */
function serve(passage: Passage) {
  const atWork = new Set<Promise<void>>();
  const http: Server = createServer((request, response) => {
    const work = exchange(passage, request, response).finally(() => atWork.delete(work));
    atWork.add(work);
  });
  http.keepAliveTimeout = KEEP_ALIVE;
  return {
    async listen(): Promise<string> {
      await new Promise<void>((resolve, reject) => {
        http.on('error', reject);
        http.listen(0, '127.0.0.1', resolve);
      });
      return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    },
    async close(): Promise<void> {
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await closed;
      await Promise.all(atWork);
    },
  };
}
