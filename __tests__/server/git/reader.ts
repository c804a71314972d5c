import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { ENVIRONMENT } from './run.js';

export interface GitObject {
  sha: string;
  type: string;
  content: Buffer;
}

interface Waiting {
  resolve(object: GitObject | undefined): void;
  reject(error: Error): void;
}

const NEWLINE = 10;

/**
 * Reads objects through one long-lived `git cat-file --batch`: reading a commit is the most frequent
 * thing a client does, and a process for each would cost more than all the rest of the answer.
 */
export class ObjectReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: Waiting[] = [];
  readonly #ended: Promise<void>;
  #buffer = Buffer.alloc(0);

  constructor(directory: string) {
    this.#child = spawn('git', [`--git-dir=${directory}`, 'cat-file', '--batch'], { env: ENVIRONMENT });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      while (this.#takeOne());
    });
    this.#child.stdin.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      const end = (error: Error) => {
        for (const { reject } of this.#waiting.splice(0)) reject(error);
        resolve();
      };
      this.#child.on('error', end);
      this.#child.on('close', () => end(new Error('git cat-file has ended')));
    });
  }

  /** An object by its name: a sha, or anything that git resolves to one. */
  read(name: string): Promise<GitObject | undefined> {
    // A name is a line of git's input.
    if (!name || name.includes('\n')) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(`${name}\n`);
    });
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  /** Takes one answer off the buffer: `<sha> <type> <size>`, the content, a newline; or one line that it is missing. */
  #takeOne(): boolean {
    const end = this.#buffer.indexOf(NEWLINE);
    if (end < 0) return false;
    const [, sha, type, size] =
      /^([0-9a-f]{40}) (\w+) (\d+)$/.exec(this.#buffer.toString('utf8', 0, end)) ?? [];
    if (!sha || !type) {
      this.#buffer = this.#buffer.subarray(end + 1);
      this.#waiting.shift()?.resolve(undefined);
      return true;
    }
    const last = end + 1 + Number(size);
    if (this.#buffer.length <= last) return false;
    const content = Buffer.from(this.#buffer.subarray(end + 1, last));
    this.#buffer = this.#buffer.subarray(last + 1);
    this.#waiting.shift()?.resolve({ sha, type, content });
    return true;
  }
}
