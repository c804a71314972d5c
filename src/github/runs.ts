import type { Runs } from '../ports.js';
import type { Client, Repository } from './client.js';
import { claimErrorOf } from './errors.js';

/** The workflow run that this process belongs to, which may live in another repository than the claims. */
export class GitHubRuns implements Runs {
  readonly #client: Client;
  readonly #repository: Repository;
  readonly #run: number;

  constructor(client: Client, repository: Repository, run: number) {
    this.#client = client;
    this.#repository = repository;
    this.#run = run;
  }

  async cancel(): Promise<void> {
    try {
      await this.#client.patient.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel', {
        ...this.#repository,
        run_id: this.#run,
      });
    } catch (error) {
      throw claimErrorOf(error, `cancelling run ${this.#run}`, 'actions: write');
    }
  }
}
