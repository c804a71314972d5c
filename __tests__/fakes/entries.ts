import fc from 'fast-check';
import type { Standing } from '../../src/engine/decide.js';
import type { Entry, Process } from '../../src/engine/entry.js';

/** Entries for tests, plain and arbitrary. */

/** When tests happen, in whole seconds. */
export const NOON = Date.parse('2026-12-01T12:00:00Z');

export function processOfRun(run: number, job = '1'): Process {
  return { run: `https://github.com/octo/demo/actions/runs/${run}/attempts/1`, job };
}

export function entryOf(change: Partial<Entry> = {}): Entry {
  return {
    event: 'claimed',
    key: 'item-12',
    generation: 1,
    holder: 'reviewer-a/870/1/aaaaaaaaaaaaaaaa',
    agent: 'reviewer-a',
    chain: 'aaaaaaaaaaaaaaaa',
    process: processOfRun(870),
    ttl: 600_000,
    renewDeadline: 300_000,
    ...change,
  };
}

export function standing(sequence: number, stamp: number, change: Partial<Entry> = {}): Standing {
  return { sequence, sha: String(sequence).padStart(40, '0'), stamp, entry: entryOf(change) };
}

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });

/** Any entry of a key that can be written. */
export const entries: fc.Arbitrary<Entry> = fc
  .record({
    event: fc.constantFrom('claimed', 'renewed', 'taken-over', 'released'),
    generation: fc.integer({ min: 1, max: 1_000_000 }),
    agent: fc.constantFrom('reviewer-a', 'auto-backend', 'x', '0.1_2-bot'),
    chain: hex(16),
    random: hex(16),
    run: fc.integer({ min: 1, max: 2 ** 40 }),
    job: fc.constantFrom('1', '38291', 'github_0b1c-2', 'job'),
    ttl: fc.integer({ min: 4, max: 604_800 }).map((seconds) => seconds * 1_000),
    renewDeadline: fc.integer({ min: 1, max: 302_400 }).map((seconds) => seconds * 1_000),
    since: fc.option(
      fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1_000),
      { nil: undefined },
    ),
    ending: fc.constantFrom('released', 'failed'),
    text: fc.option(fc.string({ unit: 'binary', maxLength: 80 }), { nil: undefined }),
  })
  .map(({ random, run, job, ending, since, text, ...rest }) => ({
    ...rest,
    key: 'item-12',
    holder: `${rest.agent}/${run}/${job}/${random}`,
    process: processOfRun(run, job),
    ...(since !== undefined && { since }),
    ...(rest.event === 'released' && { ending: ending as 'released' | 'failed' }),
    ...(text !== undefined && { text }),
  })) as fc.Arbitrary<Entry>;
