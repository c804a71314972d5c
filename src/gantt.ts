import { isoTime, runNumber, type Tenure } from './engine/entry.js';
import { expiresAt, isHeld, type Standing, sinceOf } from './engine/state.js';

/** The last tenures of a key as a mermaid gantt: their lengths and the gaps between them. */

const SHOWN = 12;
/** A bar shorter than a second is none. */
const SHORTEST = 1_000;

/** Nothing where there is but one tenure to show: a picture of one bar tells nothing. */
export function ganttOf(tail: Standing): string {
  const tenures = [...tail.entry.history, ...current(tail)].slice(-SHOWN);
  if (tenures.length < 2) return '';
  const lines = tenures.map(({ generation, agent, run, since, until, how }) => {
    const state = how === 'held' ? 'active' : how === 'released' || how === 'done' ? 'done' : 'crit';
    const end = Math.max(until, since + SHORTEST);
    return `  ${reduced(`${generation} ${agent} run ${run} ${how}`)} :${state}, ${isoTime(since)}, ${isoTime(end)}`;
  });
  const head = [
    'gantt',
    '  dateFormat YYYY-MM-DDTHH:mm:ssZ',
    '  axisFormat %d %H:%M',
    `  title ${reduced(tail.entry.key)}`,
  ];
  return ['```mermaid', ...head, ...lines, '```', ''].join('\n');
}

type Bar = Omit<Tenure, 'how'> & { how: Tenure['how'] | 'held' };

/** The tenure that the newest entry is about, if it is about one. */
function current(tail: Standing): Bar[] {
  const { event, generation, agent, process, ending } = tail.entry;
  if (event === 'closed') return [];
  const held = isHeld(tail.entry);
  const until = held ? expiresAt(tail) : tail.stamp;
  const how = held ? 'held' : event === 'done' ? 'done' : (ending ?? 'released');
  return [{ generation, agent, run: runNumber(process), since: sinceOf(tail), until, how }];
}

/** Text that can't be syntax of the picture. */
function reduced(text: string): string {
  return text
    .replace(/[^A-Za-z0-9 ./_-]/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
}
