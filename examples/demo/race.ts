import { setTimeout as sleep } from 'node:timers/promises';
import type { StepResult } from '../../__tests__/e2e/runner.js';
import type { GitHubServer } from '../../__tests__/server/server.js';
import { expect } from './expect.js';
import { newestOf } from './history.js';
import { KEY, type Reviewer } from './reviewer.js';
import type { Timeline } from './timeline.js';

const FIRST = '00000001';
const FIRST_REF = `refs/claims/${KEY}/${FIRST}`;
/** Which requests decide who wins. */
export const CREATES_A_REF = { method: 'POST', path: /\/git\/refs$/ };
/** How long a slow machine may take until all are at the start. */
const PATIENCE = 8_000;

/** All claim at once; the losers' jobs end, but for the first of them: that one will wait. */
export async function race(server: GitHubServer, reviewers: Reviewer[], timeline: Timeline) {
  const gate = startingGate(reviewers.length, timeline);
  server.inject({ ...CREATES_A_REF, kind: 'delay', times: reviewers.length, hook: gate });
  const results = await Promise.all(reviewers.map((reviewer) => reviewer.claim()));
  server.clearFaults();
  const created = tellAnswers(server, timeline);

  const won = results.map(({ outputs }) => outputs['claimed'] === 'true');
  const [winner, ...more] = reviewers.filter((_, index) => won[index]);
  const [waiter, ...others] = reviewers.filter((_, index) => !won[index]);
  expect(winner && more.length === 0, `the race has ${won.filter(Boolean).length} winners`);
  expect(created === 1, `the host created the first entry ${created} times`);
  expect(waiter, 'nobody is left to take over');
  for (const result of results) {
    expect(holderOf(result) === winner.who, `somebody was told that ${holderOf(result)} is the holder`);
  }
  const before = await newestOf(server, KEY);
  await Promise.all(others.map((loser) => loser.end('success')));
  expect((await newestOf(server, KEY)) === before, "a loser's post step changed the log");
  return { winner, waiter };
}

/** Lets all through at once when the last has arrived, so that each has seen a free key. */
function startingGate(runners: number, timeline: Timeline): () => Promise<void> {
  let arrived = 0;
  let fill = () => {};
  const filled = new Promise<void>((resolve) => {
    fill = resolve;
  });
  const opened = Promise.race([filled, sleep(PATIENCE, undefined, { ref: false })]).then(() => {
    const outcome = `${arrived} of ${runners} saw a free key and ask for this ref: let go at once`;
    timeline.tell({ who: 'host', does: 'starts', entry: FIRST, outcome });
  });
  return () => {
    arrived++;
    if (arrived === runners) fill();
    return opened;
  };
}

/**
 * Tells what the host said to those who asked for the first entry.
 * @returns how often it was created
 */
function tellAnswers({ requests }: GitHubServer, timeline: Timeline): number {
  const asked = requests.filter(({ body }) => (body as { ref?: unknown } | undefined)?.ref === FIRST_REF);
  const answered = (status: number) => asked.filter((request) => request.status === status).length;
  const [created, refused] = [answered(201), answered(422)];
  const outcome = `${created} x 201 Created, ${refused} x 422 Reference already exists`;
  timeline.tell({ who: 'host', does: 'answered', entry: FIRST, outcome });
  return created;
}

function holderOf({ outputs }: StepResult): string {
  return `run ${/\/runs\/(\d+)/.exec(outputs['holder-url'] ?? '')?.[1]}`;
}
