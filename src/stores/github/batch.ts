import { z } from 'zod';
import { entryRef } from '../../engine/key.js';
import { ClaimError } from '../../engine/outcome.js';
import type { Client, Repository } from '../../github/client.js';
import { claimErrorOf } from '../../github/errors.js';
import type { Commit, Slot } from '../../ports.js';

/**
 * What GraphQL does in one request where REST takes many. Nothing rests on it: wherever it doesn't
 * answer, the caller goes on over REST.
 */

const AT_ONCE = 100;
const NOTHING = '0'.repeat(40);

const commit = z.object({
  oid: z.string(),
  message: z.string(),
  committedDate: z.iso.datetime({ offset: true }).transform(Date.parse),
  author: z.object({ name: z.string().nullish(), email: z.string().nullish() }).nullish(),
});
const repositoryAnswer = z.object({
  repository: z.looseObject({ id: z.string() }),
});

export class GitHubBatch {
  readonly #client: Client;
  readonly #repository: Repository;
  #id: string | undefined;

  constructor(client: Client, repository: Repository) {
    this.#client = client;
    this.#repository = repository;
  }

  /** Commits by sha, a hundred at a time; nothing if GraphQL doesn't answer. */
  async commits(shas: string[]): Promise<Map<string, Commit> | undefined> {
    const found = new Map<string, Commit>();
    for (let from = 0; from < shas.length; from += AT_ONCE) {
      const some = shas.slice(from, from + AT_ONCE);
      const fields = some.map((sha, index) => `c${index}: object(oid: "${sha}") { ...entry }`).join('\n');
      const answer = await this.#query(`{ repository(owner: $owner, name: $repo) { id ${fields} } }`);
      if (!answer) return undefined;
      for (const index of some.keys()) {
        const parsed = commit.safeParse(answer[`c${index}`]);
        if (parsed.success) found.set(parsed.data.oid, toCommit(parsed.data));
      }
    }
    return found;
  }

  /**
   * Deletes entries all at once, if each still is what was seen; false if GraphQL isn't to be had.
   * Throws where it was asked and refused, or answered unclearly.
   */
  async remove(key: string, run: Slot[]): Promise<boolean> {
    const id = this.#id ?? (await this.#query('{ repository(owner: $owner, name: $repo) { id } }'))?.['id'];
    if (typeof id !== 'string') return false;
    const refUpdates = run.map(({ sequence, sha }) => ({
      name: entryRef(key, sequence),
      beforeOid: sha,
      afterOid: NOTHING,
    }));
    try {
      await this.#client.direct.graphql(
        'mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }',
        { input: { repositoryId: id, refUpdates } },
      );
    } catch (error) {
      const refused = (error as { errors?: { message: string; extensions?: { code?: string } }[] })
        .errors?.[0];
      if (refused?.extensions?.code === 'undefinedField') return false;
      const refs = `${entryRef(key, run[0]?.sequence ?? 1)} to ${String(run.at(-1)?.sequence).padStart(8, '0')}`;
      if (refused) {
        const message = refused.message.replace(/\s+/g, ' ').slice(0, 200);
        throw new ClaimError(
          'unavailable',
          `unavailable: deleting ${refs} was refused (${message}); nothing was deleted`,
        );
      }
      throw claimErrorOf(error, `deleting ${refs}`, 'contents: write');
    }
    return true;
  }

  async #query(body: string): Promise<Record<string, unknown> | undefined> {
    const fragment = body.includes('...entry')
      ? 'fragment entry on Commit { oid message committedDate author { name email } }'
      : '';
    try {
      const answer = await this.#client.patient.graphql(
        `query ($owner: String!, $repo: String!) ${body} ${fragment}`,
        {
          ...this.#repository,
        },
      );
      const { repository } = repositoryAnswer.parse(answer);
      this.#id = repository.id;
      return repository;
    } catch {
      return undefined;
    }
  }
}

function toCommit({ oid, message, committedDate, author }: z.infer<typeof commit>): Commit {
  return {
    sha: oid,
    message,
    stamp: committedDate,
    author: `${author?.name ?? ''} <${author?.email ?? ''}>`,
  };
}
