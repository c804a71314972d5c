import type { Octokit } from '@octokit/core';
import type { Clock, HostTime } from '../ports.js';

/** One request as it went over the wire: for the count, and for a person who wonders what took so long. */
export interface RequestLine {
  method: string;
  path: string;
  /** The answer's status; 0 where there was none. */
  status: number;
  milliseconds: number;
  /** What is left of the token's hour, as the host said. */
  left: string;
}

/** No request may hang for longer: what it would tell is too old by then. */
const TIMEOUT = 10_000;

/**
 * Sits closest to the wire, below every retry: counts each request, limits its time, and notes when
 * it was sent and answered. Headers and bodies are never kept.
 */
export class Meter {
  readonly lines: RequestLine[] = [];
  readonly #clock: Clock;
  readonly #times = new WeakMap<object, { sentAt: number; receivedAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An octokit plugin; it must be the first one, as the first hook is the innermost. */
  readonly plugin = (octokit: Octokit): object => {
    octokit.hook.wrap('request', async (request, options) => {
      const sentAt = this.#clock.monotonic();
      const { method, url } = octokit.request.endpoint.parse(options);
      const note = (status: number, headers: Record<string, unknown> = {}) => {
        const receivedAt = this.#clock.monotonic();
        this.lines.push({
          method,
          path: decodeURIComponent(new URL(url).pathname),
          status,
          milliseconds: Math.round(receivedAt - sentAt),
          left: String(headers['x-ratelimit-remaining'] ?? ''),
        });
        return { sentAt, receivedAt };
      };
      try {
        // Set in place: the hooks below hold on to these very options, and take no others.
        Object.assign(options.request, { signal: AbortSignal.timeout(TIMEOUT) });
        const response = await request(options);
        this.#times.set(response.headers, note(response.status, response.headers));
        return response;
      } catch (error) {
        const { response } = error as { response?: { status: number; headers: Record<string, unknown> } };
        note(response?.status ?? 0, response?.headers);
        throw error;
      }
    });
    return {};
  };

  /** When an answer of this client was given; nothing where the host sent no usable `Date`. */
  timeOf(headers: { date?: string | undefined }): HostTime | undefined {
    const times = this.#times.get(headers);
    const date = Date.parse(headers.date ?? '');
    return times && !Number.isNaN(date) ? { date, ...times } : undefined;
  }
}
