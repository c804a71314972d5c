import { describe, expect, it } from '@jest/globals';
import type { Report } from '../src/modes/world.js';
import { summaryOf } from '../src/summary.js';
import { NOON, processOfRun, standing } from './fakes/entries.js';

const first = standing(1, NOON);
const second = standing(2, NOON + 900_000, {
  event: 'taken-over',
  generation: 2,
  agent: 'reviewer-b',
  holder: 'reviewer-b/871/1/bbbbbbbbbbbbbbbb',
  process: processOfRun(871),
});

/** The table of a summary, by the first cell of each row. */
function rowsOf(report: Omit<Report, 'message'> & { message?: string }): Record<string, string> {
  const rows = summaryOf({ message: 'what happened', ...report }).matchAll(/^\| ([^|]+) \| (.*) \|$/gm);
  return Object.fromEntries([...rows].slice(1).map(([, name = '', text = '']) => [name, text]));
}

describe('the job summary', () => {
  it('of a claim taken over says who has it, until when, and who had it', () => {
    const report = { outcome: 'taken-over', key: 'item-12', tail: second, before: first } as const;
    expect(summaryOf({ ...report, message: '' })).toMatch(
      /^### 🤖 item-12 · reviewer-b taken-over, generation 2\n/,
    );
    expect(rowsOf(report)).toEqual({
      'held by': `[reviewer-b, run 871](${processOfRun(871).run}), since 2026-12-01T12:15:00Z`,
      'ends on': 'release by this job, or 2026-12-01T12:25:00Z if it is never renewed',
      before: `[reviewer-a, run 870](${processOfRun(870).run}), expired 2026-12-01T12:10:00Z`,
      entry: '`refs/claims/item-12/00000002`',
    });
  });

  it('of a first claim says that nobody had it', () => {
    expect(rowsOf({ outcome: 'claimed', key: 'item-12', tail: first })['before']).toBe('nobody');
  });

  it('of a claim that goes on does not call its own entry the one before', () => {
    const renewed = standing(2, NOON + 60_000, { event: 'renewed', since: NOON });
    const rows = rowsOf({ outcome: 'reentered', key: 'item-12', tail: renewed, before: first });
    expect(rows['held by']).toContain('since 2026-12-01T12:00:00Z');
    expect(rows).not.toHaveProperty('before');
  });

  it('of a release says how it ended and after how long', () => {
    const released = standing(2, NOON + 120_000, { event: 'released', ending: 'failed', since: NOON });
    const rows = rowsOf({ outcome: 'released', key: 'item-12', tail: released });
    expect(rows['ended']).toBe('2026-12-01T12:02:00Z, failed, after 2m');
  });

  it('without the claim says who has it, when that ends at the latest, and what later steps need', () => {
    const rows = rowsOf({ outcome: 'held', key: 'item-12', tail: second });
    expect(rows['held by']).toContain('reviewer-b, run 871');
    expect(rows['ends at the latest']).toBe('2026-12-01T12:25:00Z, unless it is renewed');
    expect(rows['later steps']).toContain("outputs.claimed == 'true'");
  });

  it('shows text from elsewhere as text', () => {
    const message = 'a | b\n<img src=x> [link](http://h) @octocat `code`';
    const summary = summaryOf({ outcome: 'unavailable', message });
    expect(summary.split('\n')).toHaveLength(6);
    expect(summary).not.toMatch(/<img|\]\(|@octocat|`/);
  });
});
