import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  agentName,
  agentProblem,
  claimId,
  entryRef,
  freeKeyProblem,
  itemKey,
  itemOf,
  keyPrefix,
  keyProblem,
  parseClaimId,
  parseItem,
  sequenceOf,
} from '../../src/engine/key.js';

describe('items', () => {
  it.each([
    ['12', 12, undefined],
    ['#12', 12, undefined],
    ['pr-12', 12, 'pull'],
    ['PR-12', 12, 'pull'],
    ['issue-7', 7, 'issue'],
    ['item-7', 7, undefined],
  ])('reads %s', (text, number, kind) => {
    expect(parseItem(text)).toEqual(kind ? { number, kind } : { number });
  });

  // Fault 22: lenient numbers.
  it.each([
    '',
    '0',
    '012',
    '-1',
    '+1',
    '1e3',
    '0x10',
    '12abc',
    ' 12',
    '1.5',
    '#',
    'pr-',
    '##1',
    '12345678901',
    '１２',
  ])('refuses "%s"', (text) => expect(parseItem(text)).toBeUndefined());

  it('has one key however it is spelled, and finds the number in it', () => {
    expect(itemKey(12)).toBe('item-12');
    expect(itemOf('item-12')).toBe(12);
    expect(itemOf('item-12/reviewer-b')).toBe(12);
    expect(itemOf('deploy/item-12')).toBeUndefined();
    expect(itemOf('item-12x')).toBeUndefined();
  });
});

describe('free keys', () => {
  it.each(['deploy/prod', 'Nightly_build', 'a.b-c/d', 'releases/v1.2.3', '2025-11-30', 'x/1234567/y'])(
    'takes %s',
    (key) => expect(freeKeyProblem(key)).toBeUndefined(),
  );

  it.each([
    ['item-12', 'use "item"'],
    ['Item-12', 'use "item"'],
    ['queue/a', 'reserved'],
    ['ticket/a', 'reserved'],
    ['', 'empty part'],
    ['/a', 'empty part'],
    ['a//b', 'empty part'],
    ['a/', 'empty part'],
    ['deploy/20251130', 'eight digits'],
    ['a..b', '".."'],
    ['a.', 'dot at its end'],
    ['.a', 'beginning with'],
    ['a/.b', 'beginning with'],
    ['-a', 'beginning with'],
    ['a.lock', '.lock'],
    ['a.LOCK/b', '.lock'],
    ['a b', 'letters, digits'],
    ['a\nb', 'letters, digits'],
    ['a~1', 'letters, digits'],
    ['a:b', 'letters, digits'],
    ['a@{1}', 'letters, digits'],
    ['ä', 'letters, digits'],
    ['x'.repeat(300), 'too long'],
  ])('refuses "%s"', (key, problem) => expect(freeKeyProblem(key)).toContain(problem));

  it('takes only what git takes as a ref', () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9._@{}~^:?*[\\ -]{0,12}$/);
    const keys = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const accepted = fc.sample(
      keys.filter((key) => !freeKeyProblem(key)),
      { numRuns: 60, seed: 7 },
    );
    for (const key of accepted) execFileSync('git', ['check-ref-format', entryRef(key, 1)]);
    expect(accepted.length).toBe(60);
  });
});

describe('agents', () => {
  it.each([
    ['github-actions[bot]', 'github-actions-bot'],
    ['Octo-Cat', 'octo-cat'],
    ['reviewer-b', 'reviewer-b'],
  ])('writes %s as %s', (text, name) => {
    expect(agentName(text)).toBe(name);
    expect(agentProblem(name)).toBeUndefined();
  });

  it.each([
    '',
    '-a',
    'a b',
    'a/b',
    'a'.repeat(64),
    '12345678',
    '0123456789abcdef0123456789abcdef01234567',
    'a.lock',
    'ä',
  ])('refuses "%s"', (agent) => expect(agentProblem(agent)).toBeDefined());
});

describe('refs of entries', () => {
  it('counts in eight digits', () => {
    expect(entryRef('item-12', 1)).toBe('refs/claims/item-12/00000001');
    expect(entryRef('deploy/prod', 99_999_999)).toBe('refs/claims/deploy/prod/99999999');
    for (const wrong of [0, -1, 1.5, 100_000_000, Number.NaN])
      expect(() => entryRef('a', wrong)).toThrow(RangeError);
  });

  // Fault 14: other keys' entries and longer names are never mistaken for this key's.
  it('takes only direct children of eight digits for entries', () => {
    expect(sequenceOf('pr-1', 'refs/claims/pr-1/00000003')).toBe(3);
    for (const ref of [
      'refs/claims/pr-12/00000003',
      'refs/claims/pr-1/reviewer/00000003',
      'refs/claims/pr-1/0000003',
      'refs/claims/pr-1/000000003',
      'refs/claims/pr-1/00000000',
      'refs/claims/pr-1/0000000x',
      'refs/heads/pr-1/00000003',
    ]) {
      expect(sequenceOf('pr-1', ref)).toBeUndefined();
    }
    expect('refs/claims/pr-12/00000001'.startsWith(keyPrefix('pr-1'))).toBe(false);
  });

  it('finds each sequence in its own ref again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), (n) => {
        expect(sequenceOf('deploy/prod', entryRef('deploy/prod', n))).toBe(n);
      }),
    );
  });
});

describe('claim ids', () => {
  it('name a key and a chain', () => {
    const id = claimId('item-12/reviewer-b', '0123456789abcdef');
    expect(id).toBe('item-12/reviewer-b@0123456789abcdef');
    expect(parseClaimId(id)).toEqual({ key: 'item-12/reviewer-b', chain: '0123456789abcdef' });
  });

  it.each([
    '',
    'item-12',
    'item-12@',
    '@0123456789abcdef',
    'item-12@0123',
    'item-12@0123456789ABCDEF',
    'a//b@0123456789abcdef',
    'a@0123456789abcdef\n',
    '../a@0123456789abcdef',
  ])('are not read from "%s"', (text) => expect(parseClaimId(text)).toBeUndefined());

  it('hold no key that is none', () => {
    expect(keyProblem('item-12')).toBeUndefined();
    expect(parseClaimId('deploy/20251130@0123456789abcdef')).toBeUndefined();
  });
});
