import { decode, type Entry } from '../../src/engine/entry.js';
import { sequenceOf } from '../../src/engine/key.js';
import { isHeld } from '../../src/engine/state.js';
import { type History, TTL_MINUS_DEADLINE } from './history.js';
import type { RefLife } from './host.js';

/** Judges a history by what really happened at the host, not by what anybody believed. */

/** The newest entry of the log from a moment on. */
interface Reign {
  from: number;
  to: number;
  sequence: number;
  sha: string;
  entry: Entry | undefined;
}

export interface Verdict {
  violations: string[];
  /** Writes that no lock can prevent, by why. */
  excused: { late: number; forced: number };
  writes: number;
}

/** Stamps and `Date` have steps of a second, and hosts have several clocks. */
const SLACK = 3_000;
const POLL_AND_SLACK = 60_000;

export function judge(history: History): Verdict {
  const reigns = reignsOf(history);
  const verdict: Verdict = {
    violations: [...history.wrongs],
    excused: { late: 0, forced: 0 },
    writes: history.writes.length,
  };
  checkLog(reigns, verdict);
  checkWrites(history, reigns, verdict);
  checkWords(history, reigns, verdict);
  if (history.stuckFor > POLL_AND_SLACK) {
    verdict.violations.push(`stuck: the key was not free for ${history.stuckFor / 1_000}s beyond its ttl`);
  }
  return verdict;
}

/** Which entry was the newest, when. */
function reignsOf({ host, key }: History): Reign[] {
  const lives = host.lives.filter(({ ref }) => sequenceOf(key, ref) !== undefined);
  const moments = [...new Set(lives.flatMap(({ createdAt, deletedAt }) => [createdAt, deletedAt]))]
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const reigns: Reign[] = [];
  for (const moment of moments) {
    const alive = lives.filter((life) => life.createdAt <= moment && moment < life.deletedAt);
    const top = alive.reduce<RefLife | undefined>(
      (best, life) => (best && best.ref > life.ref ? best : life),
      undefined,
    );
    const last = reigns.at(-1);
    if (last && last.sha === (top?.sha ?? '')) continue;
    if (last) last.to = moment;
    const message = top && host.commits.get(top.sha)?.message;
    const decoded = message ? decode(message, key) : undefined;
    reigns.push({
      from: moment,
      to: Number.POSITIVE_INFINITY,
      sequence: top ? (sequenceOf(key, top.ref) ?? 0) : 0,
      sha: top?.sha ?? '',
      entry: decoded && 'entry' in decoded ? decoded.entry : undefined,
    });
  }
  return reigns;
}

function checkLog(reigns: Reign[], { violations }: Verdict): void {
  const holders = new Map<number, string>();
  for (const [index, { entry, sequence, sha }] of reigns.entries()) {
    // Generations count on for as long as any entry of the key is left.
    if (sha === '') holders.clear();
    if (!entry) continue;
    const { generation, holder, event, ending } = entry;
    const known = holders.get(generation);
    if (known !== undefined && known !== holder) violations.push(`generation ${generation} has two holders`);
    holders.set(generation, holder);
    const before = reigns[index - 1];
    if (!before?.entry) continue;
    if (before.entry.event === 'done') violations.push(`entry ${sequence} follows done`);
    if (sequence < before.sequence)
      violations.push(`an old entry ${sequence} became the newest after ${before.sequence}`);
    if (generation < before.entry.generation)
      violations.push(`generation ${generation} after ${before.entry.generation}`);
    if (holder !== before.entry.holder && generation <= before.entry.generation) {
      violations.push(`a new holder at ${sequence} without a new generation`);
    }
    const end = event === 'done' || (event === 'released' && ending !== 'forced');
    if (end && holder !== before.entry.holder)
      violations.push(`entry ${sequence} ends a claim that isn't its holder's`);
  }
}

function checkWrites({ writes }: History, reigns: Reign[], { violations, excused }: Verdict): void {
  for (const { job, holder, provedAt, writtenAt } of writes) {
    const reign = reigns.find(({ from, to }) => from <= writtenAt && writtenAt < to);
    if (!reign?.entry || !isHeld(reign.entry) || reign.entry.holder === holder) continue;
    if (writtenAt - provedAt > TTL_MINUS_DEADLINE - SLACK) excused.late += 1;
    else if (wasForced(reigns, holder, writtenAt)) excused.forced += 1;
    else
      violations.push(
        `${job} wrote while ${reign.entry.agent} held the claim, ${(writtenAt - provedAt) / 1_000}s after its proof`,
      );
  }
}

/** Whether a holder was ended by force, and not by its silence. */
function wasForced(reigns: Reign[], holder: string, until: number): boolean {
  const last = reigns.findLastIndex(
    ({ entry, from }) => entry?.holder === holder && isHeld(entry) && from <= until,
  );
  const next = reigns.slice(last + 1).find(({ entry }) => entry && entry.event !== 'closed')?.entry;
  return next?.event === 'forced' || next?.ending === 'forced';
}

function checkWords({ told, losses, host, key }: History, reigns: Reign[], { violations }: Verdict): void {
  for (const { job, own } of told) {
    const stood = host.lives.some(({ ref, sha }) => sha === own.sha && sequenceOf(key, ref) === own.sequence);
    if (!stood) violations.push(`${job} was told that entry ${own.sequence} is its own, and it never was`);
  }
  for (const { job, holder, reason, at } of losses) {
    if (reason === 'expired') continue;
    const held = reigns.findLastIndex(
      ({ entry, from }) => entry?.holder === holder && isHeld(entry) && from <= at,
    );
    const own = reigns[held];
    const ended = held < 0 || (own !== undefined && own.to <= at);
    if (!ended) violations.push(`${job} was told that its claim is lost (${reason}), and it wasn't`);
  }
}
