import fc from 'fast-check';
import type { Entry, Process } from '../../src/engine/entry.js';
import type { Standing } from '../../src/engine/state.js';

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
    maxHold: 21_600_000,
    takeovers: 0,
    history: [],
    ...change,
  };
}

export function standing(sequence: number, stamp: number, change: Partial<Entry> = {}): Standing {
  return {
    sequence,
    sha: String(sequence).padStart(40, '0'),
    stamp,
    author: 'claim-bot',
    entry: entryOf(change),
  };
}

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });

const moments = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1_000);
const tenures = fc.record({
  generation: fc.integer({ min: 1, max: 1_000_000 }),
  agent: fc.constantFrom('reviewer-a', 'x', '0.1_2-bot'),
  run: fc.integer({ min: 1, max: 2 ** 40 }).map(String),
  since: moments,
  until: moments,
  how: fc.constantFrom('released', 'failed', 'done', 'forced', 'expired', 'closed', 'superseded'),
});

/** Any entry of a key that can be written. */
export const entries: fc.Arbitrary<Entry> = fc
  .record({
    event: fc.constantFrom('claimed', 'renewed', 'taken-over', 'forced', 'done', 'released', 'closed'),
    generation: fc.integer({ min: 1, max: 1_000_000 }),
    agent: fc.constantFrom('reviewer-a', 'auto-backend', 'x', '0.1_2-bot'),
    chain: hex(16),
    random: hex(16),
    run: fc.integer({ min: 1, max: 2 ** 40 }),
    job: fc.constantFrom('1', '38291', 'github_0b1c-2', 'job'),
    ttl: fc.integer({ min: 4, max: 604_800 }).map((seconds) => seconds * 1_000),
    renewDeadline: fc.integer({ min: 1, max: 302_400 }).map((seconds) => seconds * 1_000),
    since: fc.option(moments, { nil: undefined }),
    maxHold: fc.integer({ min: 4, max: 604_800 }).map((seconds) => seconds * 1_000),
    takeovers: fc.integer({ min: 0, max: 10 }),
    ending: fc.constantFrom('released', 'failed', 'done', 'forced'),
    notBefore: fc.option(moments, { nil: undefined }),
    history: fc.array(tenures, { maxLength: 12 }),
    text: fc.option(fc.string({ unit: 'binary', maxLength: 80 }), { nil: undefined }),
  })
  .map(({ random, run, job, ending, since, notBefore, text, ...rest }) => ({
    ...rest,
    key: 'item-12',
    holder: `${rest.agent}/${run}/${job}/${random}`,
    process: processOfRun(run, job),
    ...(since !== undefined && { since }),
    ...(rest.event === 'released' && { ending }),
    ...(rest.event === 'closed' && notBefore !== undefined && { notBefore }),
    ...(text !== undefined && { text }),
  })) as fc.Arbitrary<Entry>;
