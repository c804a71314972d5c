import type { ServerClock } from '../clock.js';

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped' | 'timed_out' | 'neutral';

export interface Step {
  name: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  startedAt: number | null;
  completedAt: number | null;
}

/** A job of one attempt of a run. Times are the host's, epoch milliseconds. */
export interface Job {
  /** The same as that of its check run. */
  id: number;
  name: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  startedAt: number;
  completedAt: number | null;
  steps: Step[];
  runner: string | null;
}

export interface Run {
  id: number;
  attempt: number;
  event: string;
  startedAt: number;
  jobs: Job[];
}

/** A step as a test says it; without a conclusion it is still running. */
export type NewStep = Pick<Step, 'name'> & Partial<Step>;

export interface NewRun {
  id: number;
  /** Default: 1. Attempts of one run stay beside each other. */
  attempt?: number;
  event?: string;
  /** A job runs, with one step, unless something else is said of it. */
  jobs?: (Partial<Omit<Job, 'steps'>> & { id: number; steps?: NewStep[] })[];
}

/** Workflow runs with their jobs, moved on by tests. */
export class Runs {
  readonly #clock: ServerClock;
  readonly #runs: Run[] = [];

  constructor(clock: ServerClock) {
    this.#clock = clock;
  }

  /** Adds a run, or one more attempt of a run; the same attempt is replaced. */
  add({ id, attempt = 1, event = 'schedule', jobs = [] }: NewRun): void {
    const now = this.#clock.now();
    const known = this.#runs.findIndex((run) => run.id === id && run.attempt === attempt);
    if (known >= 0) this.#runs.splice(known, 1);
    this.#runs.push({
      ...{ id, attempt, event, startedAt: now },
      jobs: jobs.map(({ steps = [{ name: 'Work' }], ...job }) => ({
        ...{ name: 'review', status: 'in_progress', conclusion: null, startedAt: now, completedAt: null },
        ...{ runner: 'GitHub Actions 1', ...job },
        steps: steps.map((step) => this.#toStep(step)),
      })),
    });
  }

  /** The newest attempt, or a given one. */
  run(id: number, attempt?: number): Run | undefined {
    const attempts = this.#runs.filter((run) => run.id === id).sort((a, b) => b.attempt - a.attempt);
    return attempt === undefined ? attempts[0] : attempts.find((run) => run.attempt === attempt);
  }

  job(id: number): { run: Run; job: Job } | undefined {
    for (const run of this.#runs) {
      const job = run.jobs.find((each) => each.id === id);
      if (job) return { run, job };
    }
    return undefined;
  }

  /**
   * Ends a job. Its steps end with it, as where the runner itself has ended it; where the runner was
   * lost, `steps` says what GitHub last heard of them.
   */
  end(id: number, conclusion: Conclusion = 'success', { steps }: { steps?: NewStep[] } = {}): void {
    const { job } = this.job(id) ?? {};
    if (!job) throw new Error(`there is no job ${id}`);
    const completedAt = this.#clock.now();
    const ended = steps?.map((step) => this.#toStep(step)) ?? job.steps.map((step) => endOf(step));
    Object.assign(job, { status: 'completed', conclusion, completedAt, steps: ended });

    function endOf(step: Step): Step {
      if (step.status === 'completed') return step;
      const outcome = step.status === 'queued' ? 'skipped' : conclusion;
      return { ...step, status: 'completed', conclusion: outcome, completedAt };
    }
  }

  #toStep({ name, conclusion = null, ...said }: NewStep): Step {
    const now = this.#clock.now();
    const status = said.status ?? (conclusion === null ? 'in_progress' : 'completed');
    const startedAt = status === 'queued' ? null : now;
    return { name, conclusion, startedAt, completedAt: status === 'completed' ? now : null, ...said, status };
  }
}
