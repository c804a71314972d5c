import { setTimeout as sleep } from 'node:timers/promises';
import { type GitHubServer, startServer } from '../../__tests__/server/server.js';
import { expect, Unexpected } from './expect.js';
import { historyOf, holdersOf, shown } from './history.js';
import { CREATES_A_REF, race } from './race.js';
import { BOT, KEY, Reviewer, TOKEN, type Work } from './reviewer.js';
import { Timeline } from './timeline.js';

/**
 * Five runs of one bot race for one issue; the winner's machine dies, another run takes over, and the
 * dead one comes back. Each run is a job of real processes of the bundle, against a GitHub server on
 * a real git repository within this process. What is shown is what they answered; anything else than
 * the protocol promises ends the demo with exit code 1.
 */

const RUNS = [901, 902, 903, 904, 905];

const timeline = new Timeline();

async function main(): Promise<void> {
  const server = await startServer({
    tokens: { [TOKEN]: { login: BOT, permissions: { contents: 'write', issues: 'read' } } },
  });
  server.addIssue({ number: 7, title: 'Login fails after a password reset' });
  const reviewers = RUNS.map((run) => new Reviewer(server, run, timeline));
  try {
    await Promise.race([play(server, reviewers), interruption()]);
  } finally {
    for (const { job } of reviewers) job.close();
    await server.close();
  }
}

async function play(server: GitHubServer, reviewers: Reviewer[]): Promise<void> {
  timeline.open('Five runs of one bot, one issue, and a crash');
  timeline.act('Race', 'All five want issue #7 at the same moment; one may have it.');
  const { winner, waiter } = await race(server, reviewers, timeline);
  timeline.act(
    'Crash',
    'The winner works, proves its claim, renews it. Its machine dies, and no post step runs.',
  );
  await crash(server, winner);
  timeline.act('Takeover', 'Nobody cleans up. Another run tries again when the dead claim has lapsed.');
  const work = await takeOver(server, waiter);
  timeline.act('Zombie', 'The dead machine is back, and its job goes on as if nothing had happened.');
  await comeBack(server, winner);
  timeline.act('Release', 'The new holder proves its claim before it writes; its post step gives it back.');
  await release(waiter, work);
  timeline.act('History', 'The refs are the log, and git reads it.');
  await tellHistory(server);
}

/** The work is killed, and a heartbeat while its request is under way. */
async function crash(server: GitHubServer, winner: Reviewer): Promise<void> {
  const work = winner.startWork(100);
  const verified = await winner.prove('verify');
  expect(verified.outputs['owned'] === 'true', 'the winner does not own its claim');
  const renewed = await winner.prove('heartbeat');
  expect(renewed.outputs['outcome'] === 'renewed', 'the heartbeat did not renew the claim');

  const request = server.inject({ ...CREATES_A_REF, kind: 'hold' });
  const heartbeat = winner.startHeartbeat();
  await Promise.race([request.struck, heartbeat.done]);
  heartbeat.kill('SIGKILL');
  work.kill();
  const [{ signal }, end] = await Promise.all([heartbeat.done, work.ended]);
  request.release(false);
  server.clearFaults();
  winner.tell('work', `killed by ${end} after ${work.done} of ${work.steps} steps`, 'bad');
  winner.tell('heartbeat', `killed by ${signal} with its request on the way`, 'bad');
  expect(signal === 'SIGKILL' && end === 'SIGKILL', 'the crash was none');
}

async function takeOver(server: GitHubServer, waiter: Reviewer): Promise<Work> {
  for (let tries = 0; tries < 20; tries++) {
    const { outputs } = await waiter.claim();
    const { outcome, generation, 'expires-at': end = '' } = outputs;
    if (outputs['claimed'] === 'true') {
      expect(outcome === 'taken-over', `the claim was ${outcome}, not taken over`);
      expect(generation === '2', `the takeover has the generation ${generation}`);
      return waiter.startWork(20);
    }
    const left = Math.max(Date.parse(end) - server.clock.now(), 0) + 100;
    waiter.tell(
      'wait',
      `${(left / 1_000).toFixed(1)}s, until the claim lapses on ${end.replace('.000', '')}`,
    );
    await sleep(left);
  }
  throw new Unexpected('the claim of the dead run never lapsed');
}

async function comeBack(server: GitHubServer, zombie: Reviewer): Promise<void> {
  const before = await server.refs();
  const { code, outputs } = await zombie.prove('verify');
  const lost = code === 4 && outputs['outcome'] === 'lost' && outputs['owned'] === '';
  expect(lost, 'the zombie was not told that its claim is lost');
  const posts = await zombie.end('failure');
  const warnings = posts.flatMap((post) => post.warnings);
  expect(warnings.length === 1, `the zombie's post steps gave ${warnings.length} warnings`);
  const after = await server.refs();
  expect(JSON.stringify([...after]) === JSON.stringify([...before]), 'the zombie changed the log');
  zombie.tell('post', 'freed nothing: every ref is as it was');
}

async function release(holder: Reviewer, work: Work): Promise<void> {
  const end = await work.ended;
  holder.tell('work', `done, ${work.done} of ${work.steps} steps`, 'good');
  expect(end === 0, `the work ended with ${end}`);
  const { outputs } = await holder.prove('verify');
  expect(outputs['owned'] === 'true' && outputs['generation'] === '2', 'the new holder lost its claim');
  const posts = await holder.end('success');
  const released = posts.filter(({ log }) => log.startsWith('Released'));
  expect(released.length === 1, `${released.length} post steps released the claim`);
}

async function tellHistory(server: GitHubServer): Promise<void> {
  const entries = await historyOf(server, KEY);
  const newest = `refs/claims/${KEY}/${entries[0]?.sequence}`;
  timeline.say(`$ git log --format='%h %s%n%(trailers)' ${newest}   (shortened)`);
  for (const entry of entries) timeline.item(...shown(entry));
  const events = entries.map(({ trailers }) => trailers.get('Event'));
  const count = (event: string) => events.filter((each) => each === event).length;
  const [won, takenOver, holders] = [count('claimed'), count('taken-over'), holdersOf(entries)];
  expect(won === 1 && takenOver === 1 && holders === 2, `the log tells of ${holders} holders`);
  expect(events[0] === 'released' && count('released') === 1, 'the key is not free');
  timeline.say('');
  timeline.say(
    `${won} winner of ${RUNS.length}, ${takenOver} takeover after the crash: ${holders} holders, one after the other.`,
  );
  timeline.say(`${server.requests.length} requests in all; the key is free again.`);
}

/** Rejects when the person has seen enough, so that nothing is left behind. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Unexpected(`${signal} ended it`)));
    }
  });
}

try {
  await main();
} catch (error) {
  const problem = error instanceof Unexpected ? error.message : error;
  console.error('\nUnexpected:', problem);
  // Steps may still be running that nobody waits for.
  process.exit(1);
}
