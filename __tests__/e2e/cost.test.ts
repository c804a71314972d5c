import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type GitHubServer, startServer } from '../server/server.js';
import { Job } from './runner.js';

/** What each mode costs without contention, in requests and in sequential round trips. */

let server: GitHubServer;
beforeAll(async () => {
  // So long that requests sent together do overlap, however busy the machine is.
  server = await startServer({ delay: 400 });
  server.addIssue({ number: 7 });
});
afterAll(() => server.close());

/** How many requests had to wait for an answer to an earlier one: the longest chain of them. */
function roundTrips(from: number): number {
  const requests = server.requests.slice(from).sort((a, b) => a.startedAt - b.startedAt);
  const depths = requests.map(() => 1);
  for (const [index, later] of requests.entries()) {
    for (const [before, earlier] of requests.slice(0, index).entries()) {
      if (earlier.endedAt <= later.startedAt)
        depths[index] = Math.max(depths[index] ?? 1, (depths[before] ?? 0) + 1);
    }
  }
  return Math.max(0, ...depths);
}

async function cost(act: () => Promise<unknown>): Promise<[requests: number, roundTrips: number]> {
  const from = server.requests.length;
  await act();
  return [server.requests.length - from, roundTrips(from)];
}

it('is within its budget', async () => {
  const [first, second, loser] = [
    new Job(server, { run: 1 }),
    new Job(server, { run: 2 }),
    new Job(server, { run: 3 }),
  ];
  const table = {
    'claim, fresh key': await cost(() => first.step({ mode: 'claim', key: 'deploy/prod' })),
    verify: await cost(() => first.step({ mode: 'verify' })),
    heartbeat: await cost(() => first.step({ mode: 'heartbeat' })),
    'claim, held by another': await cost(() =>
      loser.step({ mode: 'claim', key: 'deploy/prod', 'on-conflict': 'skip' }),
    ),
    'post of the loser': await cost(() => loser.post()),
    'release by post': await cost(() => first.post()),
    'claim, used key': await cost(() => second.step({ mode: 'claim', key: 'deploy/prod' })),
    release: await cost(() => second.step({ mode: 'release' })),
    'post after a release': await cost(() => second.post()),
    'claim, fresh item': await cost(() => new Job(server, { run: 4 }).step({ mode: 'claim', item: '7' })),
  };
  expect(table).toEqual({
    'claim, fresh key': [3, 2],
    verify: [1, 1],
    heartbeat: [2, 2],
    'claim, held by another': [3, 2],
    'post of the loser': [0, 0],
    'release by post': [3, 2],
    'claim, used key': [5, 4],
    release: [3, 2],
    'post after a release': [0, 0],
    'claim, fresh item': [4, 2],
  });
});
