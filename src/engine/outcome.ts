/**
 * How a step can end. Every ending has a stable name; a lost race is an outcome, not an exception.
 */

/** The claim is held by this job now. */
type Held = 'claimed' | 'reentered' | 'taken-over' | 'forced' | 'owned' | 'renewed';
/** No claim, and nothing wrong: the step's colour is `on-conflict`'s choice. */
type Refused = 'held' | 'done' | 'closed' | 'exhausted';
/** The claim that was to be proved or renewed is gone. */
type Lost = 'lost';
/** The claim is given back, or wasn't this job's to give. */
type Ended = 'released' | 'not-held' | 'cleaned';
/** Something is wrong; nothing may be concluded from it. */
export type Failed =
  | 'unknown'
  | 'invalid-input'
  | 'unreadable-entry'
  | 'auth-error'
  | 'permission-denied'
  | 'rate-limited'
  | 'unavailable'
  | 'ambiguous';

export type Outcome = Held | Refused | Lost | Ended | Failed;

/** Why a claim is lost. */
export type LostReason = 'taken-over' | 'expired' | 'head-moved' | 'released' | 'done' | 'closed' | 'none';

export interface Ending {
  /** Whether the claim is this job's: the outputs `claimed` and `owned`. */
  owned: boolean;
  /** The colour of the step; `by-conflict`: as the input `on-conflict` says. */
  step: 'green' | 'red' | 'by-conflict';
  /** The exit code of a red step. */
  exit: number;
}

const HELD: Ending = { owned: true, step: 'green', exit: 0 };
const REFUSED: Ending = { owned: false, step: 'by-conflict', exit: 4 };
const GIVEN_BACK: Ending = { owned: false, step: 'green', exit: 0 };
const FAILED: Ending = { owned: false, step: 'red', exit: 1 };

/** One row per outcome. */
export const ENDINGS: Record<Outcome, Ending> = {
  claimed: HELD,
  reentered: HELD,
  'taken-over': HELD,
  forced: HELD,
  owned: HELD,
  renewed: HELD,
  held: REFUSED,
  done: REFUSED,
  closed: REFUSED,
  exhausted: REFUSED,
  lost: { owned: false, step: 'red', exit: 4 },
  released: GIVEN_BACK,
  'not-held': GIVEN_BACK,
  cleaned: GIVEN_BACK,
  unknown: FAILED,
  'invalid-input': { owned: false, step: 'red', exit: 2 },
  'unreadable-entry': FAILED,
  'auth-error': FAILED,
  'permission-denied': FAILED,
  'rate-limited': FAILED,
  unavailable: FAILED,
  ambiguous: FAILED,
};

/** What is made of an error that nobody foresaw: one line, and never a success. */
export function unexpected(error: unknown): ClaimError {
  const [what = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return new ClaimError('unavailable', `unavailable: something unexpected happened: ${what}`, {
    cause: error,
  });
}

/** An ending that stops a mode wherever it is. Its message is the one line that a person reads. */
export class ClaimError extends Error {
  readonly outcome: Failed;
  /** Milliseconds after which another try may help, where the host said so. */
  readonly retryAfter: number | undefined;

  constructor(outcome: Failed, message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ClaimError';
    this.outcome = outcome;
    this.retryAfter = options.retryAfter;
  }
}
