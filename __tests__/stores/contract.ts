import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encode } from '../../src/engine/entry.js';
import { ClaimError } from '../../src/engine/outcome.js';
import type { ClaimStore } from '../../src/ports.js';
import { entryOf } from '../fakes/entries.js';

export interface Bed {
  /** A store as another process would have it, on the same host. */
  open(): ClaimStore;
  close(): Promise<void>;
}

/** What every store promises, whatever keeps the log behind it. */
export function describeStore(name: string, makeBed: () => Promise<Bed>): void {
  describe(`the ${name} store`, () => {
    let bed: Bed;
    let keys = 0;
    const newKey = () => `contract/key-${++keys}`;
    const messageFor = (key: string, nonce: string) => encode(entryOf({ key }), nonce);
    beforeAll(async () => {
      bed = await makeBed();
    });
    afterAll(() => bed.close());

    it('shows an empty log for a key that nobody used, with the time', async () => {
      const { slots, time } = await bed.open().observe(newKey());
      expect(slots).toEqual([]);
      expect(time.date).toBeGreaterThan(Date.parse('2020-01-01'));
      expect(time.receivedAt).toBeGreaterThanOrEqual(time.sentAt);
    });

    it('creates an entry, lists it and reads it back with its stamp', async () => {
      const [store, key] = [bed.open(), newKey()];
      const message = messageFor(key, 'a');
      const minted = await store.mint(message, undefined, key);
      expect((await store.observe(key)).slots).toEqual([]);
      const created = await store.create(key, 1, minted.sha);
      expect(created).toMatchObject({ type: 'created' });
      const { slots, time } = await bed.open().observe(key);
      expect(slots).toEqual([{ sequence: 1, sha: minted.sha }]);
      const read = await bed.open().read(minted.sha);
      expect(read?.commit).toMatchObject({ sha: minted.sha, stamp: minted.stamp });
      expect(read?.commit.message.trimEnd()).toBe(message.trimEnd());
      expect(Math.abs(time.date - minted.stamp)).toBeLessThan(60_000);
    });

    it('never creates what exists, not even by its own maker', async () => {
      const [store, key] = [bed.open(), newKey()];
      const [first, second] = [
        await store.mint(messageFor(key, 'a'), undefined, key),
        await store.mint(messageFor(key, 'b'), undefined, key),
      ];
      expect(await store.create(key, 1, first.sha)).toMatchObject({ type: 'created' });
      expect(await store.create(key, 1, second.sha)).toEqual({ type: 'exists' });
      expect(await store.create(key, 1, first.sha)).toEqual({ type: 'exists' });
      expect((await store.observe(key)).slots).toEqual([{ sequence: 1, sha: first.sha }]);
    });

    it('has one winner of twenty who create one entry at once', async () => {
      const key = newKey();
      const stores = Array.from({ length: 20 }, () => bed.open());
      const minted = await Promise.all(
        stores.map((store, n) => store.mint(messageFor(key, String(n)), undefined, key)),
      );
      const answers = await Promise.all(stores.map((store, n) => store.create(key, 1, minted[n]?.sha ?? '')));
      expect(answers.filter(({ type }) => type === 'created')).toHaveLength(1);
      expect(answers.filter(({ type }) => type === 'exists')).toHaveLength(19);
      const winner = answers.findIndex(({ type }) => type === 'created');
      expect((await bed.open().observe(key)).slots).toEqual([{ sequence: 1, sha: minted[winner]?.sha }]);
    });

    it('chains entries, and lists them from the lowest up', async () => {
      const [store, key] = [bed.open(), newKey()];
      let parent: string | undefined;
      const shas: string[] = [];
      for (let sequence = 1; sequence <= 12; sequence++) {
        const { sha } = await store.mint(messageFor(key, String(sequence)), parent, key);
        await store.create(key, sequence, sha);
        parent = sha;
        shas.push(sha);
      }
      const { slots } = await store.observe(key);
      expect(slots).toEqual(shas.map((sha, index) => ({ sequence: index + 1, sha })));
    });

    it('keeps the logs of keys apart that begin alike', async () => {
      const [store, key] = [bed.open(), newKey()];
      for (const other of [`${key}0`, `${key}/reviewer-b`]) {
        const { sha } = await store.mint(messageFor(other, 'a'), undefined, other);
        await store.create(other, 1, sha);
      }
      expect((await store.observe(key)).slots).toEqual([]);
    });

    it('gives two entries of one second two shas, and equal ones one', async () => {
      const [store, key] = [bed.open(), newKey()];
      const [a, b] = await Promise.all([
        store.mint(messageFor(key, 'a'), undefined, key),
        store.mint(messageFor(key, 'b'), undefined, key),
      ]);
      expect(a.sha).not.toBe(b.sha);
    });

    it('lists the logs of all keys below a prefix, each apart', async () => {
      const [store, key] = [bed.open(), newKey()];
      const chain = async (of: string, length: number) => {
        for (let sequence = 1; sequence <= length; sequence++) {
          await store.create(
            of,
            sequence,
            (await store.mint(messageFor(of, String(sequence)), undefined, of)).sha,
          );
        }
      };
      await chain(key, 2);
      await chain(`${key}/reviewer-b`, 1);
      await chain(`${key}0`, 1);
      const { logs } = await store.list(`refs/claims/${key}/`);
      expect([...logs.keys()].sort()).toEqual([key, `${key}/reviewer-b`]);
      expect(logs.get(key)?.map(({ sequence }) => sequence)).toEqual([1, 2]);
    });

    it('reads many commits at once, and leaves out those that are not there', async () => {
      const [store, key] = [bed.open(), newKey()];
      const minted = await Promise.all(
        ['a', 'b', 'c'].map((nonce) => store.mint(messageFor(key, nonce), undefined, key)),
      );
      const read = await store.readAll([...minted.map(({ sha }) => sha), 'f'.repeat(40)]);
      expect(read.size).toBe(3);
      for (const { sha, stamp } of minted) {
        expect(read.get(sha)).toMatchObject({ sha, stamp });
        expect(read.get(sha)?.message).toContain(`Claim-Key: ${key}`);
      }
      const [first] = minted;
      const alone = await store.read(first?.sha ?? '');
      expect(read.get(first?.sha ?? '')?.author).toBe(alone?.commit.author);
      expect(first?.author).toBe(alone?.commit.author);
    });

    it('deletes a run of entries and nothing else', async () => {
      const [store, key] = [bed.open(), newKey()];
      for (let sequence = 1; sequence <= 5; sequence++) {
        await store.create(
          key,
          sequence,
          (await store.mint(messageFor(key, String(sequence)), undefined, key)).sha,
        );
      }
      const { slots } = await store.observe(key);
      await store.remove(key, slots.slice(0, 3));
      expect((await store.observe(key)).slots).toEqual(slots.slice(3));
      await store.remove(key, []);
      expect((await store.observe(key)).slots).toEqual(slots.slice(3));
    });

    it('knows no commit that was never made, and creates nothing on it', async () => {
      const [store, key] = [bed.open(), newKey()];
      const nowhere = 'f'.repeat(40);
      expect(await store.read(nowhere)).toBeUndefined();
      const answer = await store.create(key, 1, nowhere).catch((error) => {
        expect(error).toBeInstanceOf(ClaimError);
        return { type: 'refused' };
      });
      expect(['unclear', 'refused']).toContain(answer.type);
      expect((await store.observe(key)).slots).toEqual([]);
    });
  });
}
