import { type Answer, failure } from './answers.js';

/** One request, from its arrival on; the authorization is left out of the headers. */
export interface RequestRecord {
  /** What the answer's `x-github-request-id` says. */
  id: string;
  method: string;
  /** Decoded, without the query. */
  path: string;
  /** As it was sent, without the question mark. */
  query: string;
  /** Empty for a token that isn't known. */
  login: string;
  headers: Record<string, string>;
  /** The parsed JSON, if any. */
  body: unknown;
  /** The answer's status; 0 until it is given, and for ever where it was withheld. */
  status: number;
  /** By `performance.now()`. */
  startedAt: number;
  /** By `performance.now()`; 0 until it is answered or dropped. */
  endedAt: number;
  /** What went wrong inside the server, where that is why the status is 500. */
  error?: string;
}

/** Something that goes wrong with a request, on its way or at the host. */
export interface Fault {
  /** Which requests; all by default. */
  method?: string;
  path?: RegExp;
  /** Lets the first matching ones pass. Default: 0. */
  skip?: number;
  /** How often it strikes. Default: 1. */
  times?: number;
  /**
   * - `drop-before`: the connection breaks, nothing was done
   * - `drop-after`: the request is carried out, its answer is lost
   * - `status`: answered with `status`, nothing was done
   * - `status-after`: carried out, then answered with `status`
   * - `delay`: carried out `delay` milliseconds later
   * - `hold`: carried out, or dropped, when the test releases it
   */
  kind: 'drop-before' | 'drop-after' | 'status' | 'status-after' | 'delay' | 'hold';
  /** Default: 502. */
  status?: number;
  message?: string;
  headers?: Record<string, string>;
  delay?: number;
  /** Called, and waited for, when it strikes and before the effect. */
  hook?: (request: RequestRecord) => void | Promise<void>;
}

/** A fault in force. */
export interface Injected {
  readonly strikes: number;
  /** Resolves at the first strike. */
  readonly struck: Promise<RequestRecord>;
  /** Lets go what `hold` holds, now and later: carried out, or with `false` dropped with nothing done. */
  release(act?: boolean): void;
}

/** Each fault strikes for itself: the first one that applies to a request has it, the others don't see it. */
export class Faults {
  readonly #wait: (milliseconds: number) => Promise<void>;
  readonly #closed: Promise<void>;
  #armed: Armed[] = [];
  #close = () => {};

  constructor(wait: (milliseconds: number) => Promise<void>) {
    this.#wait = wait;
    this.#closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  inject(fault: Fault): Injected {
    const armed = new Armed(fault);
    this.#armed.push(armed);
    return armed;
  }

  /** Ends all faults; what is held goes on, or is dropped. */
  clear(act = true): void {
    for (const armed of this.#armed) armed.release(act);
    this.#armed = [];
  }

  /** Drops what is held, and waits for no hook any more: one that never ends would keep the server open. */
  close(): void {
    this.clear(false);
    this.#close();
  }

  /** Carries out a request under the fault that strikes it, if any. No answer: it is withheld. */
  async around(request: RequestRecord, act: () => Promise<Answer>): Promise<Answer | undefined> {
    const armed = this.#armed.find((each) => each.strikesAt(request));
    if (!armed) return act();
    const { fault } = armed;
    await Promise.race([fault.hook?.(request), this.#closed]);
    switch (fault.kind) {
      case 'drop-before':
        return undefined;
      case 'drop-after':
        await act();
        return undefined;
      case 'status':
        return answerOf(fault);
      case 'status-after':
        await act();
        return answerOf(fault);
      case 'delay':
        await this.#wait(fault.delay ?? 0);
        return act();
      case 'hold':
        return (await armed.released) ? act() : undefined;
    }
  }
}

class Armed implements Injected {
  readonly fault: Fault;
  readonly struck: Promise<RequestRecord>;
  readonly released: Promise<boolean>;
  strikes = 0;
  #passed = 0;
  #strike: (request: RequestRecord) => void = () => {};
  #release: (act: boolean) => void = () => {};

  constructor(fault: Fault) {
    this.fault = fault;
    this.struck = new Promise((resolve) => {
      this.#strike = resolve;
    });
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  strikesAt(request: RequestRecord): boolean {
    const { method = request.method, path, skip = 0, times = 1 } = this.fault;
    // `search`, as `test` would remember where a global expression matched last.
    const applies = method === request.method && (!path || request.path.search(path) >= 0);
    if (!applies || this.strikes >= times) return false;
    if (this.#passed < skip) {
      this.#passed++;
      return false;
    }
    this.strikes++;
    this.#strike(request);
    return true;
  }

  release(act = true): void {
    this.#release(act);
  }
}

function answerOf({ status = 502, message, headers }: Fault): Answer {
  return failure(status, message, headers);
}
