import type { Clock } from '../../src/ports.js';

/** Virtual time: what happens, happens in the order of its moment, and takes no time of ours. */

/** A small seeded generator of numbers; equal seeds give equal histories. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 0x9e3779b9) >>> 0;
  }

  /** In [0, 1). Source: the mulberry32 generator. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.roll() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.roll() * (high - low + 1));
  }

  pick<T>(options: readonly T[]): T {
    return options[Math.floor(this.roll() * options.length)] as T;
  }
}

interface Event {
  at: number;
  order: number;
  act(): void;
}

export class Scheduler {
  /** The true time, epoch milliseconds. */
  now: number;
  readonly #events: Event[] = [];
  #order = 0;

  constructor(start: number) {
    this.now = start;
  }

  at(moment: number, act: () => void): void {
    const event = { at: Math.max(moment, this.now), order: this.#order++, act };
    let index = this.#events.length;
    while (index > 0 && isBefore(event, this.#events[index - 1] as Event)) index -= 1;
    this.#events.splice(index, 0, event);
  }

  /** Runs until nothing is left to happen, or the time is over. */
  async run(until: number): Promise<void> {
    for (;;) {
      const event = this.#events.shift();
      if (!event || event.at > until) return;
      this.now = event.at;
      event.act();
      // Lets all code run that was waiting for this event, up to where it waits for another.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** A process on a machine that may freeze, be suspended, or die between any two steps. */
export class SimulatedProcess implements Clock {
  readonly name: string;
  readonly #scheduler: Scheduler;
  #dead = false;
  #frozenUntil = 0;
  #suspended = 0;
  /** When the host gave the newest answer that this process got, in true time. */
  answeredAt = 0;

  constructor(scheduler: Scheduler, name: string) {
    this.#scheduler = scheduler;
    this.name = name;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  kill(): void {
    this.#dead = true;
  }

  /** Nothing runs for a while; in a suspended machine the monotonic clock stands still too. */
  freeze(duration: number, suspended: boolean): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#scheduler.now + duration);
    if (suspended) this.#suspended += duration;
  }

  /** Something reaches the process: when it is awake, if it lives. */
  deliver(moment: number, act: () => void): void {
    this.#scheduler.at(moment, () => {
      if (this.#dead) return;
      if (this.#frozenUntil > this.#scheduler.now) this.deliver(this.#frozenUntil, act);
      else act();
    });
  }

  monotonic(): number {
    return this.#scheduler.now - this.#suspended;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.deliver(this.#scheduler.now + milliseconds, resolve));
  }
}
