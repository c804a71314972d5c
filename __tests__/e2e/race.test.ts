import { describe, expect, it } from '@jest/globals';
import { startEmulator } from '../fakes/emulator.js';
import { startServer } from '../server/server.js';
import { type Host, Job } from './runner.js';

/** Fault 1, 15: twenty processes of one bot, on one item, at one moment. */

const ROUNDS = 20;
const RACERS = 20;

async function race(host: Host, item: number): Promise<Record<string, number>> {
  const jobs = Array.from({ length: RACERS }, (_, index) => new Job(host, { run: 1_000 * item + index }));
  const steps = await Promise.all(
    jobs.map((job) => job.step({ mode: 'claim', item: String(item), 'on-conflict': 'skip' })),
  );
  const counts: Record<string, number> = {};
  for (const { outputs } of steps)
    counts[outputs['outcome'] ?? '?'] = (counts[outputs['outcome'] ?? '?'] ?? 0) + 1;
  const winner = steps.findIndex(({ outputs }) => outputs['claimed'] === 'true');
  const holders = new Set(steps.map(({ outputs }) => outputs['holder']));
  expect(holders).toEqual(new Set([steps[winner]?.outputs['holder']]));
  for (const job of jobs) job.close();
  return counts;
}

describe(`${RACERS} processes of one bot race for one item, ${ROUNDS} times`, () => {
  const items = Array.from({ length: ROUNDS }, (_, index) => index + 1);

  it('on our own server: one winner each', async () => {
    const server = await startServer();
    for (const number of items) server.addIssue({ number });
    for (const item of items) {
      expect(await race(server, item)).toEqual({ claimed: 1, held: RACERS - 1 });
      expect([...(await server.refs(`refs/claims/item-${item}/`)).keys()]).toEqual([
        `refs/claims/item-${item}/00000001`,
      ]);
    }
    await server.close();
  }, 600_000);

  it("on an emulator that isn't ours: one winner each", async () => {
    const emulator = await startEmulator(ROUNDS);
    for (const item of items) expect(await race(emulator, item)).toEqual({ claimed: 1, held: RACERS - 1 });
    await emulator.close();
  }, 600_000);
});
