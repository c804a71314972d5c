import { z } from 'zod';
import { entryRef, keyPrefix } from '../../engine/key.js';
import { ClaimError } from '../../engine/outcome.js';
import type { Client, Repository } from '../../github/client.js';
import { claimErrorOf, refusalOf } from '../../github/errors.js';
import type { Meter } from '../../github/meter.js';
import type { ClaimStore, Commit, CreateAnswer, HostTime, Slot } from '../../ports.js';
import { logsOf } from '../logs.js';
import { GitHubBatch } from './batch.js';

/**
 * Claim logs on GitHub's git data API. Stamps are the host's (commits are sent without author and
 * committer), `Date` headers are its clock.
 *
 * Not guaranteed here: that a list is up to date; that a commit can be read as soon as a ref names it.
 */

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const READ = 'contents: read';
const WRITE = 'contents: write';

const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const refAnswer = z.object({ ref: z.string(), object: z.object({ sha }) });
const listAnswer = z.array(refAnswer);
const commitAnswer = z.object({
  sha,
  message: z.string(),
  author: z.object({ name: z.string().nullish(), email: z.string().nullish() }),
  committer: z.object({ date: z.iso.datetime({ offset: true }).transform(Date.parse) }),
});
const headAnswer = z.object({ commit: z.object({ tree: z.object({ sha }) }) });

export class GitHubStore implements ClaimStore {
  readonly #client: Client;
  readonly #meter: Meter;
  readonly #repository: Repository;
  readonly #batch: GitHubBatch;
  #tree = EMPTY_TREE;

  constructor(client: Client, meter: Meter, repository: Repository) {
    this.#client = client;
    this.#meter = meter;
    this.#repository = repository;
    this.#batch = new GitHubBatch(client, repository);
  }

  async observe(key: string) {
    const { logs, time } = await this.list(keyPrefix(key));
    return { slots: logs.get(key) ?? [], time };
  }

  async list(prefix: string) {
    const doing = `listing ${prefix}*`;
    const { data, headers } = await this.#ask(
      doing,
      READ,
      'GET /repos/{owner}/{repo}/git/matching-refs/{ref}',
      {
        ref: prefix.slice('refs/'.length),
        headers: { 'cache-control': 'no-cache' },
      },
    );
    const refs = understood(listAnswer, data, doing).map(({ ref, object }): [string, string] => [
      ref,
      object.sha,
    ]);
    return { logs: logsOf(refs, prefix), time: this.#timeOf(headers, doing) };
  }

