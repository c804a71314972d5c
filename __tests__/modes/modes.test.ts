import { beforeEach, describe, expect, it } from '@jest/globals';
import { parseClaimId } from '../../src/engine/key.js';
import { Office, type Worker } from '../fakes/office.js';

const KEY = 'deploy/prod';
const minutes = (count: number) => count * 60_000;

let office: Office;
let a: Worker;
let b: Worker;
beforeEach(() => {
  office = new Office();
  a = office.job(1);
  b = office.job(2);
});

describe('claim', () => {
  it('tells the loser who holds the key, by which run and how fresh', async () => {
    await a.claim();
    office.clock.elapsed += 34_000;
    expect(await b.claim()).toMatchObject({
      outcome: 'held',
      message: 'Not claimed: deploy/prod is held by agent-1 (run 1, signal: claim, 34s ago)',
    });
    expect(office.story(KEY)).toHaveLength(1);
  });

  // Fault 10: a dead holder blocks nobody for longer than its ttl.
  it('takes over what nobody renewed for the ttl, saying from whom', async () => {
    await a.claim();
    office.clock.elapsed += minutes(15);
    expect(await b.claim()).toMatchObject({
      outcome: 'taken-over',
      message: 'Claimed deploy/prod: generation 2, taken over from agent-1 (run 1, expired 5m ago)',
    });
  });

  // Fault 1: two runs of one login are two holders, and so are two legs of one run.
  it.each([
    ['another run', 2, '1'],
    ['another leg of the run', 1, '2'],
  ])('is held for %s of the same agent', async (_, run, id) => {
    await a.claim();
    expect(await office.job(run, id).claim(KEY, { agent: 'agent-1' })).toMatchObject({ outcome: 'held' });
  });

  it('goes on when the same job presents its claim id, and leaves the release to the step that claimed', async () => {
    const first = await a.claim();
    const saved = a.step;
    a.step = undefined;
    const again = await a.claim(KEY, { presented: [{ key: KEY, chain: first.chain ?? '' }] });
    expect(again).toMatchObject({ outcome: 'reentered', chain: first.chain, tail: { sequence: 2 } });
    expect(a.step).toBeUndefined();
    expect(saved).toMatchObject({ chain: first.chain });
  });

  it('begins anew when what it presents is free by then', async () => {
    const first = await a.claim();
    await a.release();
    const again = await a.claim(KEY, { presented: [{ key: KEY, chain: first.chain ?? '' }] });
    expect(again).toMatchObject({ outcome: 'claimed', tail: { entry: { generation: 2 } } });
    expect(again.chain).not.toBe(first.chain);
  });

  it('of an item needs the item, open', async () => {
    office.addItem(7, { open: false });
    office.addItem(8);
    expect(await a.claim('item-7')).toMatchObject({ outcome: 'closed', item: { number: 7 } });
    await expect(a.claim('item-9')).rejects.toMatchObject({ outcome: 'invalid-input' });
    expect(office.host.refs.size).toBe(0);
    expect(await a.claim('item-8')).toMatchObject({ outcome: 'claimed', item: { title: 'Item 8' } });
  });

  it('saves its handle before it creates anything', async () => {
    a.interference.create = (act) => {
      expect(a.step).toMatchObject({ key: KEY, pending: { sequence: 1 } });
      expect([...a.handles.values()]).toEqual([a.step]);
      return act();
    };
    await a.claim();
    expect(a.step).toMatchObject({ own: { sequence: 1 } });
    expect(a.step).not.toHaveProperty('pending');
  });
});

