import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Target } from '../../src/modes/claim.js';
import { Office, type Worker } from '../fakes/office.js';

/** Parts of items, heads that are done, force, caps, and the end of closed items. */

const KEY = 'deploy/prod';
const HEADS = ['a'.repeat(40), 'b'.repeat(40)] as const;
const minutes = (count: number) => count * 60_000;

let office: Office;
let a: Worker;
let b: Worker;
beforeEach(() => {
  office = new Office();
  a = office.job(1);
  b = office.job(2);
  office.addItem(12, { kind: 'pull', head: HEADS[0] });
});

const ofHead = (sha?: string): { target: Target } => ({
  target: { number: 12, kind: 'pull', perAgent: false, perHead: { sha } },
});
const ofAgent: { target: Target } = {
  target: { number: 12, kind: undefined, perAgent: true, perHead: false },
};
const push = () => office.addItem(12, { kind: 'pull', head: HEADS[1] });
const stories = () => [...office.host.refs.keys()].map((ref) => ref.replace('refs/claims/', ''));

describe('parts of an item', () => {
  it('per agent, each agent has its own claim', async () => {
    expect(await a.claim('item-12', ofAgent)).toMatchObject({ outcome: 'claimed', key: 'item-12/agent-1' });
    expect(await b.claim('item-12', ofAgent)).toMatchObject({ outcome: 'claimed', key: 'item-12/agent-2' });
    expect(await office.job(3).claim('item-12', { ...ofAgent, agent: 'agent-1' })).toMatchObject({
      outcome: 'held',
    });
  });

  it('per head, each head has its own, and the newest is the one that is meant', async () => {
    expect(await a.claim('item-12', ofHead())).toMatchObject({
      outcome: 'claimed',
      key: `item-12/${HEADS[0]}`,
    });
    expect(await b.claim('item-12', ofHead(HEADS[0]))).toMatchObject({ outcome: 'held' });
    push();
    expect(await b.claim('item-12', ofHead())).toMatchObject({
      outcome: 'claimed',
      key: `item-12/${HEADS[1]}`,
    });
  });

  it('per agent and head, the agent comes first', async () => {
    const target: Target = { number: 12, kind: 'pull', perAgent: true, perHead: { sha: undefined } };
    expect(await a.claim('item-12', { target })).toMatchObject({ key: `item-12/agent-1/${HEADS[0]}` });
  });

  it('a head that is no longer the head is not claimed', async () => {
    push();
    expect(await a.claim('item-12', ofHead(HEADS[0]))).toMatchObject({
      outcome: 'closed',
      reason: 'head-moved',
      message: 'Not claimed: item-12 moved to bbbbbbb, aaaaaaa is no longer its head',
    });
    expect(office.host.refs.size).toBe(0);
  });

  it('an issue has no head', async () => {
    office.addItem(7);
    const target: Target = { number: 7, kind: undefined, perAgent: false, perHead: { sha: undefined } };
    await expect(a.claim('item-7', { target })).rejects.toMatchObject({ outcome: 'invalid-input' });
  });

  // Fault 16: a verdict on an old head.
  it('a claim of a head is lost with the head, and can still be given back', async () => {
    await a.claim('item-12', ofHead());
    expect(await a.verify()).toMatchObject({ outcome: 'owned' });
    push();
    expect(await a.verify()).toMatchObject({
      outcome: 'lost',
      reason: 'head-moved',
      message: 'claim lost: item-12 moved to bbbbbbb',
    });
    expect(await a.release()).toMatchObject({ outcome: 'released' });
  });
});

describe('done', () => {
  it('finishes a head for good: no claim, no force, no release follows', async () => {
    await a.claim('item-12', ofHead());
    expect(await a.release('done')).toMatchObject({
      outcome: 'released',
      reason: 'done',
      message: 'Done item-12/aaaaaaa: generation 1, held for 0s',
    });
    const before = stories();
    expect(await b.claim('item-12', ofHead())).toMatchObject({ outcome: 'done' });
    expect(await b.claim('item-12', { ...ofHead(), force: true })).toMatchObject({ outcome: 'done' });
    expect(await b.free(`item-12/${HEADS[0]}`, 'because')).toMatchObject({
      outcome: 'not-held',
      reason: 'done',
    });
    expect(await a.release()).toMatchObject({ outcome: 'not-held', reason: 'done' });
    expect(await a.verify()).toMatchObject({ outcome: 'lost', reason: 'done' });
    expect(stories()).toEqual(before);
    push();
    expect(await b.claim('item-12', ofHead())).toMatchObject({ outcome: 'claimed' });
  });

  it('is a release on any other key, which would be bricked else', async () => {
    await a.claim();
    expect(await a.release('done')).toMatchObject({
      outcome: 'released',
      message: 'Released deploy/prod as done: generation 1, held for 0s',
    });
    expect(await b.claim()).toMatchObject({ outcome: 'claimed', tail: { entry: { generation: 2 } } });
  });
});

