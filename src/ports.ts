import type { Process } from './engine/entry.js';
import type { LostReason } from './engine/outcome.js';
import type { Standing } from './engine/state.js';

/**
 * The narrow interfaces between what is decided and the world. Stores, trackers and entries
 * implement them; the protocol and the modes know nothing else.
 */

/** When an answer was given: the host's `Date` and this process's monotonic clock around it, in milliseconds. */
export interface HostTime {
  /** The host's clock, epoch milliseconds in whole seconds. */
  date: number;
  sentAt: number;
  receivedAt: number;
}

/** One ref of a key's log. */
export interface Slot {
  sequence: number;
  sha: string;
}

/** A commit as the host keeps it. */
export interface Commit {
  sha: string;
  message: string;
  /** The host's stamp, epoch milliseconds in whole seconds. */
  stamp: number;
  /** The account that the host stamped it with: `name <mail>`. */
  author: string;
}

/** What a host said to the creation of an entry. */
export type CreateAnswer =
  | { type: 'created'; time: HostTime }
  /** The slot is taken, by somebody or by an earlier try of mine. */
  | { type: 'exists' }
  /** No answer, or one that says nothing certain: it may or may not have been created. */
  | { type: 'unclear'; problem: string }
  /** Refused unheard because of a limit. */
  | { type: 'limited'; retryAfter: number; problem: string };

/**
 * A host that keeps claim logs: it can create a ref only if that doesn't exist, and it has a clock.
 * Each call throws a `ClaimError` where the host refuses it for good; retries of what may safely be
 * repeated are the store's, those of `create` are the caller's.
 */
export interface ClaimStore {
  /** All entries of a key, lowest first, as the host lists them now; the list may lag behind. */
  observe(key: string): Promise<{ slots: Slot[]; time: HostTime }>;
  /** The commit of an entry; nothing if the host doesn't know it (yet). */
  read(sha: string): Promise<{ commit: Commit; time: HostTime } | undefined>;
  /** The logs of all keys that begin with the prefix, which ends in a slash. */
  list(prefix: string): Promise<{ logs: Map<string, Slot[]>; time: HostTime }>;
  /** Many commits at once; those that the host doesn't know are left out. */
  readAll(shas: string[]): Promise<Map<string, Commit>>;
  /** Makes the commit that an entry will point to. It changes nothing that anybody can see. */
  mint(message: string, parent: string | undefined, key: string): Promise<Commit>;
  /** Asks once for the ref of an entry to be created. */
  create(key: string, sequence: number, sha: string): Promise<CreateAnswer>;
  /**
   * Deletes a run of entries from the lowest up, all at once or each confirmed before the next.
   * Throws at the first that isn't confirmed; it may or may not be gone.
   */
  remove(key: string, run: Slot[]): Promise<void>;
}

export interface Clock {
  /** Milliseconds that only grow; they may stand still while the machine sleeps. */
  monotonic(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Unpredictable hexadecimal digits. */
export type Entropy = (digits: number) => string;

/** What a job knows of a claim of its own; kept for later steps and for post. No token in it. */
export interface Handle {
  version: 1;
  /** Where the claim lives: `https://github.com/o/r`. */
  home: string;
  key: string;
  chain: string;
  holder: string;
  /** The job that wrote this. */
  process: Process;
  /** The newest own entry that is known to stand, and the host's `Date` when that was known. */
  own?: Standing & { date: number };
  /** An entry of this job of which it isn't known whether it was created, and the `Date` that it rests on. */
  pending?: Standing & { date: number };
  /** Set once the claim is given back or known to be lost: how. */
  ended?: LostReason;
}

/** The claims of this job, as its steps leave them for each other. */
export interface Handles {
  /** Durable when it returns. */
  save(handle: Handle): void;
  /** All claims of this job in this home, ended ones included. */
  all(): Handle[];
}

/** What a step leaves for its own post step. */
export interface StepState {
  save(handle: Handle): void;
}

/** An issue or a pull request, by the host's word. */
export interface Item {
  number: number;
  kind: 'issue' | 'pull';
  title: string;
  url: string;
  open: boolean;
  /** The sha of a pull request's head, where it was read as one. */
  head?: string;
}

/** The issues and pull requests of a host. */
export interface Tracker {
  /**
   * Reads an item; `kind` is the user's guess, which only saves a request.
   * Throws a `ClaimError` with `invalid-input` if there is none.
   */
  item(number: number, kind: Item['kind'] | undefined): Promise<Item>;
}

/**
 * Shows a claim to people. It is written only while the claim is owned: after the entry that begins
 * it, before the entry that ends it. A failure is the mirror's to warn of, and never loses a claim.
 */
export interface Mirror {
  show(own: Standing): Promise<void>;
  remove(own: Standing): Promise<void>;
}

/** The workflow run of this process. */
export interface Runs {
  /** Asks the host to cancel it. */
  cancel(): Promise<void>;
}
