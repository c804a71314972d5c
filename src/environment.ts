import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Process } from './engine/entry.js';
import { ClaimError } from './engine/outcome.js';
import type { Item } from './ports.js';

/** What the runner tells a step through its environment. */
export interface Environment {
  env: Record<string, string | undefined>;
  /** The event that started the run, as the host sent it. */
  event: unknown;
}

export function readEnvironment(env: Environment['env']): Environment {
  const path = env['GITHUB_EVENT_PATH'];
  if (!path) return { env, event: undefined };
  try {
    return { env, event: JSON.parse(readFileSync(path, 'utf8')) };
  } catch {
    return { env, event: undefined };
  }
}

const numbered = z.object({ number: z.int().positive() });

/** The issue or pull request that the event is about; nothing for events about neither. */
export function eventItem({ env, event }: Environment): { number: number; kind: Item['kind'] } | undefined {
  switch (env['GITHUB_EVENT_NAME']) {
    case 'pull_request':
    case 'pull_request_target':
    case 'pull_request_review':
    case 'pull_request_review_comment': {
      const parsed = z.object({ pull_request: numbered }).safeParse(event);
      return parsed.data && { number: parsed.data.pull_request.number, kind: 'pull' };
    }
    case 'issues':
    case 'issue_comment': {
      const parsed = z
        .object({ issue: numbered.extend({ pull_request: z.unknown().optional() }) })
        .safeParse(event);
      if (!parsed.data) return undefined;
      const { number, pull_request } = parsed.data.issue;
      return { number, kind: pull_request ? 'pull' : 'issue' };
    }
    case 'merge_group': {
      const parsed = z.object({ merge_group: z.object({ head_ref: z.string() }) }).safeParse(event);
      const [, number] =
        /\/pr-([1-9][0-9]{0,9})-[0-9a-f]+$/.exec(parsed.data?.merge_group.head_ref ?? '') ?? [];
      return number ? { number: Number(number), kind: 'pull' } : undefined;
    }
    default:
      return undefined;
  }
}

/** The server that the run belongs to: `https://github.com`. */
export function serverOf({ env }: Environment): string {
  return (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
}

/** Its API: `https://api.github.com`. */
export function apiOf({ env }: Environment): string {
  return (env['GITHUB_API_URL'] || 'https://api.github.com').replace(/\/+$/, '');
}

/**
 * This job, as entries name it. `jobId` is unique per matrix leg where the host has it; the runner's
 * tracking id is so elsewhere.
 */
export function processOf(environment: Environment, jobId: string): Process {
  const { env } = environment;
  const [repository, run, attempt] = [
    env['GITHUB_REPOSITORY'],
    env['GITHUB_RUN_ID'],
    env['GITHUB_RUN_ATTEMPT'] || '1',
  ];
  if (!repository || !/^[0-9]+$/.test(run ?? '') || !/^[0-9]+$/.test(attempt)) {
    throw new ClaimError(
      'invalid-input',
      'invalid-input: this is no job of a workflow run: GITHUB_REPOSITORY, GITHUB_RUN_ID or GITHUB_RUN_ATTEMPT is missing. Nothing was changed',
    );
  }
  const job = [jobId, env['RUNNER_TRACKING_ID'], env['GITHUB_JOB'], 'job'].find((text) => text) as string;
  return {
    run: `${serverOf(environment)}/${repository}/actions/runs/${run}/attempts/${attempt}`,
    job: job.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 100),
  };
}

/** Which workflow and job this is, in words. */
export function describeJob({ env }: Environment): string {
  const [workflow, job] = [env['GITHUB_WORKFLOW'], env['GITHUB_JOB']];
  return [workflow && `workflow ${workflow}`, job && `job ${job}`].filter(Boolean).join(', ');
}
