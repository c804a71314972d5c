import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * Starts the committed bundle as a runner does: inputs with the defaults of action.yml, the files
 * that a step writes to, the job's variables from step to step, and post steps last-in first-out.
 */

const action = parse(readFileSync('action.yml', 'utf8')) as {
  inputs: Record<string, { default?: string }>;
  runs: { main: string; post: string };
};

export interface Host {
  url: string;
  repository: string;
}

export interface JobOptions {
  run?: number;
  attempt?: number;
  /** `job.check_run_id`; empty as on hosts that don't have it. */
  job?: string;
  token?: string;
  actor?: string;
  /** The event's name and payload. */
  event?: [name: string, payload: object];
  env?: Record<string, string>;
  /** The node that runs the bundle. */
  node?: string;
}

export interface StepResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** All that the step printed. */
  log: string;
  outputs: Record<string, string>;
  summary: string;
  /** The lines that the runner would show as annotations, by kind. */
  errors: string[];
  notices: string[];
  warnings: string[];
}

/** A step that has started; `kill` as the runner or the kernel does. */
export interface RunningStep {
  done: Promise<StepResult>;
  kill(signal: NodeJS.Signals): void;
}

const open = new Set<Job>();
/** In a test file every job goes with the file; elsewhere there is no such hook, and its maker closes it. */
(globalThis as { afterAll?: (act: () => void) => void }).afterAll?.(() => {
  for (const job of open) job.close();
});

export class Job {
  readonly temp = mkdtempSync(join(tmpdir(), 'claim-job-'));
  readonly host: Host;
  readonly options: JobOptions;
  /** What steps exported for the steps after them. */
  readonly exported: Record<string, string> = {};
  status: 'success' | 'failure' | 'cancelled' = 'success';
  readonly #posts: { inputs: Record<string, string>; files: Record<string, string> }[] = [];
  readonly #running = new Set<ChildProcess>();
  #steps = 0;

  constructor(host: Host, options: JobOptions = {}) {
    this.host = host;
    this.options = options;
    open.add(this);
  }

  /** Runs main of one step to its end. */
  step(inputs: Record<string, string>, env: Record<string, string> = {}): Promise<StepResult> {
    return this.start(inputs, env).done;
  }

  start(inputs: Record<string, string>, env: Record<string, string> = {}): RunningStep {
    const files = this.#newFiles();
    this.#posts.push({ inputs, files });
    return this.#spawn(action.runs.main, inputs, files, env);
  }

  /** Runs the post steps, the last step's first; inputs are evaluated again. */
  async post(): Promise<StepResult[]> {
    const results: StepResult[] = [];
    for (let running = this.startPost(); running; running = this.startPost())
      results.push(await running.done);
    return results;
  }

  /** Starts the next post step; nothing if there is none left. */
  startPost(): RunningStep | undefined {
    const post = this.#posts.pop();
    if (!post) return undefined;
    const state = readFileFormat(post.files['GITHUB_STATE'] ?? '');
    const env = Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
    return this.#spawn(action.runs.post, post.inputs, this.#newFiles(), env);
  }

  /** The runner is gone: what still runs and its temporary folder too. Nobody hears of such a step again. */
  close(): void {
    for (const child of this.#running) child.removeAllListeners('close').kill('SIGKILL');
    rmSync(this.temp, { recursive: true, force: true });
  }

  #spawn(
    entry: string,
    inputs: Record<string, string>,
    files: Record<string, string>,
    extra: Record<string, string>,
  ): RunningStep {
    const env = { ...this.#environment(inputs), ...files, ...this.exported, ...extra };
    const child = spawn(this.options.node ?? process.execPath, [entry], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    let log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (log += text));
    const done = new Promise<StepResult>((resolve) => {
      child.on('close', (code, signal) => {
        this.#running.delete(child);
        Object.assign(this.exported, readFileFormat(files['GITHUB_ENV'] ?? ''));
        const annotations = (kind: string) => log.match(new RegExp(`^::${kind}::.*$`, 'gm')) ?? [];
        resolve({
          code,
          signal,
          log,
          outputs: readFileFormat(files['GITHUB_OUTPUT'] ?? ''),
          summary: readFileSync(files['GITHUB_STEP_SUMMARY'] ?? '', 'utf8'),
          errors: annotations('error'),
          notices: annotations('notice'),
          warnings: annotations('warning'),
        });
      });
    });
    return { done, kill: (signal) => child.kill(signal) };
  }

  #newFiles(): Record<string, string> {
    this.#steps += 1;
    const names = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_ENV', 'GITHUB_STEP_SUMMARY'];
    const files = Object.fromEntries(names.map((name) => [name, join(this.temp, `${name}-${this.#steps}`)]));
    for (const file of Object.values(files)) writeFileSync(file, '');
    return files;
  }

  #environment(inputs: Record<string, string>): Record<string, string> {
    const {
      run = 870,
      attempt = 1,
      job = '38291',
      token = 'test-token',
      actor = 'claim-bot',
      event,
      env,
    } = this.options;
    const contexts: Record<string, string> = {
      'github.token': token,
      'github.repository': this.host.repository,
      'job.status': this.status,
      'job.check_run_id': job,
    };
    const values = Object.entries(action.inputs).map(([name, { default: fallback = '' }]) => {
      const value =
        inputs[name] ?? fallback.replace(/\$\{\{ (.*?) \}\}/g, (_, path: string) => contexts[path] ?? '');
      return [`INPUT_${name.toUpperCase()}`, value];
    });
    const eventPath = join(this.temp, 'event.json');
    writeFileSync(eventPath, JSON.stringify(event?.[1] ?? {}));
    return {
      ...Object.fromEntries(values),
      PATH: process.env['PATH'] ?? '',
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION: 'claim',
      GITHUB_ACTOR: actor,
      GITHUB_API_URL: this.host.url,
      GITHUB_SERVER_URL: this.host.url,
      GITHUB_REPOSITORY: this.host.repository,
      GITHUB_RUN_ID: String(run),
      GITHUB_RUN_ATTEMPT: String(attempt),
      GITHUB_JOB: 'review',
      GITHUB_WORKFLOW: 'Review bots',
      GITHUB_EVENT_NAME: event?.[0] ?? 'schedule',
      GITHUB_EVENT_PATH: eventPath,
      RUNNER_TEMP: this.temp,
      ...env,
    };
  }
}

/** Reads a file of `name<<delimiter` blocks, the last value of a name being the one that counts. */
function readFileFormat(path: string): Record<string, string> {
  const text = readFileSync(path, 'utf8');
  const values: Record<string, string> = {};
  const block = /^([^\n]+?)<<([^\n]+)\n([\s\S]*?)\n?\2$/gm;
  for (const [, name = '', , value = ''] of text.matchAll(block)) values[name] = value;
  return values;
}
