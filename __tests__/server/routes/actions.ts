import { notFound } from '../answers.js';
import { jobShape, runShape } from '../shapes/run.js';
import type { Run } from '../state/runs.js';
import type { World } from '../world.js';
import { pageOf } from './pages.js';
import { type Call, PAGES, REPOSITORY, type Route } from './route.js';

const RUN = `${REPOSITORY}/actions/runs/:run`;

export const actionsRoutes: Route[] = [
  {
    method: 'GET',
    path: RUN,
    needs: 'actions=read',
    act: readRun,
  },
  {
    method: 'GET',
    path: `${RUN}/attempts/:attempt`,
    needs: 'actions=read',
    act: readRun,
  },
  {
    method: 'GET',
    path: `${RUN}/attempts/:attempt/jobs`,
    needs: 'actions=read',
    query: PAGES,
    async act(call) {
      const run = runOf(call);
      const head = await headOf(call.world);
      const { items, headers } = pageOf(call, run.jobs);
      const jobs = items.map((job) => jobShape(call.world, run, job, head));
      return { status: 200, body: { total_count: run.jobs.length, jobs }, headers };
    },
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/actions/jobs/:job`,
    needs: 'actions=read',
    async act({ world, params }) {
      const { run, job } = world.runs.job(Number(params['job'])) ?? {};
      if (!run || !job) throw notFound();
      return { status: 200, body: jobShape(world, run, job, await headOf(world)) };
    },
  },
  {
    method: 'POST',
    path: `${RUN}/cancel`,
    needs: 'actions=write',
    act({ world, params: { run = '' } }) {
      if (!/^\d+$/.test(run)) throw notFound();
      world.cancelled.push(Number(run));
      return { status: 202, body: {} };
    },
  },
];

async function readRun(call: Call) {
  return { status: 200, body: runShape(call.world, runOf(call), await headOf(call.world)) };
}

function runOf({ world, params: { run: id, attempt } }: Call): Run {
  const run = world.runs.run(Number(id), attempt === undefined ? undefined : Number(attempt));
  if (!run) throw notFound();
  return run;
}

/** All runs here are about the default branch. */
async function headOf({ git }: World): Promise<string> {
  return (await git.object('refs/heads/main'))?.sha ?? '';
}
