import { execFileSync } from 'node:child_process';
import { EMPTY_TREE } from './git/commit.js';
import { ENVIRONMENT } from './git/run.js';
import type { GitHubServer } from './server.js';

export interface Heard {
  status: number;
  headers: Headers;
  /** The parsed JSON; `undefined` where there was none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects; a wrong path is its failure
  body: any;
}

/** A plain client of one repository, with nothing between a test and the answers. */
export class Client {
  readonly #server: GitHubServer;
  readonly #token: string;

  constructor(server: GitHubServer, token = 'test-token') {
    this.#server = server;
    this.#token = token;
  }

  /** `path` is below the repository, or with two slashes below the root. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Heard> {
    const base = path.startsWith('//') ? '' : `/repos/${this.#server.repository}`;
    const response = await fetch(`${this.#server.url}${base}${path.replace(/^\/\//, '/')}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${this.#token}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  }

  graphql(query: string, variables: object = {}): Promise<Heard> {
    return this.ask('POST', '//graphql', { query, variables });
  }

  /** Makes a commit on the empty tree; returns its sha. */
  async commit(message: string, parents: string[] = []): Promise<string> {
    const { status, body } = await this.ask('POST', '/git/commits', { message, tree: EMPTY_TREE, parents });
    if (status !== 201) throw new Error(`no commit: ${status} ${body?.message}`);
    return body.sha;
  }

  createRef(ref: string, sha: string): Promise<Heard> {
    return this.ask('POST', '/git/refs', { ref, sha });
  }
}

/** What git itself says about the server's repository. */
export function git(server: GitHubServer, ...args: string[]): string {
  return execFileSync('git', [`--git-dir=${server.directory}`, ...args], {
    encoding: 'utf8',
    env: ENVIRONMENT,
    stdio: 'pipe',
  }).trim();
}

/** `status message` of an answer, as tests compare it. */
export function said({ status, body }: Heard): string {
  return [status, body?.message].filter((part) => part !== undefined).join(' ');
}
