import { describe, expect, it } from '@jest/globals';
import { ganttOf } from '../src/gantt.js';
import { NOON, standing } from './fakes/entries.js';

const minutes = (count: number) => count * 60_000;
const tenure = (generation: number, how: 'released' | 'expired', at: number) => ({
  generation,
  agent: `agent-${generation}`,
  run: String(800 + generation),
  since: at,
  until: at + minutes(5),
  how,
});

describe('the picture of tenures', () => {
  it('shows lengths, gaps and ends of those before, and the one that holds', () => {
    const history = [tenure(1, 'released', NOON - minutes(30)), tenure(2, 'expired', NOON - minutes(15))];
    expect(ganttOf(standing(9, NOON, { generation: 3, history }))).toBe(
      [
        '```mermaid',
        'gantt',
        '  dateFormat YYYY-MM-DDTHH:mm:ssZ',
        '  axisFormat %d %H:%M',
        '  title item-12',
        '  1 agent-1 run 801 released :done, 2026-12-01T11:30:00Z, 2026-12-01T11:35:00Z',
        '  2 agent-2 run 802 expired :crit, 2026-12-01T11:45:00Z, 2026-12-01T11:50:00Z',
        '  3 reviewer-a run 870 held :active, 2026-12-01T12:00:00Z, 2026-12-01T12:10:00Z',
        '```',
        '',
      ].join('\n'),
    );
  });

  it('is none for a first tenure', () => {
    expect(ganttOf(standing(1, NOON))).toBe('');
  });

  it('has twelve bars at most, each with a length', () => {
    const history = Array.from({ length: 12 }, (_, index) => ({
      ...tenure(index + 1, 'released', NOON),
      until: NOON,
    }));
    const lines = ganttOf(standing(30, NOON, { generation: 13, history }))
      .split('\n')
      .filter((line) => / :(done|active|crit), /.test(line));
    expect(lines).toHaveLength(12);
    expect(lines[0]).toContain('2026-12-01T12:00:00Z, 2026-12-01T12:00:01Z');
  });

  it('holds nothing but plain letters, whatever the key or the agent', () => {
    const picture = ganttOf(
      standing(2, NOON, {
        key: 'a_b`c:d;e#f\nclick x "javascript:"',
        history: [tenure(1, 'released', NOON)],
      }),
    );
    for (const line of picture.split('\n').filter((text) => text.startsWith('  title')))
      expect(line).toMatch(/^[A-Za-z0-9 ./_-]*$/);
    expect(picture).not.toContain('click x "');
  });
});
