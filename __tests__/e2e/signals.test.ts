import { describe, expect, it } from '@jest/globals';
import { startServer } from '../server/server.js';
import { Job } from './runner.js';

/** A run that is cancelled: the runner sends SIGINT, later SIGTERM, later it kills; then post runs. */

const STAGES = [
  ['while it reads the item', 'GET', /\/issues\/7$/],
  ['while it lists the log', 'GET', /matching-refs/],
  ['while it writes its entry', 'POST', /\/git\/commits$/],
  ['while it creates its ref', 'POST', /\/git\/refs$/],
] as const;

describe.each(['SIGINT', 'SIGTERM'] as const)('a claim step that gets %s', (signal) => {
  it.each(STAGES)('%s ends at once, and post leaves nothing behind', async (_, method, path) => {
    for (const heard of [true, false]) {
      const server = await startServer();
      server.addIssue({ number: 7 });
      const held = server.inject({ method, path, kind: 'hold' });
      const job = new Job(server, { run: 1 });
      const step = job.start({ mode: 'claim', item: '7' });
      await held.struck;
      step.kill(signal);
      expect((await step.done).signal).toBe(signal);
      // The request may be carried out all the same, when its sender is long gone.
      held.release(heard);
      job.status = 'cancelled';
      for (const post of await job.post()) expect(post).toMatchObject({ code: 0, errors: [], warnings: [] });
      const next = new Job(server, { run: 2 });
      expect(await next.step({ mode: 'claim', item: '7' })).toMatchObject({
        code: 0,
        outputs: { outcome: 'claimed' },
      });
      expect((await job.step({ mode: 'verify' })).code).not.toBe(0);
      expect((await next.step({ mode: 'verify' })).code).toBe(0);
      job.close();
      next.close();
      await server.close();
    }
  });
});
