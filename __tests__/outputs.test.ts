import { describe, expect, it } from '@jest/globals';
import { OUTPUTS, outputsOf } from '../src/outputs.js';
import { NOON, standing } from './fakes/entries.js';

const tail = standing(3, NOON, { generation: 2 });
const chain = tail.entry.chain;
const held = { outcome: 'held', message: 'Not claimed', key: 'item-12', tail } as const;

describe('the outputs', () => {
  it('of a claim that was won name it, and say how long it lasts', () => {
    const item = { number: 12, kind: 'pull', title: 'Mend it', url: 'https://h/12', open: true } as const;
    const report = { outcome: 'claimed', message: 'Claimed', key: 'item-12', chain, tail, item } as const;
    expect(outputsOf({ ...report, now: NOON + 60_000 }, 4)).toEqual({
      claimed: 'true',
      owned: 'true',
      outcome: 'claimed',
      reason: '',
      message: 'Claimed',
      'claim-id': `item-12@${chain}`,
      key: 'item-12',
      ref: 'refs/claims/item-12/00000003',
      generation: '2',
      holder: tail.entry.holder,
      'holder-url': tail.entry.process.run,
      signal: '',
      'expires-at': '2026-12-01T12:10:00Z',
      number: '12',
      title: 'Mend it',
      url: 'https://h/12',
      head: '',
      'retry-after': '',
      requests: '4',
      result: expect.any(String),
    });
  });

  it('of a claim that was not are empty where a word would be true in an if', () => {
    expect(outputsOf(held, 3)).toMatchObject({ claimed: '', owned: '', 'claim-id': '', signal: 'claim' });
  });

  it('of a step that knows nothing are there, and empty', () => {
    const values = outputsOf({ outcome: 'invalid-input', message: 'invalid-input: mode is missing' }, 0);
    expect(Object.keys(values)).toEqual([...OUTPUTS]);
    const { outcome, message, requests, result, ...rest } = values;
    expect(new Set(Object.values(rest))).toEqual(new Set(['']));
  });

  it('say in whole seconds when to come back', () => {
    const limited = { outcome: 'rate-limited', message: 'rate-limited', retryAfter: 1_200 } as const;
    expect(outputsOf(limited, 1)['retry-after']).toBe('2');
  });

  it('have it all in a JSON with numbers, nulls and switches', () => {
    const late = JSON.parse(outputsOf({ ...held, now: NOON + 600_000 }, 3).result);
    expect(late).toMatchObject({
      version: 1,
      claimed: false,
      owned: false,
      outcome: 'held',
      reason: null,
      claim_id: null,
      generation: 2,
      number: 12,
      requests: 3,
      claimed_by: 'reviewer-a',
      expired: true,
    });
    expect(JSON.parse(outputsOf({ ...held, now: NOON + 599_000 }, 3).result).expired).toBe(false);
  });
});
