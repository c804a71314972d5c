import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, said } from './client.js';
import { type GitHubServer, startServer } from './server.js';

const MINUTE = 60_000;

let server: GitHubServer;
let client: Client;

beforeEach(async () => {
  server = await startServer();
  client = new Client(server);
  server.addRun({ id: 870, jobs: [{ id: 38291, name: 'review (a)' }, { id: 38292 }] });
});
afterEach(() => server.close());

const read = async (path: string) => (await client.ask('GET', `/actions/${path}`)).body;

describe('a run', () => {
  it('goes on until the last of its jobs has ended, and is as good as the worst', async () => {
    expect(await read('runs/870')).toMatchObject({ status: 'in_progress', conclusion: null, run_attempt: 1 });
    server.endJob(38291);
    expect(await read('runs/870')).toMatchObject({ status: 'in_progress' });
    server.endJob(38292, 'failure');
    expect(await read('runs/870/attempts/1')).toMatchObject({ status: 'completed', conclusion: 'failure' });
  });

  it('keeps its attempts apart', async () => {
    server.endJob(38291, 'cancelled');
    server.addRun({ id: 870, attempt: 2, event: 'workflow_dispatch', jobs: [{ id: 40001 }] });
    expect(await read('runs/870')).toMatchObject({ run_attempt: 2, event: 'workflow_dispatch' });
    const jobs = async (attempt: number) => (await read(`runs/870/attempts/${attempt}/jobs`)).jobs;
    expect(await jobs(1)).toMatchObject([
      { id: 38291, conclusion: 'cancelled', run_attempt: 1 },
      { id: 38292, conclusion: null },
    ]);
    expect(await jobs(2)).toMatchObject([{ id: 40001, status: 'in_progress' }]);
    for (const path of ['runs/871', 'runs/870/attempts/3', 'runs/870/attempts/3/jobs', 'jobs/1']) {
      expect(said(await client.ask('GET', `/actions/${path}`))).toBe('404 Not Found');
    }
  });

  it('lists its jobs in pages', async () => {
    const { body, headers } = await client.ask('GET', '/actions/runs/870/attempts/1/jobs?per_page=1');
    expect(body).toMatchObject({ total_count: 2, jobs: [{ id: 38291 }] });
    expect(headers.get('link')).toMatch(/rel="next"/);
  });
});

describe('a job', () => {
  it('ends with all its steps where its runner ends it', async () => {
    server.addRun({
      id: 871,
      jobs: [{ id: 1, steps: [{ name: 'Set up', conclusion: 'success' }, { name: 'Review' }] }],
    });
    server.addRun({ id: 872, jobs: [{ id: 2, steps: [{ name: 'Later', status: 'queued' }] }] });
    server.clock.advance(MINUTE);
    server.endJob(1, 'failure');
    server.endJob(2, 'cancelled');
    const job = await read('jobs/1');
    expect(job).toMatchObject({ run_id: 871, status: 'completed', conclusion: 'failure' });
    expect(job.steps).toMatchObject([
      { name: 'Set up', number: 1, status: 'completed', conclusion: 'success' },
      {
        name: 'Review',
        number: 2,
        status: 'completed',
        conclusion: 'failure',
        completed_at: job.completed_at,
      },
    ]);
    expect(Date.parse(job.completed_at) - Date.parse(job.started_at)).toBeGreaterThanOrEqual(MINUTE);
    expect((await read('jobs/2')).steps).toMatchObject([{ status: 'completed', conclusion: 'skipped' }]);
  });

  it('leaves steps running where its runner was lost', async () => {
    server.endJob(38291, 'failure', { steps: [{ name: 'Work' }] });
    const job = await read('jobs/38291');
    expect(job).toMatchObject({ name: 'review (a)', status: 'completed', runner_name: 'GitHub Actions 1' });
    expect(job.steps).toMatchObject([{ status: 'in_progress', conclusion: null, completed_at: null }]);
    expect(() => server.endJob(7)).toThrow('there is no job 7');
  });
});
