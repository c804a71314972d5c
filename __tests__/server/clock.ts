/** The host's clock: this machine's, moved by what a test has added. */
export class ServerClock {
  #offset = 0;

  /** Epoch milliseconds. */
  now(): number {
    return Date.now() + this.#offset;
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  /** Whole seconds since the epoch: the finest that a commit or a `Date` header shows. */
  seconds(): number {
    return Math.floor(this.now() / 1_000);
  }
}
