import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import * as core from '@actions/core';
import { ClaimError, ENDINGS, type Outcome, unexpected } from './engine/outcome.js';
import { CLEAR_DEADLINE, CLEAR_DEADLINE_IN_POST } from './engine/policy.js';
import { apiOf, describeJob, type Environment, processOf, readEnvironment, serverOf } from './environment.js';
import { createClient } from './github/client.js';
import { Meter } from './github/meter.js';
import { GitHubRuns } from './github/runs.js';
import { formatHandle, HandleFiles, parseHandle } from './handles.js';
import { type Inputs, loadInputs, loadPostInputs } from './inputs.js';
import { claim } from './modes/claim.js';
import { cleanup } from './modes/cleanup.js';
import { heartbeat, verify } from './modes/prove.js';
import { free, release, releaseMeant } from './modes/release.js';
import type { Report, World } from './modes/world.js';
import { exportClaim, listRequests, setOutputs, tell, tellToGuard } from './outputs.js';
import type { Clock, Handle, Runs } from './ports.js';
import { GitHubStore } from './stores/github/store.js';
import { summarize } from './summary.js';
import { GitHubTracker } from './tracker/github/tracker.js';
import { noMirror } from './tracker/mirror.js';

/** Wires a step together, runs its mode, and reports. */

const STATE = 'claim';
const JOB_END = 'on-job-end';
/** What fails even a cleanup, which else warns and stays green. */
const BAD_CALLS = new Set<Outcome>(['invalid-input']);
/** How long a step that had its own run cancelled waits for that to happen. */
const CANCEL_TAKES = 5 * 60_000;

const clock: Clock = { monotonic: () => performance.now(), sleep: (milliseconds) => sleep(milliseconds) };
const meter = new Meter(clock);

/** The step: reads its inputs, runs its mode, and never throws. */
export async function runMain(env: Environment['env']): Promise<void> {
  const environment = readEnvironment(env);
  let inputs: Inputs | undefined;
  let report: Report;
  let runs: Runs | undefined;
  try {
    inputs = loadInputs(environment);
    const wired = wire(environment, inputs.token, inputs.jobId, inputs.repository, CLEAR_DEADLINE);
    runs = wired.runs;
    report = await runMode(inputs, wired.world, environment);
  } catch (error) {
    report = failed(error);
  }
  await publish(report, inputs, runs, env);
}

/** The post step: gives back what this step claimed; it warns, and never fails. */
export async function runPost(env: Environment['env']): Promise<void> {
  try {
    const saved = parseHandle(core.getState(STATE));
    if (!saved) return core.info('This step holds no claim: nothing to release');
    const environment = readEnvironment(env);
    const { token, jobId, jobStatus } = loadPostInputs(environment);
    const repository = repositoryOf(saved);
    const { world } = wire(environment, token, jobId, repository, CLEAR_DEADLINE_IN_POST);
    const newest = world.handles.all().find(({ chain }) => chain === saved.chain) ?? saved;
    const good = core.getState(JOB_END) === 'done' ? 'done' : 'released';
    const ending = jobStatus === 'success' ? good : 'failed';
    const text = [describeJob(environment), jobStatus && `job status ${jobStatus}`]
      .filter(Boolean)
      .join(', ');
    const report = await releaseMeant(
      { key: saved.key, chain: saved.chain, handle: newest },
      { ending, text },
      world,
    );
    if (report.reason === 'taken-over') core.warning(report.message);
    else tell(report, meter.lines.length, false);
    for (const warning of report.warnings ?? []) core.warning(warning);
    if (report.outcome === 'released') await summarize(report, env);
  } catch (error) {
    core.warning(`The claim may stay until its ttl has passed: ${failed(error).message}`);
  }
  listRequests(meter.lines);
}

function runMode(inputs: Inputs, world: World, environment: Environment): Promise<Report> {
  const text = describeJob(environment);
  switch (inputs.mode) {
    case 'claim': {
      for (const notice of inputs.notices) core.notice(notice);
      core.saveState(JOB_END, inputs.onJobEnd);
      return claim({ ...inputs, text: inputs.reason ?? text }, world);
    }
    case 'verify':
      return verify(inputs.meaning, world);
    case 'heartbeat':
      return heartbeat(inputs.meaning, world);
    case 'release':
      return release({ meaning: inputs.meaning, ending: inputs.ending, text }, world);
    case 'free':
      return free({ ...inputs, text: inputs.reason }, world);
    case 'cleanup':
      return cleanup({ ...inputs, text }, world);
  }
}

function wire(
  environment: Environment,
  token: string,
  jobId: string,
  repository: { owner: string; repo: string },
  deadline: number,
): { world: World; runs: Runs } {
  const process = processOf(environment, jobId);
  const client = createClient({ token, baseUrl: apiOf(environment), meter, patience: deadline });
  const home = `${serverOf(environment)}/${repository.owner}/${repository.repo}`;
  const { env } = environment;
  const [owner = '', repo = ''] = (env['GITHUB_REPOSITORY'] ?? '').split('/');
  return {
    world: {
      protocol: {
        store: new GitHubStore(client, meter, repository),
        clock,
        entropy: (digits) =>
          randomBytes(Math.ceil(digits / 2))
            .toString('hex')
            .slice(0, digits),
        deadline,
      },
      tracker: new GitHubTracker(client, repository),
      mirror: noMirror,
      handles: new HandleFiles(env, home, process),
      step: { save: (handle: Handle) => core.saveState(STATE, formatHandle(handle)) },
      home,
      process,
    },
    runs: new GitHubRuns(client, { owner, repo }, Number(env['GITHUB_RUN_ID'])),
  };
}

async function publish(
  report: Report,
  inputs: Inputs | undefined,
  runs: Runs | undefined,
  env: Environment['env'],
): Promise<void> {
  const { step, owned } = ENDINGS[report.outcome];
  const claiming = inputs?.mode === 'claim' ? inputs : undefined;
  const conflict = step === 'by-conflict' ? claiming?.onConflict : undefined;
  setOutputs(report, meter.lines.length);
  if (claiming) exportClaim(report);
  if (claiming || inputs?.mode === 'release' || !owned) await summarize(report, env);
  for (const warning of report.warnings ?? []) core.warning(warning);
  let ending = report;
  if (conflict === 'cancel' && runs) ending = await cancelled(report, runs);
  if (inputs?.mode === 'cleanup' && step === 'red' && !BAD_CALLS.has(report.outcome))
    core.warning(report.message);
  else tell(ending, meter.lines.length, conflict ? conflict !== 'skip' : step === 'red');
  if (conflict === 'skip') tellToGuard(env);
  listRequests(meter.lines);
}

/** Has the own run cancelled, and stays until that ends this process. What comes back is a failure. */
async function cancelled(report: Report, runs: Runs): Promise<Report> {
  core.info(`${report.message}; cancelling this run`);
  try {
    await runs.cancel();
  } catch (error) {
    return failed(error);
  }
  await clock.sleep(CANCEL_TAKES);
  return { ...report, message: `${report.message}; this run was to be cancelled and still goes on` };
}

/** The report of an error. Its stack is for the debug log only. */
function failed(error: unknown): Report {
  if (error instanceof Error) core.debug(error.stack ?? error.message);
  const { outcome, message, retryAfter } = error instanceof ClaimError ? error : unexpected(error);
  return { outcome, message, retryAfter };
}

function repositoryOf({ home }: Handle): { owner: string; repo: string } {
  const [repo = '', owner = ''] = home.split('/').reverse();
  return { owner, repo };
}
