import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { decode, type Entry, encode, type Process, sameProcess } from './engine/entry.js';
import type { Handle, Handles } from './ports.js';

/**
 * Handles as files, `$RUNNER_TEMP/claim-action/<hash>.json`, one per claim and readable by their owner
 * only. No token is in them, and nothing that isn't on the host as well.
 */

const standing = z.object({
  sequence: z.int().positive(),
  sha: z.string(),
  stamp: z.number(),
  author: z.string(),
  date: z.number(),
  entry: z.custom<Entry>(isEntry),
});

const handle = z.object({
  version: z.literal(1),
  home: z.string(),
  key: z.string(),
  chain: z.string(),
  holder: z.string(),
  process: z.object({ run: z.string(), job: z.string() }),
  own: standing.optional(),
  pending: standing.optional(),
  ended: z.enum(['taken-over', 'expired', 'head-moved', 'released', 'done', 'closed', 'none']).optional(),
});

/** Whether it is an entry that can be written and read back. */
function isEntry(value: unknown): boolean {
  try {
    const entry = value as Entry;
    return 'entry' in decode(encode(entry, '0'), entry.key);
  } catch {
    return false;
  }
}

export class HandleFiles implements Handles {
  readonly #folder: string;
  readonly #home: string;
  readonly #process: Process;

  constructor(env: Record<string, string | undefined>, home: string, process: Process) {
    this.#folder = join(env['RUNNER_TEMP'] || tmpdir(), 'claim-action');
    this.#home = home;
    this.#process = process;
  }

  save(saved: Handle): void {
    const { ended } =
      this.all().find(({ chain, holder }) => chain === saved.chain && holder === saved.holder) ?? {};
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const name = createHash('sha256')
      .update(`${saved.home} ${saved.key} ${saved.chain}`)
      .digest('hex')
      .slice(0, 32);
    const path = join(this.#folder, `${name}.json`);
    // Renamed into place, so that no reader finds half of it.
    writeFileSync(`${path}.${process.pid}`, formatHandle(ended ? { ...saved, ended } : saved), {
      mode: 0o600,
    });
    renameSync(`${path}.${process.pid}`, path);
  }

  all(): Handle[] {
    return this.#files()
      .flatMap((name) => this.#read(name) ?? [])
      .filter((found) => found.home === this.#home && sameProcess(found.process, this.#process));
  }

  /** A file that can't be read is none of ours. */
  #read(name: string): Handle | undefined {
    try {
      return parseHandle(readFileSync(join(this.#folder, name), 'utf8'));
    } catch {
      return undefined;
    }
  }

  #files(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  }
}

export function formatHandle(saved: Handle): string {
  return JSON.stringify(saved);
}

/** A handle as it was saved; nothing for anything else. */
export function parseHandle(text: string): Handle | undefined {
  try {
    return handle.safeParse(JSON.parse(text)).data as Handle | undefined;
  } catch {
    return undefined;
  }
}
