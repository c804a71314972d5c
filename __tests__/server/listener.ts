import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Longer than any client keeps a connection: one closed under a request would be a fault that no test asked for. */
const KEEP_ALIVE = 120_000;

/** Listens on a free port of this machine only; each request is on its own, none waits for another. */
export class Listener {
  readonly #atWork = new Set<Promise<void>>();
  readonly #http: Server;

  constructor(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
    this.#http = createServer((request, response) => {
      const work = answer(request, response).finally(() => this.#atWork.delete(work));
      this.#atWork.add(work);
    });
    this.#http.keepAliveTimeout = KEEP_ALIVE;
  }

  /** Returns the address: `http://127.0.0.1:<port>`. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#http.on('error', reject);
      this.#http.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Breaks what is open, and waits until nothing is at work. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#http.close(resolve));
    this.#http.closeAllConnections();
    await closed;
    await Promise.all(this.#atWork);
  }
}
