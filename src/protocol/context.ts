import type { ClaimStore, Clock, Entropy, HostTime } from '../ports.js';

/** What the rules of the log are carried out with. */
export interface Protocol {
  store: ClaimStore;
  clock: Clock;
  entropy: Entropy;
  /** How long an unclear answer or a lagging list is asked again, milliseconds. */
  deadline: number;
}

/** The earliest that the host's clock can show now: for who wants what another holds. */
export function earliest(time: HostTime, clock: Clock): number {
  return time.date + (clock.monotonic() - time.receivedAt);
}

/** The latest that the host's clock can show now, but for its own step: for who believes to hold. */
export function latest(time: HostTime, clock: Clock): number {
  return time.date + (clock.monotonic() - time.sentAt);
}

/** Waits of growing length with jitter, until a deadline. */
export class Patience {
  readonly #protocol: Protocol;
  readonly #until: number;
  #next = 250;

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
    this.#until = protocol.clock.monotonic() + protocol.deadline;
  }

  /**
   * Waits for another try, at least `atLeast` milliseconds. False, at once, if the deadline would pass.
   */
  async wait(atLeast = 0): Promise<boolean> {
    const { clock, entropy } = this.#protocol;
    const jitter = Number.parseInt(entropy(4), 16) / 0xffff;
    const pause = Math.max(atLeast, this.#next * (0.5 + jitter / 2));
    if (clock.monotonic() + pause > this.#until) return false;
    this.#next = Math.min(this.#next * 2, 4_000);
    await clock.sleep(pause);
    return true;
  }
}
