import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClaimError } from '../../src/engine/outcome.js';
import type { CreateAnswer } from '../../src/ports.js';
import { Office, type Worker } from '../fakes/office.js';

/** The rules of the log (docs: protocol), each with the trace that breaks without it. */

const KEY = 'deploy/prod';
const minutes = (count: number) => count * 60_000;
const lost: CreateAnswer = { type: 'unclear', problem: 'HTTP 502' };

let office: Office;
let a: Worker;
let b: Worker;
beforeEach(() => {
  office = new Office();
  a = office.job(1);
  b = office.job(2);
});

describe('rule 2, standing and owning are two things', () => {
  // A claim that was minted before a freeze.
  it('a claim minted before a freeze and created after it is renewed before it is believed', async () => {
    a.interference.create = (act, call) => {
      if (call === 1) office.clock.suspend(minutes(7));
      return act();
    };
    expect(await a.claim()).toMatchObject({ outcome: 'claimed', tail: { sequence: 2 } });
    expect(office.story(KEY)).toEqual([
      'deploy/prod claimed by agent-1, generation 1',
      'deploy/prod renewed by agent-1, generation 1',
    ]);
  });

  it('a renewal minted before a freeze, created after it and taken over at once is no proof', async () => {
    await a.claim();
    a.interference.create = async (act) => {
      a.interference = {};
      office.clock.suspend(minutes(11));
      const answer = await act();
      // To others the renewal is stale as soon as it stands.
      expect(await b.claim()).toMatchObject({ outcome: 'taken-over' });
      return answer;
    };
    expect(await a.heartbeat()).toMatchObject({ outcome: 'lost', reason: 'taken-over' });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });

  // list, suspend for more than an hour, create in a slot that was used and deleted since.
  it('an entry created in a slot that was used before is no proof', async () => {
    await b.claim();
    await b.release();
    a.interference.create = async (act, call) => {
      if (call > 1) return act();
      office.clock.suspend(minutes(75));
      await b.claim();
      await b.heartbeat();
      office.host.refs.delete(`refs/claims/${KEY}/00000003`);
      return act();
    };
    expect(await a.claim()).toMatchObject({ outcome: 'held', tail: { entry: { agent: 'agent-2' } } });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('a list counts from when it was answered, though its newest commit was read long after', async () => {
    await b.claim();
    await b.release();
    a.interference.read = async (act, call) => {
      if (call > 1) return act();
      office.clock.suspend(minutes(75));
      await b.claim();
      await b.heartbeat();
      office.host.refs.delete(`refs/claims/${KEY}/00000003`);
      return act();
    };
    expect(await a.claim()).toMatchObject({ outcome: 'held', tail: { entry: { agent: 'agent-2' } } });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('a heartbeat that never reads looks again when its last one is long ago', async () => {
    await a.claim();
    office.clock.suspend(minutes(75));
    await b.claim();
    await b.heartbeat();
    office.host.refs.delete(`refs/claims/${KEY}/00000002`);
    expect(await a.heartbeat()).toMatchObject({ outcome: 'lost', reason: 'taken-over' });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });
});

describe('rule 3, unclear answers', () => {
  // Fault 3: a lost answer must not disown, nor orphan.
  it('a create that acted and was not answered is a claim', async () => {
    a.interference.create = async (act, call) => {
      if (call > 1) return act();
      await act();
      return lost;
    };
    expect(await a.claim()).toMatchObject({ outcome: 'claimed', tail: { sequence: 1 } });
    expect(office.host.refs.size).toBe(1);
  });

  it('a create that was lost on its way is sent again with the same commit', async () => {
    a.interference.create = (act, call) => (call < 4 ? Promise.resolve(lost) : act());
    expect(await a.claim()).toMatchObject({ outcome: 'claimed' });
    expect(office.story(KEY)).toEqual(['deploy/prod claimed by agent-1, generation 1']);
    expect([...office.host.commits]).toHaveLength(1);
  });

  it('a create that acted unanswered, and lost its slot to nobody, is not taken from its maker', async () => {
    a.interference.create = async (act, call) => {
      if (call > 1) return act();
      await act();
      expect(await b.claim()).toMatchObject({ outcome: 'held' });
      return lost;
    };
    expect(await a.claim()).toMatchObject({ outcome: 'claimed' });
  });

  it('no clear answer until the deadline is ambiguous, never owning', async () => {
    a.interference.create = () => Promise.resolve(lost);
    await expect(a.claim()).rejects.toMatchObject({ outcome: 'ambiguous' });
    expect(office.clock.elapsed).toBeGreaterThan(50_000);
    expect(office.clock.elapsed).toBeLessThan(70_000);
    expect(a.step).toMatchObject({ pending: { sequence: 1 } });
  });

  it('a limit is waited out by what the host says', async () => {
    const limited: CreateAnswer = { type: 'limited', retryAfter: 20_000, problem: 'HTTP 429' };
    a.interference.create = (act, call) => (call === 1 ? Promise.resolve(limited) : act());
    expect(await a.claim()).toMatchObject({ outcome: 'claimed' });
    expect(office.clock.elapsed).toBeGreaterThanOrEqual(20_000);
  });

  it.each<[string, CreateAnswer[], string]>([
    ['rate-limited past the deadline', [], 'rate-limited'],
    ['ambiguous if an answer was lost before', [lost], 'ambiguous'],
  ])('a limit is %s', async (_, first, outcome) => {
    const limited: CreateAnswer = { type: 'limited', retryAfter: 3_600_000, problem: 'HTTP 403' };
    a.interference.create = (_act, call) => Promise.resolve(first[call - 1] ?? limited);
    await expect(a.claim()).rejects.toMatchObject({ outcome });
    // What surely never came to be isn't created by a later step.
    expect(a.step?.pending === undefined).toBe(outcome === 'rate-limited');
  });

  it('a refusal after a lost answer says nothing about the try before it', async () => {
    a.interference.create = async (act, call) => {
      if (call > 1) throw new ClaimError('permission-denied', 'no');
      await act();
      return lost;
    };
    await expect(a.claim()).rejects.toMatchObject({ outcome: 'ambiguous' });
  });

  it('"exists" and not mine goes on from that slot, not from a list that lags', async () => {
    let stale: Awaited<ReturnType<NonNullable<typeof a.interference.observe>>> | undefined;
    a.interference.observe = async (act, call) => {
      // The second and third list still show what the first did.
      if (call === 1) stale = await act();
      return call <= 3 && stale ? stale : act();
    };
    a.interference.create = async (act, call) => {
      if (call === 1) await b.claim();
      return act();
    };
    expect(await a.claim()).toMatchObject({ outcome: 'held', tail: { entry: { agent: 'agent-2' } } });
    expect(office.story(KEY)).toHaveLength(1);
  });
});

describe('rule 4, decisions are values with an age', () => {
  it('a decision older than two minutes is made again before anything is created', async () => {
    a.interference.mint = async (act, call) => {
      const minted = await act();
      if (call === 1) {
        office.clock.elapsed += minutes(3);
        await b.claim();
        await b.release();
      }
      return minted;
    };
    await b.claim();
    await b.release();
    expect(await a.claim()).toMatchObject({
      outcome: 'claimed',
      tail: { sequence: 5, entry: { generation: 3 } },
    });
  });
});

describe('rule 5, lag', () => {
  it('a list below what this job knows of is stale, and asked again', async () => {
    await a.claim();
    a.interference.observe = async (act, call) => {
      const shown = await act();
      return call < 4 ? { ...shown, slots: [] } : shown;
    };
    expect(await a.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('a list that stays below it is unknown, not lost and not free', async () => {
    await a.claim();
    a.interference.observe = async (act) => ({ ...(await act()), slots: [] });
    expect(await a.verify()).toMatchObject({ outcome: 'unknown', reason: 'unavailable' });
    await expect(a.release()).rejects.toMatchObject({ outcome: 'unavailable' });
    expect(office.story(KEY)).toHaveLength(1);
  });

  it("a commit that can't be found yet is neither free nor corrupt", async () => {
    await b.claim();
    a.interference.read = async (act, call) => (call < 3 ? undefined : act());
    expect(await a.claim()).toMatchObject({ outcome: 'held' });
    a.interference.read = async () => undefined;
    await expect(a.claim()).rejects.toMatchObject({ outcome: 'unavailable' });
  });
});

describe('rule 8, processes of one holder side by side', () => {
  it("the loser of a slot goes on from its own holder's entry", async () => {
    await a.claim();
    const twin = office.job(1);
    for (const [id, handle] of a.handles) twin.handles.set(id, handle);
    a.interference.create = async (act, call) => {
      if (call === 2)
        expect(await twin.heartbeat()).toMatchObject({ outcome: 'renewed', tail: { sequence: 2 } });
      return act();
    };
    expect(await a.heartbeat()).toMatchObject({ outcome: 'renewed', tail: { sequence: 3 } });
    expect(await a.verify()).toMatchObject({ outcome: 'owned' });
    expect(await twin.verify()).toMatchObject({ outcome: 'owned' });
  });
});

describe('rule 11, entries that nobody may build on', () => {
  it.each([
    ['of a newer version', (message: string) => message.replace('Version: 1', 'Version: 2')],
    ['that is none', () => 'hello\n'],
  ])('an entry %s stops every mode and stays', async (_, change) => {
    await a.claim();
    const [ref, sha] = [...office.host.refs][0] ?? ['', ''];
    const commit = office.host.commits.get(sha);
    if (commit)
      office.host.commits.set('f'.repeat(40), {
        ...commit,
        sha: 'f'.repeat(40),
        message: change(commit.message),
      });
    office.host.refs.set(ref, 'f'.repeat(40));
    for (const act of [() => b.claim(), () => a.verify(), () => a.release()]) {
      await expect(act()).rejects.toMatchObject({
        outcome: 'unreadable-entry',
        message: expect.stringContaining('refs/claims/deploy/prod/00000001'),
      });
    }
    expect(office.host.refs.size).toBe(1);
  });

  // It would hold the key for ever.
  it('an entry from the future stops every mode', async () => {
    office.clock.elapsed += minutes(5);
    await a.claim();
    office.clock.elapsed -= minutes(4);
    for (const act of [() => b.claim(), () => a.verify(), () => a.release()]) {
      await expect(act()).rejects.toMatchObject({ outcome: 'unreadable-entry' });
    }
  });
});

describe('rule 13, who reckons which way', () => {
  it('a holder counts the time since its request was sent, a taker since the answer came', async () => {
    await a.claim();
    // The host's answer took four minutes to arrive: it may be as old as that.
    const slow = async <T extends { time: { sentAt: number } }>(act: () => Promise<T>): Promise<T> => {
      const shown = await act();
      office.clock.elapsed += minutes(4);
      return { ...shown, time: { ...shown.time, receivedAt: office.clock.monotonic() } };
    };
    office.clock.elapsed += minutes(2);
    a.interference.observe = slow;
    expect(await a.verify()).toMatchObject({ outcome: 'renewed' });
    a.interference = {};

    office.clock.elapsed += minutes(7);
    b.interference.read = async (act) => {
      const shown = await act();
      office.clock.elapsed += minutes(4);
      return shown && { ...shown, time: { ...shown.time, receivedAt: office.clock.monotonic() } };
    };
    expect(await b.claim()).toMatchObject({ outcome: 'held' });
  });
});