describe('force', () => {
  it('takes a live claim, which its holder then loses', async () => {
    await a.claim();
    expect(await b.claim(KEY, { force: true, text: 'hotfix' })).toMatchObject({
      outcome: 'forced',
      message: 'Claimed deploy/prod: generation 2, taken by force from agent-1 (run 1, renewed 0s ago)',
      tail: { entry: { event: 'forced', text: 'hotfix' } },
    });
    expect(await a.verify()).toMatchObject({ outcome: 'lost', reason: 'taken-over' });
  });

  it('on a free key is a claim like any other', async () => {
    expect(await b.claim(KEY, { force: true })).toMatchObject({ outcome: 'claimed' });
  });

  it('is against the holder that was seen first, not against who won a race since', async () => {
    const c = office.job(3);
    await a.claim();
    b.interference.create = async (act, call) => {
      if (call === 1) {
        await a.release();
        await c.claim();
      }
      return act();
    };
    expect(await b.claim(KEY, { force: true })).toMatchObject({
      outcome: 'held',
      tail: { entry: { agent: 'agent-3' } },
    });
    expect(await c.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('holds against the same holder though it has renewed meanwhile', async () => {
    await a.claim();
    b.interference.create = async (act, call) => {
      if (call === 1) await a.heartbeat();
      return act();
    };
    expect(await b.claim(KEY, { force: true })).toMatchObject({ outcome: 'forced', tail: { sequence: 3 } });
  });

  it('frees a claim without taking it', async () => {
    await a.claim();
    expect(await b.free(KEY, 'stuck')).toMatchObject({
      outcome: 'released',
      message: 'Freed deploy/prod by force from agent-1 (run 1): generation 1',
      tail: { entry: { event: 'released', ending: 'forced', text: 'stuck' } },
    });
    expect(await a.verify()).toMatchObject({ outcome: 'lost', reason: 'released' });
    expect(await b.free(KEY, 'again')).toMatchObject({ outcome: 'not-held', reason: 'none' });
    expect(await b.claim()).toMatchObject({ outcome: 'claimed', tail: { entry: { generation: 2 } } });
  });

  it('goes past an entry that cannot be read, with a generation above any that it may hide', async () => {
    await a.claim();
    await a.heartbeat();
    const hidden = {
      sha: 'f'.repeat(40),
      message: 'hello\n',
      stamp: office.host.seconds(),
      author: 'x',
      parent: undefined,
    };
    office.host.commits.set(hidden.sha, hidden);
    office.host.refs.set(`refs/claims/${KEY}/00000003`, hidden.sha);
    await expect(b.claim()).rejects.toMatchObject({ outcome: 'unreadable-entry' });
    expect(await b.claim(KEY, { force: true })).toMatchObject({
      outcome: 'forced',
      tail: { sequence: 4, entry: { generation: 4 } },
    });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });
});

describe('the cap of takeovers', () => {
  // Fault 23: a job that kills every runner is not retried without end.
  it('counts holders that died in a row, stops at it, and starts anew by force', async () => {
    await a.claim();
    for (let run = 10; run < 13; run++) {
      office.clock.elapsed += minutes(10);
      expect(await office.job(run).claim()).toMatchObject({
        outcome: 'taken-over',
        tail: { entry: { takeovers: run - 9 } },
      });
    }
    office.clock.elapsed += minutes(15);
    expect(await b.claim()).toMatchObject({
      outcome: 'exhausted',
      message:
        'Not claimed: deploy/prod was taken over 3 times in a row without a good end, last by agent-12 (run 12, signal: claim, 15m ago); only "force" starts anew',
    });
    expect(await b.claim(KEY, { force: true })).toMatchObject({
      outcome: 'forced',
      tail: { entry: { takeovers: 0 } },
    });
  });

  it.each([
    ['released', 0],
    ['done', 0],
    ['failed', 1],
  ] as const)('a tenure that ends as %s leaves the count at %d', async (ending, takeovers) => {
    await a.claim();
    office.clock.elapsed += minutes(10);
    await b.claim();
    await b.release(ending);
    expect(await a.claim()).toMatchObject({ outcome: 'claimed', tail: { entry: { takeovers } } });
  });
});

describe('max-hold', () => {
  const lease = { ttl: minutes(10), renewDeadline: minutes(5), maxHold: minutes(30) };

  it('ends the renewals, by whatever step', async () => {
    await a.claim(KEY, { lease });
    for (let beat = 0; beat < 5; beat++) {
      office.clock.elapsed += minutes(5);
      expect(await a.heartbeat()).toMatchObject({ outcome: 'renewed' });
    }
    office.clock.elapsed += minutes(5);
    const message = 'claim lost: deploy/prod has been held for longer than its max-hold of 30m';
    expect(await a.verify()).toMatchObject({ outcome: 'lost', reason: 'expired', message });
    expect(await b.claim()).toMatchObject({ outcome: 'held' });
    office.clock.elapsed += minutes(5);
    expect(await b.claim()).toMatchObject({ outcome: 'taken-over' });
  });
});

describe('reentry: actor', () => {
  it("takes over the older run's claim of the same account, live as it is", async () => {
    await a.claim();
    expect(await b.claim(KEY, { sameActor: true })).toMatchObject({
      outcome: 'taken-over',
      tail: { entry: { generation: 2, takeovers: 0 } },
    });
    expect(await a.verify()).toMatchObject({ outcome: 'lost', reason: 'taken-over' });
  });

  it("leaves another account's claim alone", async () => {
    await office.job(3, '1', 'somebody').claim();
    expect(await b.claim(KEY, { sameActor: true })).toMatchObject({ outcome: 'held' });
  });
});

describe('cleanup', () => {
  const close = () => office.addItem(12, { kind: 'pull', head: HEADS[0], open: false });

  it('leaves an open item alone', async () => {
    await a.claim('item-12');
    expect(await b.cleanup(12)).toMatchObject({
      outcome: 'cleaned',
      message: 'Nothing to clean: item-12 is open',
    });
    expect(await a.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('closes every key of the item, what is held not before it would have lapsed', async () => {
    await a.claim('item-12');
    await b.claim('item-12', ofHead());
    await b.release();
    close();
    expect(await b.cleanup(12)).toMatchObject({
      outcome: 'cleaned',
      message: 'Cleaned item-12: 2 keys, 2 closed now, 0 entries deleted, 5 left for a later run',
      warnings: [],
    });
    expect(await a.verify()).toMatchObject({ outcome: 'lost', reason: 'closed' });
    expect(await a.release()).toMatchObject({ outcome: 'not-held', reason: 'closed' });

    office.addItem(12, { kind: 'pull', head: HEADS[0] });
    expect(await b.claim('item-12')).toMatchObject({
      outcome: 'closed',
      message: expect.stringContaining('free in 10m'),
    });
    expect(await b.claim('item-12', ofHead())).toMatchObject({ outcome: 'claimed' });
    const forced = office.job(3).claim('item-12', { force: true });
    expect(await forced).toMatchObject({ outcome: 'forced', tail: { entry: { generation: 2 } } });
  });

  it('leaves a key free once the claim that was closed would have lapsed', async () => {
    await a.claim('item-12');
    close();
    await b.cleanup(12);
    office.addItem(12, { kind: 'pull', head: HEADS[0] });
    office.clock.elapsed += minutes(10);
    expect(await b.claim('item-12')).toMatchObject({
      outcome: 'claimed',
      tail: { entry: { generation: 2 } },
    });
  });

  it('keeps what is done done, and reports nothing to do for what was never claimed', async () => {
    await a.claim('item-12', ofHead());
    await a.release('done');
    close();
    expect(await b.cleanup(12)).toMatchObject({ message: expect.stringContaining('0 closed now') });
    office.addItem(12, { kind: 'pull', head: HEADS[0] });
    expect(await b.claim('item-12', ofHead())).toMatchObject({ outcome: 'done' });
    office.addItem(13, { open: false });
    expect(await b.cleanup(13)).toMatchObject({ message: 'Nothing to clean: item-13 has no claims' });
  });

  it('deletes from the lowest up what an hour has passed over, and the last entry a day later', async () => {
    await a.claim('item-12');
    for (let beat = 0; beat < 3; beat++) {
      office.clock.elapsed += minutes(5);
      await a.heartbeat();
    }
    await a.release();
    close();
    office.clock.elapsed += minutes(57);
    // Entries 3 to 5 have successors younger than an hour.
    expect(await b.cleanup(12)).toMatchObject({
      message: 'Cleaned item-12: 1 key, 1 closed now, 2 entries deleted, 4 left for a later run',
    });
    expect(stories()).toEqual([
      'item-12/00000003',
      'item-12/00000004',
      'item-12/00000005',
      'item-12/00000006',
    ]);
    office.clock.elapsed += minutes(61);
    expect(await b.cleanup(12)).toMatchObject({
      message: 'Cleaned item-12: 1 key, 0 closed now, 3 entries deleted, 1 left for a later run',
    });
    expect(stories()).toEqual(['item-12/00000006']);
    office.clock.elapsed += minutes(23 * 60);
    expect(await b.cleanup(12)).toMatchObject({
      message: expect.stringContaining('1 entry deleted, 0 left'),
    });
    expect(stories()).toEqual([]);
  });

  it('counts generations on after a reopening as long as an entry is left', async () => {
    await a.claim('item-12');
    await a.release();
    close();
    office.clock.elapsed += minutes(120);
    await b.cleanup(12);
    office.addItem(12);
    office.clock.elapsed += minutes(120);
    expect(await b.claim('item-12')).toMatchObject({
      outcome: 'claimed',
      tail: { sequence: 4, entry: { generation: 2 } },
    });
  });

  it('loses to a heartbeat that comes in between, then closes what that left', async () => {
    await a.claim('item-12');
    close();
    b.interference.create = async (act) => {
      b.interference = {};
      await a.heartbeat();
      return act();
    };
    expect(await b.cleanup(12)).toMatchObject({ message: expect.stringContaining('1 closed now') });
    expect(office.story('item-12').at(-1)).toBe('item-12 closed by agent-1, generation 1');
  });

  it('goes on with the other keys when one fails, and says which is left', async () => {
    await a.claim('item-12', ofAgent);
    await b.claim('item-12', ofAgent);
    close();
    const sha = office.host.refs.get('refs/claims/item-12/agent-1/00000001') ?? '';
    const commit = office.host.commits.get(sha);
    if (commit) office.host.commits.set(sha, { ...commit, message: 'hello\n' });
    const report = await b.cleanup(12);
    expect(report.warnings).toEqual([
      expect.stringMatching(/^item-12\/agent-1 is left for the next run: unreadable-entry/),
    ]);
    expect(await b.verify()).toMatchObject({ outcome: 'lost', reason: 'closed' });
  });

  it('cleans an item that is gone', async () => {
    await a.claim('item-12');
    office.items.delete(12);
    expect(await b.cleanup(12)).toMatchObject({ message: expect.stringContaining('1 closed now') });
  });
});

describe('a log that grows', () => {
  it('is trimmed at a release, by what an hour has passed over, and never to its newest', async () => {
    await a.claim();
    for (let beat = 0; beat < 40; beat++) {
      office.clock.elapsed += minutes(4);
      await a.heartbeat();
    }
    await a.release();
    const left = stories().map((ref) => Number(ref.slice(-8)));
    // Entry 26 is the first whose successor is younger than an hour.
    expect(left[0]).toBe(26);
    expect(left.at(-1)).toBe(42);
    expect(left).toEqual(Array.from({ length: left.length }, (_, index) => 26 + index));
    expect(await b.claim()).toMatchObject({ tail: { sequence: 43, entry: { generation: 2 } } });
  });

  it('stays when trimming fails, with a warning', async () => {
    await a.claim();
    for (let beat = 0; beat < 30; beat++) {
      office.clock.elapsed += minutes(4);
      await a.heartbeat();
    }
    const { ClaimError } = await import('../../src/engine/outcome.js');
    a.interference.remove = () => Promise.reject(new ClaimError('unavailable', 'unavailable: no'));
    expect(await a.release()).toMatchObject({
      outcome: 'released',
      warnings: ['Old entries of deploy/prod stay for now: unavailable: no'],
    });
  });
});

it('every entry remembers the last twelve tenures, and how each ended', async () => {
  for (let run = 1; run <= 14; run++) {
    const job = office.job(run);
    await job.claim();
    office.clock.elapsed += minutes(1);
    await job.release(run % 2 ? 'released' : 'failed');
  }
  const { tail } = await office.job(15).claim();
  const history = tail?.entry.history ?? [];
  expect(history.map(({ generation }) => generation)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  expect(history.at(-1)).toMatchObject({ agent: 'agent-14', run: '14', how: 'failed' });
  expect((history.at(-1)?.until ?? 0) - (history.at(-1)?.since ?? 0)).toBe(minutes(1));
});
