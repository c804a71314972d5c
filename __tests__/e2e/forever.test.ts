import { describe, expect, it } from '@jest/globals';
import { type GitHubServer, startServer } from '../server/server.js';
import { Job } from './runner.js';

/** Fault 3: creations that are never answered clearly. Side by side, as each takes its whole deadline. */

const forever = { method: 'POST', path: /\/git\/refs$/, status: 502, times: Number.POSITIVE_INFINITY };

async function withServer(test: (server: GitHubServer) => Promise<void>): Promise<void> {
  const server = await startServer();
  server.addIssue({ number: 7 });
  await test(server);
  await server.close();
}

const sequencesOf = async (server: GitHubServer) =>
  [...(await server.refs('refs/claims/item-7/')).keys()].map((ref) => Number(ref.slice(-8)));

describe('502 for ever on creations', () => {
  it.concurrent('that did nothing: ambiguous and red; post warns and stays green; nothing is left', () =>
    withServer(async (server) => {
      server.inject({ ...forever, kind: 'status' });
      const job = new Job(server);
      const step = await job.step({ mode: 'claim', item: '7' });
      expect(step).toMatchObject({ code: 1, outputs: { outcome: 'ambiguous', claimed: '' } });
      expect(step.errors).toEqual([
        expect.stringMatching(
          /^::error::ambiguous: whether refs\/claims\/item-7\/00000001 was created isn't known \(HTTP 502/,
        ),
      ]);
      job.status = 'failure';
      const [post] = await job.post();
      expect(post).toMatchObject({ code: 0, errors: [] });
      expect(post?.warnings).toEqual([
        expect.stringMatching(/^::warning::The claim may stay until its ttl has passed: ambiguous: /),
      ]);
      expect(await sequencesOf(server)).toEqual([]);
    }));

  it.concurrent('although each acted: never told that it is held, and given back once the host answers', () =>
    withServer(async (server) => {
      const fault = server.inject({ ...forever, kind: 'status-after' });
      const job = new Job(server);
      const step = await job.step({ mode: 'claim', item: '7' });
      expect(step).toMatchObject({ code: 1, outputs: { outcome: 'ambiguous' } });
      expect(fault.strikes).toBeGreaterThan(3);
      expect(await sequencesOf(server)).toEqual([1]);
      server.clearFaults();
      job.status = 'failure';
      expect(await job.post()).toMatchObject([{ code: 0, warnings: [] }]);
      expect(await sequencesOf(server)).toEqual([1, 2]);
      const next = await new Job(server, { run: 2 }).step({ mode: 'claim', item: '7' });
      expect(next).toMatchObject({ outputs: { outcome: 'claimed', generation: '2' } });
    }));
});
