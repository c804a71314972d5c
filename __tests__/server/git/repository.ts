import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lag } from '../lag.js';
import { type CommitData, decodeCommit, encodeCommit } from './commit.js';
import { type GitObject, ObjectReader } from './reader.js';
import { must, run } from './run.js';

export interface Ref {
  name: string;
  sha: string;
}

/** Forty zeros: no ref. */
export const NOTHING = '0'.repeat(40);

export interface RefChange {
  name: string;
  /** What it has to be before, `NOTHING` where it must not exist; anything if not given. */
  from?: string;
  /** `NOTHING` to delete it. */
  to: string;
}

export type Created = 'created' | 'exists' | 'no-object' | 'ill-formed' | 'refused';

/**
 * Nothing here must survive a power cut, nothing may be packed behind a test's back, and a writer
 * that finds a ref locked waits rather than fails: on a busy machine the other one is just slow.
 */
const CONFIG = `[core]
\tfsync = none
\tfilesRefLockTimeout = 20000
\tpackedRefsTimeout = 20000
[gc]
\tauto = 0
[receive]
\tautogc = false
`;

/** A bare repository on disk. Refs are git's own, so that what is atomic there is atomic here. */
export class BareRepository {
  readonly directory: string;
  readonly #reader: ObjectReader;
  readonly #lag: Lag;
  readonly #types = new Map<string, string>();
  readonly #between = new Map<string, string[]>();
  #empty = true;

  private constructor(directory: string, lag: Lag) {
    this.directory = directory;
    this.#lag = lag;
    this.#reader = new ObjectReader(directory);
  }

  /** Opens a repository, and makes it where there is none. */
  static async open(directory: string, lag: Lag): Promise<BareRepository> {
    const { code } = await run(directory, ['rev-parse', '--git-dir']);
    if (code !== 0) {
      await must(directory, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', directory]);
      await appendFile(join(directory, 'config'), CONFIG);
    }
    return new BareRepository(directory, lag);
  }

  /** Gives a repository that has no commit its first one. */
  async seed(readme: string, seconds: number): Promise<void> {
    if (!(await this.isEmpty())) return;
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const stream = `commit refs/heads/main
committer octo <octo@users.noreply.github.com> ${seconds} +0000
${data('Initial commit\n')}M 644 inline README.md
${data(readme)}`;
    await must(this.directory, ['fast-import', '--quiet'], stream);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  /** Without a branch there is nothing that GitHub would let a ref point to. */
  async isEmpty(): Promise<boolean> {
    if (this.#empty) this.#empty = (await this.list('refs/heads/')).length === 0;
    return this.#empty;
  }

  /** All refs whose full name starts with a string, in lexical order. */
  async list(prefix: string): Promise<Ref[]> {
    // No ref has these in its name, and git would take them for a pattern.
    if (/[*?[\\\0]/.test(prefix)) return [];
    const directory = prefix.slice(0, prefix.lastIndexOf('/') + 1) || 'refs/';
    const lines = await must(this.directory, [
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      directory,
    ]);
    return lines
      .split('\n')
      .filter((line) => line.startsWith(prefix) && line !== '')
      .map((line) => {
        const [name = '', sha = ''] = line.split(' ');
        return { name, sha };
      });
  }

  async ref(name: string): Promise<Ref | undefined> {
    return (await this.list(name)).find((ref) => ref.name === name);
  }

  /** Creates a ref if there is none of that name, in one step. */
  async create(name: string, to: string): Promise<Created> {
    // Git's input is separated by these.
    if (name.includes('\0')) return 'ill-formed';
    const { code, stderr } = await this.#update([{ name, from: NOTHING, to }]);
    if (code === 0) return 'created';
    if (/reference already exists/.test(stderr)) return 'exists';
    if (/invalid ref format/.test(stderr)) return 'ill-formed';
    if (/nonexistent object/.test(stderr)) return 'no-object';
    // A directory/file conflict, a branch that isn't to point to a commit, a name too long for a file.
    return 'refused';
  }

  /** Makes all changes in one step, or none of them; false if one can't be made. */
  async change(...changes: RefChange[]): Promise<boolean> {
    if (changes.some(({ name }) => name.includes('\0'))) return false;
    return (await this.#update(changes)).code === 0;
  }

  /** Whether a commit comes before another one, or is the same. */
  async isAncestor(older: string, newer: string): Promise<boolean> {
    return (await run(this.directory, ['merge-base', '--is-ancestor', older, newer])).code === 0;
  }

  /** The commits that are in `newer` and not in `older`, oldest first; none where there is no such commit. */
  async between(older: string, newer: string): Promise<string[]> {
    const [from, to] = await Promise.all([older, newer].map((name) => this.object(name)));
    if (from?.type !== 'commit' || to?.type !== 'commit') return [];
    // Commits never change: what lies between two of them doesn't, either.
    const key = `${from.sha}..${to.sha}`;
    const known = this.#between.get(key);
    if (known) return known;
    const shas = (await must(this.directory, ['rev-list', '--reverse', key])).split('\n').filter(Boolean);
    this.#between.set(key, shas);
    return shas;
  }

  /** An object by its sha or by anything that git resolves. */
  async object(name: string): Promise<GitObject | undefined> {
    const object = await this.#reader.read(name);
    if (object) this.#types.set(object.sha, object.type);
    return object;
  }

  /** `commit`, `tree`, `blob`, `tag`; nothing if there is no such object. */
  async typeOf(sha: string): Promise<string | undefined> {
    return this.#types.get(sha) ?? (await this.object(sha))?.type;
  }

  async commit(name: string): Promise<(CommitData & { sha: string }) | undefined> {
    const object = await this.object(name);
    return object?.type === 'commit'
      ? { sha: object.sha, ...decodeCommit(object.content.toString()) }
      : undefined;
  }

  async write(commit: CommitData): Promise<string> {
    const sha = await must(
      this.directory,
      ['hash-object', '-t', 'commit', '-w', '--stdin'],
      encodeCommit(commit),
    );
    return sha.trim();
  }

  /** A ref's history as a person would read it: subjects and trailers, newest first. */
  log(ref: string): Promise<string> {
    return must(this.directory, ['log', '--format=%s%n%(trailers)', ref, '--']);
  }

  async #update(changes: RefChange[]) {
    const blind = changes.some(({ from }) => from === undefined);
    const refs = new Map((blind ? await this.list('refs/') : []).map(({ name, sha }) => [name, sha]));
    const before = changes.map(({ name, from = refs.get(name) }) => ({
      name,
      sha: from === NOTHING ? undefined : from,
    }));
    const ended = this.#lag.change(before);
    const lines = changes.map(({ name, from = '', to }) => `update ${name}\0${to}\0${from}\0`);
    const result = await run(this.directory, ['update-ref', '--stdin', '-z'], lines.join(''));
    ended(result.code === 0);
    return result;
  }
}
