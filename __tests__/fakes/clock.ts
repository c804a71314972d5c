import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/ports.js';

/** This machine's monotonic clock. */
export const realClock: Clock = {
  monotonic: () => performance.now(),
  sleep: (milliseconds) => sleep(milliseconds),
};

/** A clock that moves only when somebody sleeps or moves it. */
export class FakeClock implements Clock {
  /** Milliseconds since the start, as everybody would count them. */
  elapsed = 0;
  /** How much of it the machine slept through: its monotonic clock stood still. */
  suspended = 0;

  monotonic(): number {
    return this.elapsed - this.suspended;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.elapsed += milliseconds;
  }

  /** The machine is suspended: time passes, the monotonic clock doesn't. */
  suspend(milliseconds: number): void {
    this.elapsed += milliseconds;
    this.suspended += milliseconds;
  }
}
