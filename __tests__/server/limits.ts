import { type Answer, failure } from './answers.js';
import type { Fault } from './faults.js';
import { idOf } from './world.js';

const LIMIT = 5_000;
const HOUR = 3_600;

interface Window {
  used: number;
  /** Epoch seconds at which a new hour begins. */
  reset: number;
  enforced: boolean;
}

/** The primary rate limits of each account: counted and shown, and enforced where a test says how much is left. */
export class Limits {
  readonly #windows = new Map<string, Window>();

  /** Counts a request; false if there is nothing left for it. */
  admit(login: string, resource: string, seconds: number): boolean {
    const window = this.#window(login, resource, seconds);
    if (window.enforced && window.used >= LIMIT) return false;
    window.used++;
    return true;
  }

  /** Counts a request no more: one that is answered with 304 is free. */
  refund(login: string, resource: string, seconds: number): void {
    this.#window(login, resource, seconds).used--;
  }

  /** Sets what is left of an account's hour, and when that ends. */
  leave(login: string, resource: string, left: number, reset: number): void {
    this.#windows.set(`${resource} ${login}`, { used: LIMIT - left, reset, enforced: true });
  }

  /** The headers that tell what is left. */
  headers(login: string, resource: string, seconds: number): Record<string, string> {
    const { used, reset } = this.#window(login, resource, seconds);
    return headersOf(Math.max(LIMIT - used, 0), reset, resource);
  }

  #window(login: string, resource: string, seconds: number): Window {
    const key = `${resource} ${login}`;
    const known = this.#windows.get(key);
    const window =
      known && known.reset > seconds ? known : { used: 0, reset: seconds + HOUR, enforced: false };
    this.#windows.set(key, window);
    return window;
  }
}

/** What a path is counted by. */
export function resourceOf(path: string): string {
  return path === '/graphql' ? 'graphql' : 'core';
}

/** What an account hears that has nothing left. */
export function exhausted(login: string): Answer {
  return failure(403, `API rate limit exceeded for user ID ${idOf(login)}.`);
}

/**
 * A secondary limit, as a fault: GitHub answers with 403 or 429, and says or doesn't say for how long.
 * @param retryAfter seconds
 */
export function secondaryLimit({
  status = 403,
  retryAfter,
}: {
  status?: 403 | 429;
  retryAfter?: number;
} = {}) {
  return {
    kind: 'status',
    status,
    message:
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. ' +
      'If you reach out to GitHub Support for help, please include the request ID.',
    ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
  } satisfies Fault;
}

/**
 * A primary limit that is used up, as a fault.
 * @param reset epoch seconds at which it ends
 */
export function primaryLimit(reset: number, status: 403 | 429 = 403) {
  const message = 'API rate limit exceeded for installation.';
  return { kind: 'status', status, message, headers: headersOf(0, reset, 'core') } satisfies Fault;
}

function headersOf(left: number, reset: number, resource: string): Record<string, string> {
  return {
    'x-ratelimit-limit': String(LIMIT),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-used': String(LIMIT - left),
    'x-ratelimit-reset': String(reset),
    'x-ratelimit-resource': resource,
  };
}
