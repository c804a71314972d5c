import { z } from 'zod';
import { itemKey } from '../../engine/key.js';
import { ClaimError } from '../../engine/outcome.js';
import type { Client, Repository } from '../../github/client.js';
import { claimErrorOf, refusalOf } from '../../github/errors.js';
import type { Item, Tracker } from '../../ports.js';

const answer = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  state: z.string(),
  pull_request: z.unknown().optional(),
  head: z.object({ sha: z.string() }).optional(),
});

type Asked = { item: Item } | { error: unknown; status: number };

/** Issues and pull requests of a GitHub repository. */
export class GitHubTracker implements Tracker {
  readonly #client: Client;
  readonly #repository: Repository;

  constructor(client: Client, repository: Repository) {
    this.#client = client;
    this.#repository = repository;
  }

  /**
   * Each API takes a permission of its own (issues, pull requests), so the one that the guess names is
   * asked first, and the other only if that one doesn't know the number or may not say.
   */
  async item(number: number, guess: Item['kind'] | undefined): Promise<Item> {
    const first = guess ?? 'issue';
    const asked = await this.#ask(number, first);
    if ('item' in asked) return asked.item;
    if (asked.status === 403 || (asked.status === 404 && first === 'pull')) {
      const other = await this.#ask(number, first === 'pull' ? 'issue' : 'pull');
      if ('item' in other) return other.item;
      if (asked.status === 404 && other.status !== 404) throw this.#refused(number, other.error, 'issue');
    }
    if (asked.status === 404 || asked.status === 410) throw this.#missing(number, asked.status);
    throw this.#refused(number, asked.error, first);
  }

  async #ask(number: number, kind: Item['kind']): Promise<Asked> {
    const { patient } = this.#client;
    try {
      const { data } =
        kind === 'pull'
          ? await patient.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
              ...this.#repository,
              pull_number: number,
            })
          : await patient.request('GET /repos/{owner}/{repo}/issues/{issue_number}', {
              ...this.#repository,
              issue_number: number,
            });
      return { item: this.#toItem(number, kind, data) };
    } catch (error) {
      if (error instanceof ClaimError) throw error;
      return { error, status: refusalOf(error).status };
    }
  }

  #toItem(number: number, kind: Item['kind'], data: unknown): Item {
    const parsed = answer.safeParse(data);
    if (!parsed.success) {
      throw new ClaimError(
        'unavailable',
        `unavailable: reading ${itemKey(number)} got an answer that makes no sense; run again later`,
      );
    }
    const { title, html_url: url, state, pull_request, head } = parsed.data;
    const { owner, repo } = this.#repository;
    // A transferred issue is answered by a redirect to where it lives now.
    if (parsed.data.number !== number || !url.toLowerCase().includes(`/${owner}/${repo}/`.toLowerCase())) {
      throw new ClaimError(
        'invalid-input',
        `invalid-input: ${itemKey(number)} was moved to ${url}. Nothing was changed`,
      );
    }
    const open = state === 'open';
    return { number, kind: pull_request ? 'pull' : kind, title, url, open, ...(head && { head: head.sha }) };
  }

  #missing(number: number, status: number): ClaimError {
    const { owner, repo } = this.#repository;
    const what = status === 410 ? 'was deleted' : 'is no issue or pull request';
    return new ClaimError(
      'invalid-input',
      `invalid-input: ${itemKey(number)} ${what} in ${owner}/${repo}. Nothing was changed`,
    );
  }

  #refused(number: number, error: unknown, kind: Item['kind']): ClaimError {
    return claimErrorOf(
      error,
      `reading ${itemKey(number)}`,
      kind === 'pull' ? 'pull-requests: read' : 'issues: read',
    );
  }
}