  async read(sha: string) {
    const doing = `reading the entry ${sha}`;
    try {
      const { data, headers } = await this.#client.patient.request(
        'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
        { ...this.#repository, commit_sha: sha },
      );
      return { commit: toCommit(data, doing), time: this.#timeOf(headers, doing) };
    } catch (error) {
      // Named by a ref but not found: the host lags, and the caller asks again.
      if (refusalOf(error).status === 404) return undefined;
      throw claimErrorOf(error, doing, READ);
    }
  }

  async readAll(shas: string[]): Promise<Map<string, Commit>> {
    const batched = await this.#batch.commits(shas);
    if (batched) return batched;
    const read = await Promise.all(shas.map((sha) => this.read(sha)));
    return new Map(read.flatMap((found) => (found ? [[found.commit.sha, found.commit]] : [])));
  }

  async mint(message: string, parent: string | undefined, key: string): Promise<Commit> {
    const doing = `writing an entry for ${keyPrefix(key)}*`;
    const commit = (tree: string) =>
      this.#client.patient.request('POST /repos/{owner}/{repo}/git/commits', {
        ...this.#repository,
        message,
        tree,
        parents: parent ? [parent] : [],
      });
    try {
      return toCommit((await commit(this.#tree)).data, doing);
    } catch (error) {
      if (this.#tree !== EMPTY_TREE || !isRefusedTree(error)) throw claimErrorOf(error, doing, WRITE);
    }
    this.#tree = await this.#treeOfDefaultBranch();
    const { data } = await commit(this.#tree).catch((error) => {
      throw claimErrorOf(error, doing, WRITE);
    });
    return toCommit(data, doing);
  }

  async create(key: string, sequence: number, sha: string): Promise<CreateAnswer> {
    const ref = entryRef(key, sequence);
    const doing = `creating ${ref}`;
    try {
      const { status, data, headers } = await this.#client.direct.request(
        'POST /repos/{owner}/{repo}/git/refs',
        {
          ...this.#repository,
          ref,
          sha,
        },
      );
      const answer = refAnswer.safeParse(data);
      const time = this.#meter.timeOf(headers);
      if (
        status === 201 &&
        answer.success &&
        answer.data.ref === ref &&
        answer.data.object.sha === sha &&
        time
      ) {
        return { type: 'created', time };
      }
      return {
        type: 'unclear',
        problem: `an answer of HTTP ${status} that names another ref, or has no Date`,
      };
    } catch (error) {
      return refusedCreate(error, doing);
    }
  }

  async remove(key: string, run: Slot[]): Promise<void> {
    if (run.length === 0 || (await this.#batch.remove(key, run))) return;
    for (const { sequence } of run) await this.#removeOne(entryRef(key, sequence));
  }

  /** Sent once: a repeated deletion could hit what was created in between. */
  async #removeOne(ref: string): Promise<void> {
    try {
      await this.#client.direct.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', {
        ...this.#repository,
        ref: ref.slice('refs/'.length),
      });
    } catch (error) {
      const { status, problem } = refusalOf(error);
      const gone = (status === 422 || status === 404) && /does not exist|not found/i.test(problem);
      if (!gone) throw claimErrorOf(error, `deleting ${ref}`, WRITE);
    }
  }

  /** Where a host refuses the empty tree, the default branch's is one that surely exists. */
  async #treeOfDefaultBranch(): Promise<string> {
    const doing = "reading the default branch's tree";
    const { data } = await this.#ask(doing, READ, 'GET /repos/{owner}/{repo}/commits/{ref}', { ref: 'HEAD' });
    return understood(headAnswer, data, doing).commit.tree.sha;
  }

  async #ask(doing: string, needs: string, route: string, parameters: object) {
    try {
      return await this.#client.patient.request(route, { ...this.#repository, ...parameters });
    } catch (error) {
      throw claimErrorOf(error, doing, needs);
    }
  }

  #timeOf(headers: { date?: string | undefined }, doing: string): HostTime {
    const time = this.#meter.timeOf(headers);
    if (!time)
      throw new ClaimError(
        'unavailable',
        `unavailable: ${doing} was answered without a Date; run again later`,
      );
    return time;
  }
}

/** Not every 422 means that the slot is taken, and not every failure that nothing was created. */
function refusedCreate(error: unknown, doing: string): CreateAnswer {
  const { status, problem, limit } = refusalOf(error);
  if (limit !== undefined) return { type: 'limited', retryAfter: limit, problem };
  if (status === 422 && problem.startsWith('HTTP 422 Reference already exists')) return { type: 'exists' };
  if (status === 401 || status === 403 || status === 404 || (status === 409 && /empty/i.test(problem))) {
    throw claimErrorOf(error, doing, WRITE);
  }
  return { type: 'unclear', problem };
}

function isRefusedTree(error: unknown): boolean {
  const { status, problem } = refusalOf(error);
  return (status === 422 || status === 404) && /tree|object|not found|sha/i.test(problem);
}

function toCommit(data: unknown, doing: string): Commit {
  const { sha, message, author, committer } = understood(commitAnswer, data, doing);
  return { sha, message, stamp: committer.date, author: `${author.name ?? ''} <${author.email ?? ''}>` };
}

function understood<T>(schema: z.ZodType<T>, data: unknown, doing: string): T {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new ClaimError(
    'unavailable',
    `unavailable: ${doing} got an answer that makes no sense; run again later`,
  );
}
