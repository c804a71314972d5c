import { expect, it } from '@jest/globals';
import { startServer } from '../server/server.js';
import { Job, type StepResult } from './runner.js';

/** The whole life of one pull request under two agents and three heads, on the committed bundle. */

const HEADS = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string];

it('each agent finishes each head once, pushes void what was begun, and closing ends the rest', async () => {
  const server = await startServer();
  let runs = 100;
  const newJob = () => new Job(server, { run: ++runs });
  const push = (head: string, state: 'open' | 'closed' = 'open') =>
    server.addIssue({ number: 31, state, pull: { head } });
  const review = {
    mode: 'claim',
    item: 'pr-31',
    per: 'agent,head',
    'on-conflict': 'skip',
    'on-job-end': 'done',
  };
  const begin = async (agent: string): Promise<[Job, StepResult]> => {
    const job = newJob();
    return [job, await job.step({ ...review, agent })];
  };
  const end = async (job: Job, status: Job['status'] = 'success') => {
    job.status = status;
    for (const post of await job.post()) expect(post).toMatchObject({ code: 0, errors: [] });
  };
  const tails = async () => {
    const logs = new Map<string, string>();
    for (const ref of (await server.refs('refs/claims/item-31/')).keys()) {
      const [subject = ''] = (await server.log(ref)).split('\n');
      logs.set(
        ref.slice('refs/claims/item-31/'.length, -9),
        subject.replace(/^.*? (?=claimed|renewed|done|released|closed)/, ''),
      );
    }
    return Object.fromEntries(
      [...logs].map(([key, subject]) => [key.replace(/\/(\d{7})\d+$/, '/$1'), subject]),
    );
  };

  // The first head: both agents review it, and a second run of one finds it taken, then done.
  push(HEADS[0]);
  const [[alpha, one], [beta, two]] = [await begin('alpha'), await begin('beta')];
  expect(one.outputs).toMatchObject({ outcome: 'claimed', key: `item-31/alpha/${HEADS[0]}`, head: HEADS[0] });
  expect(one.log).toMatch(/^Claimed item-31\/alpha\/1111111: generation 1; 4 requests$/m);
  expect(two.outputs).toMatchObject({ outcome: 'claimed' });
  expect((await begin('alpha'))[1].outputs).toMatchObject({ outcome: 'held', claimed: '' });
  await end(alpha);
  expect((await begin('alpha'))[1].outputs).toMatchObject({ outcome: 'done', claimed: '' });

  // A push while the other is at work: its proof is gone, and it ends as failed.
  push(HEADS[1]);
  const moved = await beta.step({ mode: 'verify' });
  expect(moved).toMatchObject({ code: 4, errors: ['::error::claim lost: item-31 moved to 2222222'] });
  await end(beta, 'failure');

  // The second head: one dies, another takes over and finishes.
  const [dead] = await begin('alpha');
  expect((await dead.step({ mode: 'verify' })).code).toBe(0);
  server.clock.advance(11 * 60_000);
  const [heir, taken] = await begin('alpha');
  expect(taken.outputs).toMatchObject({ outcome: 'taken-over', generation: '2' });
  expect(taken.summary).toContain('```mermaid');
  expect((await dead.step({ mode: 'verify' })).code).toBe(4);
  await end(heir);
  await end(dead, 'failure');

  // The third head: one is still at work when the pull request is merged.
  push(HEADS[2]);
  const [late] = await begin('beta');
  expect(await tails()).toEqual({
    'alpha/1111111': 'done by alpha, generation 1',
    'beta/1111111': 'released as failed by beta, generation 1',
    'alpha/2222222': 'done by alpha, generation 2',
    'beta/3333333': 'claimed by beta, generation 1',
  });
  push(HEADS[2], 'closed');
  const clean = { mode: 'cleanup', item: '31' };
  const first = await newJob().step(clean);
  expect(first).toMatchObject({ code: 0, warnings: [], outputs: { outcome: 'cleaned' } });
  expect(first.outputs['message']).toBe(
    'Cleaned item-31: 4 keys, 2 closed now, 0 entries deleted, 10 left for a later run',
  );
  expect(await tails()).toEqual({
    'alpha/1111111': 'done by alpha, generation 1',
    'beta/1111111': 'closed by beta, generation 1',
    'alpha/2222222': 'done by alpha, generation 2',
    'beta/3333333': 'closed by beta, generation 1',
  });
  expect(await late.step({ mode: 'verify' })).toMatchObject({
    code: 4,
    outputs: { outcome: 'lost', reason: 'closed' },
  });
  await end(late, 'cancelled');

  // An hour later only the newest entries are left, and a day later nothing.
  server.clock.advance(61 * 60_000);
  expect((await newJob().step(clean)).outputs['message']).toBe(
    'Cleaned item-31: 4 keys, 0 closed now, 6 entries deleted, 4 left for a later run',
  );
  server.clock.advance(24 * 60 * 60_000);
  expect((await newJob().step(clean)).outputs['message']).toBe(
    'Cleaned item-31: 4 keys, 0 closed now, 4 entries deleted, 0 left for a later run',
  );
  expect(await server.refs('refs/claims/')).toEqual(new Map());
  await server.close();
});
