import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Job, type RunningStep, type StepResult } from '../../__tests__/e2e/runner.js';
import type { GitHubServer } from '../../__tests__/server/server.js';
import { expect } from './expect.js';
import { newestOf } from './history.js';
import type { Timeline, Tone } from './timeline.js';

export const BOT = 'review-bot';
export const TOKEN = 'demo-token';
export const KEY = 'item-7';
/** Short, so that nobody has to wait: ten minutes are usual, and five. */
const LEASE = { ttl: '6s', 'renew-deadline': '3s' };

const VERDICTS: Record<string, [words: string, tone: Tone]> = {
  claimed: ['claimed', 'good'],
  'taken-over': ['claimed', 'good'],
  held: ['no claim', 'wait'],
  owned: ['owned', 'good'],
  renewed: ['owned', 'good'],
  lost: ['claim lost', 'bad'],
};

/** One run of the bot: a job whose steps are processes of the bundle, each told when it has ended. */
export class Reviewer {
  readonly who: string;
  readonly job: Job;
  readonly #server: GitHubServer;
  readonly #timeline: Timeline;
  #title = '';

  constructor(server: GitHubServer, run: number, timeline: Timeline) {
    this.who = `run ${run}`;
    this.job = new Job(server, { run, job: String(38_000 + run), token: TOKEN, actor: BOT });
    this.#server = server;
    this.#timeline = timeline;
  }

  claim(): Promise<StepResult> {
    return this.#step({ mode: 'claim', item: '7', 'on-conflict': 'skip', ...LEASE });
  }

  prove(mode: 'verify' | 'heartbeat'): Promise<StepResult> {
    return this.#step({ mode });
  }

  /** Starts a heartbeat that somebody else ends. */
  startHeartbeat(): RunningStep {
    return this.job.start({ mode: 'heartbeat' });
  }

  startWork(steps: number): Work {
    this.tell('work', `begins: "${this.#title}"`);
    return new Work(steps);
  }

  /**
   * Ends the job and runs its post steps. Told are those that had something to give back; of a job
   * that had nothing, one.
   */
  async end(status: Job['status']): Promise<StepResult[]> {
    this.job.status = status;
    const posts = await this.job.post();
    for (const { code, log } of posts) expect(code === 0, `a post step of ${this.who} ended red:\n${log}`);
    const busy = posts.filter(({ log, warnings }) => log.startsWith('Released') || warnings.length > 0);
    for (const { log } of busy.length > 0 ? busy : posts.slice(0, 1)) {
      const [line = ''] = log.replace(/^::warning::/, '').split('\n');
      const released = line.startsWith('Released');
      const entry = released ? await newestOf(this.#server, KEY) : '';
      this.tell('post', line, released ? 'good' : 'plain', entry);
    }
    return posts;
  }

  tell(does: string, outcome: string, tone: Tone = 'plain', entry = ''): void {
    this.#timeline.tell({ who: this.who, does, entry, outcome, tone });
  }

  async #step(inputs: Record<string, string> & { mode: string }): Promise<StepResult> {
    const result = await this.job.step(inputs);
    const { outcome = '', message = '', ref = '', title = this.#title } = result.outputs;
    this.#title = title;
    const [verdict, tone] = VERDICTS[outcome] ?? [outcome, 'bad'];
    const colour = result.code === 0 ? '' : ` (exit ${result.code})`;
    this.tell(inputs.mode, `${verdict}${colour}: ${withoutKey(message)}`, tone, ref.split('/').at(-1));
    expect(outcome in VERDICTS, `${inputs.mode} of ${this.who} ended like this:\n${result.log}`);
    return result;
  }
}

/** A message from its key on, as who reads the timeline knows what comes before. */
function withoutKey(message: string): string {
  const at = message.indexOf(KEY);
  return at < 0 ? message : message.slice(at + KEY.length).replace(/^(:|,| is) /, '');
}

/** A process that stands for the agent's work. */
export class Work {
  readonly steps: number;
  /** The steps done so far. */
  done = 0;
  /** How the process ended: its exit code, or the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  readonly #child: ChildProcess;

  constructor(steps: number) {
    this.steps = steps;
    const script = fileURLToPath(new URL('./work.js', import.meta.url));
    this.#child = fork(script, [String(steps)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (done) => {
      this.done = Number(done);
    });
    this.ended = new Promise((resolve) => this.#child.on('close', (code, signal) => resolve(signal ?? code)));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
