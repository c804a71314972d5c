import * as core from '@actions/core';
import { isoTime, runNumber } from './engine/entry.js';
import { entryRef, shortKey } from './engine/key.js';
import { ENDINGS } from './engine/outcome.js';
import { expiresAt, isHeld, type Standing, sinceOf } from './engine/state.js';
import { ganttOf } from './gantt.js';
import { duration } from './modes/words.js';
import type { Report } from './modes/world.js';

/** The job summary: who has the claim and why, for people who open the run. */

type Row = [name: string, text: string];

/** Adds a section about the report to the step's summary, where the runner takes one. */
export async function summarize(report: Report, env: Record<string, string | undefined>): Promise<void> {
  if (!env['GITHUB_STEP_SUMMARY']) return;
  try {
    await core.summary.addRaw(summaryOf(report), true).write();
  } catch (error) {
    core.warning(`No job summary: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function summaryOf(report: Report): string {
  const { key, tail, outcome } = report;
  const { owned } = ENDINGS[outcome];
  const agent = tail && (owned || outcome === 'released') ? ` · ${tail.entry.agent}` : '';
  const generation = agent && tail ? `, generation ${tail.entry.generation}` : '';
  const heading = `### 🤖 ${plain(key ? shortKey(key) : 'claim')}${plain(agent)} ${outcome}${generation}`;
  const rows = owned ? ownedRows(report) : outcome === 'released' ? endedRows(report) : otherRows(report);
  const table = ['| | |', '| --- | --- |', ...rows.map(([name, text]) => `| ${name} | ${text} |`)];
  const picture = tail && (owned || outcome === 'released') ? ganttOf(tail) : '';
  return `${[heading, '', ...table, '', picture].join('\n').trimEnd()}\n`;
}

function ownedRows({ tail, before }: Report): Row[] {
  if (!tail) return [];
  // What a claim that is entered again follows is its own entry, and nobody's before it.
  const goesOn = before?.entry.holder === tail.entry.holder;
  const history: Row[] = goesOn ? [] : [['before', before ? earlier(before) : 'nobody']];
  return [
    ['held by', heldBy(tail)],
    ['ends on', `release by this job, or ${isoTime(expiresAt(tail))} if it is never renewed`],
    ...history,
    ['entry', `\`${entryRef(tail.entry.key, tail.sequence)}\``],
  ];
}

function endedRows({ tail }: Report): Row[] {
  if (!tail) return [];
  return [
    ['held by', heldBy(tail)],
    [
      'ended',
      `${isoTime(tail.stamp)}, ${tail.entry.ending ?? ''}, after ${duration(tail.stamp - sinceOf(tail))}`,
    ],
    ['entry', `\`${entryRef(tail.entry.key, tail.sequence)}\``],
  ];
}

function otherRows({ outcome, message, tail }: Report): Row[] {
  const rows: Row[] = [['what', plain(message)]];
  if (tail && isHeld(tail.entry)) {
    rows.push(
      ['held by', heldBy(tail)],
      ['signal', 'claim'],
      ['ends at the latest', `${isoTime(expiresAt(tail))}, unless it is renewed`],
    );
  }
  if (ENDINGS[outcome].step === 'by-conflict') {
    rows.push(['later steps', "`if: steps.<id of this step>.outputs.claimed == 'true'`"]);
  }
  return rows;
}

function heldBy(tail: Standing): string {
  const { agent, process } = tail.entry;
  return `[${plain(agent)}, run ${runNumber(process)}](${process.run}), since ${isoTime(sinceOf(tail))}`;
}

function earlier(before: Standing): string {
  const { agent, process, ending } = before.entry;
  const end = ending ? `${ending} ${isoTime(before.stamp)}` : `expired ${isoTime(expiresAt(before))}`;
  return `[${plain(agent)}, run ${runNumber(process)}](${process.run}), ${end}`;
}

/** Text that can't be markup, break a table's row, or mention anybody. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|~@&"']/g, (character) => `&#${character.codePointAt(0)};`);
}
