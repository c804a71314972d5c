const LIMIT = 5_000;
const HOUR = 3_600;

interface Window {
  used: number;
  /** Epoch seconds at which a new hour begins. */
  reset: number;
}

/** The primary rate limit of each account: counted and shown, not enforced. */
export class Limits {
  readonly #windows = new Map<string, Window>();

  /** Counts an answer (one with 304 is free) and returns the headers that tell what is left. */
  spend(login: string, status: number, seconds: number): Record<string, string> {
    const known = this.#windows.get(login);
    const window = known && known.reset > seconds ? known : { used: 0, reset: seconds + HOUR };
    this.#windows.set(login, window);
    if (status !== 304) window.used++;
    return {
      'x-ratelimit-limit': String(LIMIT),
      'x-ratelimit-remaining': String(Math.max(LIMIT - window.used, 0)),
      'x-ratelimit-used': String(window.used),
      'x-ratelimit-reset': String(window.reset),
      'x-ratelimit-resource': 'core',
    };
  }
}
