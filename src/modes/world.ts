import type { Process } from '../engine/entry.js';
import type { Outcome } from '../engine/outcome.js';
import type { Standing } from '../engine/state.js';
import type { Handles, Item, Mirror, StepState, Tracker } from '../ports.js';
import type { Protocol } from '../protocol/context.js';

/** All that a mode works with. */
export interface World {
  protocol: Protocol;
  tracker: Tracker;
  mirror: Mirror;
  handles: Handles;
  step: StepState;
  /** Where the claims live: `https://github.com/o/r`. */
  home: string;
  process: Process;
}

/** How a mode ended, as a value; the outputs, the log line and the summary are made of it. */
export interface Report {
  outcome: Outcome;
  /** One line for a person. */
  message: string;
  reason?: string;
  key?: string;
  /** The chain of the claim that is meant; with the key it makes the claim id. */
  chain?: string;
  /** The newest entry of the key, whoever's it is. */
  tail?: Standing | undefined;
  /** What the claim followed. */
  before?: Standing | undefined;
  item?: Item | undefined;
  /** The host's clock, epoch milliseconds. */
  now?: number;
  /** Milliseconds. */
  retryAfter?: number | undefined;
  /** What went wrong beside it, and doesn't change the outcome. */
  warnings?: string[];
}
