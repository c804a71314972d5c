import type { Conclusion, Job, Run } from '../state/runs.js';
import { isoTime, nodeId, placesOf, type World } from '../world.js';
import { accountShape } from './account.js';
import { timeOrNull } from './item.js';
import { minimalRepositoryShape } from './repository.js';

const WORKFLOW = { id: 1, name: 'Review bots', path: '.github/workflows/review.yml' };

/** @param head the sha that the run is about */
export function runShape(world: World, run: Run, head: string) {
  const { id, attempt, event } = run;
  const [owner = ''] = world.repository.split('/');
  const { api, html } = placesOf(world);
  const url = `${api}/actions/runs/${id}`;
  const started = isoTime(run.startedAt);
  const actor = accountShape(world, owner);
  const repository = minimalRepositoryShape(world);
  return {
    id,
    name: WORKFLOW.name,
    node_id: nodeId('WorkflowRun', id),
    display_title: WORKFLOW.name,
    path: WORKFLOW.path,
    workflow_id: WORKFLOW.id,
    run_number: 1,
    run_attempt: attempt,
    event,
    ...stateOf(run.jobs),
    head_branch: 'main',
    head_sha: head,
    head_commit: null,
    head_repository: repository,
    repository,
    pull_requests: [],
    actor,
    triggering_actor: actor,
    created_at: started,
    run_started_at: started,
    updated_at: isoTime(Math.max(run.startedAt, ...run.jobs.map(({ completedAt }) => completedAt ?? 0))),
    url,
    html_url: `${html}/actions/runs/${id}`,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/check-suites/${id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: attempt > 1 ? `${url}/attempts/${attempt - 1}` : null,
    workflow_url: `${api}/actions/workflows/${WORKFLOW.id}`,
  };
}

/** A run is over when all its jobs are, and then as good as the worst of them. */
function stateOf(jobs: Job[]): { status: string; conclusion: Conclusion | null } {
  if (jobs.some(({ status }) => status !== 'completed')) return { status: 'in_progress', conclusion: null };
  const worst = (['failure', 'timed_out', 'cancelled'] as const).find((conclusion) =>
    jobs.some((job) => job.conclusion === conclusion),
  );
  return { status: 'completed', conclusion: worst ?? 'success' };
}

export function jobShape(world: World, run: Run, job: Job, head: string) {
  const { api, html } = placesOf(world);
  const { id, name, status, conclusion, runner } = job;
  return {
    id,
    run_id: run.id,
    run_url: `${api}/actions/runs/${run.id}`,
    run_attempt: run.attempt,
    node_id: nodeId('CheckRun', id),
    head_branch: 'main',
    head_sha: head,
    url: `${api}/actions/jobs/${id}`,
    html_url: `${html}/actions/runs/${run.id}/job/${id}`,
    check_run_url: `${api}/check-runs/${id}`,
    name,
    workflow_name: WORKFLOW.name,
    status,
    conclusion,
    created_at: isoTime(job.startedAt),
    started_at: isoTime(job.startedAt),
    completed_at: timeOrNull(job.completedAt),
    steps: job.steps.map((step, index) => ({
      name: step.name,
      number: index + 1,
      status: step.status,
      conclusion: step.conclusion,
      started_at: timeOrNull(step.startedAt),
      completed_at: timeOrNull(step.completedAt),
    })),
    labels: ['ubuntu-latest'],
    runner_id: runner === null ? null : 1,
    runner_name: runner,
    runner_group_id: runner === null ? null : 1,
    runner_group_name: runner === null ? null : 'GitHub Actions',
  };
}