describe('a claim that is entered again', () => {
  it('is not lost to itself when its renewal is too old as it stands', async () => {
    const { chain = '' } = await a.claim();
    a.interference.create = (act, call) => {
      if (call === 2) office.clock.suspend(minutes(6));
      return act();
    };
    expect(await a.claim(KEY, { presented: [{ key: KEY, chain }] })).toMatchObject({
      outcome: 'reentered',
      chain,
    });
    expect(await a.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('is found by its key where no id is presented', async () => {
    const { chain } = await a.claim();
    expect(await a.claim()).toMatchObject({ outcome: 'reentered', chain });
  });
});

describe('a host that is too slow for the lease', () => {
  it('ends the step instead of filling the log', async () => {
    a.interference.create = (act) => {
      office.clock.elapsed += 3_000;
      return act();
    };
    const lease = { ttl: 4_000, renewDeadline: 2_000, maxHold: 60_000 };
    await expect(a.claim(KEY, { lease })).rejects.toMatchObject({
      outcome: 'unavailable',
      message: expect.stringContaining('set a longer ttl'),
    });
    expect(office.host.refs.size).toBe(3);
    a.interference = {};
    expect(await a.release()).toMatchObject({ outcome: 'released' });
  });
});

describe('verify', () => {
  it('is owned while the newest entry is mine and young, without writing', async () => {
    await a.claim();
    office.clock.elapsed += minutes(4);
    expect(await a.verify()).toMatchObject({ outcome: 'owned', message: 'Owned: deploy/prod, generation 1' });
    expect(office.story(KEY)).toHaveLength(1);
  });

  it.each([5, 11, 300])(
    'renews what is %d minutes old and still mine, the new entry being the proof',
    async (age) => {
      await a.claim();
      office.clock.elapsed += minutes(age);
      expect(await a.verify()).toMatchObject({ outcome: 'renewed' });
      expect(office.story(KEY)[1]).toBe('deploy/prod renewed by agent-1, generation 1');
    },
  );

  // Fault 18: a reclaimed zombie.
  it('is lost after a takeover, and then without a question', async () => {
    await a.claim();
    office.clock.elapsed += minutes(10);
    await b.claim();
    expect(await a.verify()).toMatchObject({
      outcome: 'lost',
      reason: 'taken-over',
      message: 'claim lost: deploy/prod is held by agent-2 (run 2), generation 2',
    });
    a.interference.observe = () => Promise.reject(new Error('asked'));
    expect(await a.verify()).toMatchObject({ outcome: 'lost', reason: 'taken-over' });
  });

  it('is lost after a release', async () => {
    await a.claim();
    await a.release();
    expect(await a.verify()).toMatchObject({ outcome: 'lost', reason: 'released' });
  });

  it('is lost for a job that holds nothing', async () => {
    expect(await a.verify()).toMatchObject({
      outcome: 'lost',
      message: 'claim lost: this job holds no claim',
    });
  });

  it("is lost for another job that presents the holder's claim id", async () => {
    const { chain = '' } = await a.claim();
    expect(await b.verify({ claim: { key: KEY, chain } })).toMatchObject({ outcome: 'lost' });
  });

  it('finds the claim of a job whose files are gone by its id', async () => {
    const { chain = '' } = await a.claim();
    a.handles.clear();
    expect(await a.verify({ exported: { key: KEY, chain } })).toMatchObject({ outcome: 'owned' });
  });
});

describe('which claim is meant', () => {
  it('is said by claim-id, by key, or by there being only one', async () => {
    const one = await a.claim('one');
    expect(await a.verify()).toMatchObject({ key: 'one' });
    await a.claim('two');
    await expect(a.verify()).rejects.toMatchObject({
      outcome: 'invalid-input',
      message: expect.stringContaining(`one@${one.chain} and two@`),
    });
    expect(await a.verify({ named: { key: 'two' } })).toMatchObject({ outcome: 'owned', key: 'two' });
    expect(await a.verify({ claim: { key: 'one', chain: one.chain ?? '' } })).toMatchObject({
      outcome: 'owned',
      key: 'one',
    });
    await expect(a.verify({ exported: parseClaimId(`one@${one.chain}`) })).rejects.toMatchObject({
      outcome: 'invalid-input',
    });
  });

  it('is none where an earlier step got no claim, even if the job holds another', async () => {
    await a.claim('one');
    expect(await a.verify({ required: true })).toMatchObject({ outcome: 'lost', reason: 'none' });
  });

  it('is none for a key that this job never claimed', async () => {
    await a.claim('one');
    expect(await a.verify({ named: { key: 'two' } })).toMatchObject({ outcome: 'lost' });
    expect(await a.release()).toMatchObject({ outcome: 'released', key: 'one' });
  });
});

describe('heartbeat', () => {
  it('renews without reading where the job knows its newest entry', async () => {
    await a.claim();
    a.interference.observe = () => Promise.reject(new Error('asked'));
    for (let beat = 2; beat < 5; beat++) {
      office.clock.elapsed += minutes(2);
      expect(await a.heartbeat()).toMatchObject({ outcome: 'renewed', tail: { sequence: beat } });
    }
  });

  it('keeps the claim from being taken over', async () => {
    await a.claim();
    for (let beat = 0; beat < 10; beat++) {
      office.clock.elapsed += minutes(9);
      await a.heartbeat();
    }
    expect(await b.claim()).toMatchObject({
      outcome: 'held',
      tail: { sequence: 11, entry: { generation: 1 } },
    });
  });
});

describe('release', () => {
  it('frees the key and says for how long it was held', async () => {
    await a.claim();
    office.clock.elapsed += minutes(3);
    await a.heartbeat();
    office.clock.elapsed += minutes(1);
    expect(await a.release('failed')).toMatchObject({
      outcome: 'released',
      message: 'Released deploy/prod as failed: generation 1, held for 4m',
    });
    expect(await b.claim()).toMatchObject({ outcome: 'claimed', tail: { entry: { generation: 2 } } });
  });

  // Fault 2, 7: only the holder releases, and a late one hits nobody.
  it("leaves the next holder's claim alone", async () => {
    await a.claim();
    office.clock.elapsed += minutes(10);
    await b.claim();
    expect(await a.release()).toMatchObject({ outcome: 'not-held', reason: 'taken-over' });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('loses at the creation to a takeover that comes in between', async () => {
    await a.claim();
    office.clock.elapsed += minutes(10);
    a.interference.create = async (act) => {
      a.interference = {};
      await b.claim();
      return act();
    };
    expect(await a.release()).toMatchObject({ outcome: 'not-held', reason: 'taken-over' });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('takes the mirror away while the claim is still owned, and not at all when it is not', async () => {
    const moments: number[] = [];
    a.world.mirror.remove = async () => void moments.push(office.host.refs.size);
    await a.claim();
    await a.release();
    expect(moments).toEqual([1]);
    await a.claim();
    office.clock.elapsed += minutes(10);
    await b.claim();
    await a.release();
    expect(moments).toEqual([1]);
  });

  it('shows the mirror only once the claim stands', async () => {
    const moments: number[] = [];
    for (const worker of [a, b])
      worker.world.mirror.show = async () => void moments.push(office.host.refs.size);
    await a.claim();
    await b.claim();
    expect(moments).toEqual([1]);
  });
});

// Fault 4: a process that dies between saving and creating, or before it reads the answer.
describe('after a death in the middle', () => {
  class Killed extends Error {}
  const dieAt = async (worker: Worker, acted: boolean) => {
    worker.interference.create = async (act) => {
      if (acted) await act();
      throw new Killed();
    };
    await expect(worker.claim()).rejects.toThrow(Killed);
    worker.interference = {};
  };

  it.each([true, false])('the release finds the claim (create acted: %s)', async (acted) => {
    await dieAt(a, acted);
    expect(await a.release()).toMatchObject({ outcome: 'released' });
    expect(office.story(KEY)).toEqual([
      'deploy/prod claimed by agent-1, generation 1',
      'deploy/prod released by agent-1, generation 1',
    ]);
    expect(await b.claim()).toMatchObject({ outcome: 'claimed', tail: { entry: { generation: 2 } } });
  });

  it('a creation that arrives late finds its slot taken', async () => {
    let late: () => Promise<unknown> = async () => undefined;
    a.interference.create = async (act) => {
      late = act;
      throw new Killed();
    };
    await expect(a.claim()).rejects.toThrow(Killed);
    a.interference = {};
    await a.release();
    await b.claim();
    expect(await late()).toEqual({ type: 'exists' });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });

  it("the release leaves a slot alone that became another's", async () => {
    await dieAt(a, false);
    await b.claim();
    expect(await a.release()).toMatchObject({ outcome: 'not-held' });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('a heartbeat goes on after one that was killed before it was heard', async () => {
    await a.claim();
    office.clock.elapsed += minutes(2);
    a.interference.create = () => Promise.reject(new Killed());
    await a.heartbeat();
    a.interference = {};
    expect(await a.heartbeat()).toMatchObject({ outcome: 'renewed' });
  });

  it('an entry that stood and was followed by others is not believed', async () => {
    await a.claim();
    const twin = office.job(1);
    for (const [id, handle] of a.handles) twin.handles.set(id, handle);
    a.interference.create = async (act, call) => {
      if (call > 2) return act();
      await act();
      await twin.release();
      await b.claim();
      return { type: 'unclear', problem: 'HTTP 502' };
    };
    expect(await a.heartbeat()).toMatchObject({ outcome: 'lost' });
    expect(await b.verify()).toMatchObject({ outcome: 'owned' });
  });

  it('verify goes on with a renewal that was under way', async () => {
    await a.claim();
    a.interference.create = async (act) => {
      await act();
      throw new Killed();
    };
    expect(await a.heartbeat()).toMatchObject({ outcome: 'unknown' });
    a.interference = {};
    expect(await a.verify()).toMatchObject({ outcome: 'owned', tail: { sequence: 2 } });
  });
});
