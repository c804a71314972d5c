import { z } from 'zod';
import { agentProblem, keyProblem, shortKey } from './key.js';

/**
 * An entry of a claim's log: the message of a commit on the empty tree whose parent is the entry
 * before it. It holds a subject for people, free text if any, and git trailers for machines, and is
 * a full snapshot: the newest entry alone tells the state.
 */

const VERSION = 1;

/** What one entry says happened. */
type EntryEvent = (typeof EVENTS)[number];
const EVENTS = ['claimed', 'renewed', 'taken-over', 'forced', 'done', 'released', 'closed'] as const;
const ENDINGS = ['released', 'failed', 'done', 'forced'] as const;
/** How a tenure ended that a `released` entry ends; `forced`: somebody else freed the key. */
type TenureEnding = (typeof ENDINGS)[number];

/** A tenure that is over, as the entries after it remember it. */
export interface Tenure {
  generation: number;
  agent: string;
  /** The run's number. */
  run: string;
  /** Epoch milliseconds, in whole seconds; so is `until`. */
  since: number;
  until: number;
  how: TenureEnding | 'expired' | 'closed' | 'superseded';
}

/** The process that wrote an entry: a job of a workflow run, or what stands for one elsewhere. */
export interface Process {
  /** The run's attempt: `https://github.com/o/r/actions/runs/870/attempts/1`. */
  run: string;
  /** What tells the jobs of one attempt apart, matrix legs included. */
  job: string;
}

export interface Entry {
  event: EntryEvent;
  key: string;
  /** The fencing token: grows by one whenever the holder changes. */
  generation: number;
  /** Unique to one acquisition; compared as a whole. */
  holder: string;
  /** Who claims, as people know it: a role or a login. */
  agent: string;
  /** What the claim id names beside the key. */
  chain: string;
  process: Process;
  /** Milliseconds, in whole seconds. */
  ttl: number;
  /** Milliseconds, in whole seconds. */
  renewDeadline: number;
  /** Milliseconds, in whole seconds. */
  maxHold: number;
  /** When the holder's tenure began, in epoch milliseconds; nothing in the entry that begins it. */
  since?: number;
  /** How many holders in a row were taken over without a good end. */
  takeovers: number;
  /** How the tenure ended; on `released` only. */
  ending?: TenureEnding;
  /** When a key that was closed while it was held is free, epoch milliseconds; on `closed` only. */
  notBefore?: number;
  /** The tenures before this one, oldest first, the last twelve. */
  history: Tenure[];
  /** Free text for people, one paragraph. Never trusted, never parsed. */
  text?: string;
}

/** A line that can't be more than a line: no control or line-breaking characters, no run of spaces. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** A moment in whole seconds, as people and machines read it: `2026-12-01T12:00:00Z`. */
export function isoTime(epoch: number): string {
  return new Date(epoch).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

const SUBJECTS: Record<EntryEvent, string> = {
  claimed: 'claimed',
  renewed: 'renewed',
  'taken-over': 'taken over',
  forced: 'taken by force',
  done: 'done',
  released: 'released',
  closed: 'closed',
};
const VERBS: Partial<Record<TenureEnding, string>> = {
  failed: 'released as failed',
  forced: 'freed by force',
  done: 'released as done',
};

/**
 * The commit message of an entry. `git interpret-trailers --parse` reads its trailers back. The nonce
 * keeps two entries of one second from being one commit.
 */
export function encode(entry: Entry, nonce: string): string {
  const verb = (entry.ending && VERBS[entry.ending]) ?? SUBJECTS[entry.event];
  const subject = `${shortKey(entry.key)} ${verb} by ${entry.agent}, generation ${entry.generation}`;
  const trailers: [string, string | undefined][] = [
    ['Version', String(VERSION)],
    ['Event', entry.event],
    ['Key', entry.key],
    ['Generation', String(entry.generation)],
    ['Holder', entry.holder],
    ['Agent', entry.agent],
    ['Chain', entry.chain],
    ['Run', entry.process.run],
    ['Job', entry.process.job],
    ['Ttl', String(entry.ttl / 1_000)],
    ['Renew-Deadline', String(entry.renewDeadline / 1_000)],
    ['Max-Hold', String(entry.maxHold / 1_000)],
    ['Since', entry.since === undefined ? undefined : isoTime(entry.since)],
    ['Takeovers', String(entry.takeovers)],
    ['Ending', entry.ending],
    ['Not-Before', entry.notBefore === undefined ? undefined : isoTime(entry.notBefore)],
    ['Before', entry.history.length ? entry.history.map(encodeTenure).join('; ') : undefined],
    ['Nonce', nonce],
  ];
  const lines = trailers.flatMap(([name, value]) =>
    value === undefined ? [] : `Claim-${name}: ${oneLine(value)}`,
  );
  const text = oneLine(entry.text ?? '').slice(0, 1_000);
  // The "> " keeps text from being taken for git's "---", which would cut the trailers off.
  return `${[subject, ...(text ? [`> ${text}`] : []), lines.join('\n')].join('\n\n')}\n`;
}

function encodeTenure({ generation, agent, run, since, until, how }: Tenure): string {
  return [generation, agent, run, isoTime(since), isoTime(until), how].join(' ');
}

export type Decoded = { entry: Entry } | { problem: string };

const seconds = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/)
  .transform((text) => Number(text) * 1_000);

const moment = z.iso.datetime().transform(Date.parse);
const count = z
  .string()
  .regex(/^[0-9]{1,15}$/)
  .transform(Number);

const tenure = z
  .string()
  .transform((text) => text.split(' '))
  .pipe(
    z.tuple([
      count,
      z.string().refine((agent) => !agentProblem(agent)),
      z.string().regex(/^[0-9]+$/),
      moment,
      moment,
      z.enum([...ENDINGS, 'expired', 'closed', 'superseded']),
    ]),
  )
  .transform(
    ([generation, agent, run, since, until, how]): Tenure => ({ generation, agent, run, since, until, how }),
  );

const RUN = /^https?:\/\/[A-Za-z0-9._:[\]-]+\/[A-Za-z0-9._/-]+\/actions\/runs\/[0-9]+\/attempts\/[0-9]+$/;

const trailersOfAnEntry = z.object({
  Event: z.enum(EVENTS),
  Key: z.string().refine((key) => !keyProblem(key)),
  Generation: z
    .string()
    .regex(/^[1-9][0-9]{0,14}$/)
    .transform(Number),
  Holder: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,254}$/),
  Agent: z.string().refine((agent) => !agentProblem(agent)),
  Chain: z.string().regex(/^[0-9a-f]{16}$/),
  Run: z.string().max(500).regex(RUN),
  Job: z.string().regex(/^[A-Za-z0-9._-]{1,200}$/),
  Ttl: seconds,
  'Renew-Deadline': seconds,
  'Max-Hold': seconds,
  Since: moment.optional(),
  Takeovers: count,
  Ending: z.enum(ENDINGS).optional(),
  'Not-Before': moment.optional(),
  Before: z
    .string()
    .transform((text) => text.split('; '))
    .pipe(z.array(tenure))
    .default([]),
  Nonce: z.string().min(1),
});

/** Reads a commit message back into an entry of the key; strict, as nothing may rest on half an entry. */
export function decode(message: string, key: string): Decoded {
  const paragraphs = message.replace(/\n+$/, '').split(/\n{2,}/);
  const trailers = parseTrailers(paragraphs.at(-1) ?? '');
  if (!trailers || !('Version' in trailers)) return { problem: 'it is no entry of a claim' };
  if (trailers['Version'] !== String(VERSION)) {
    return {
      problem: `it has the version ${oneLine(trailers['Version'] ?? '').slice(0, 40)}, this release reads ${VERSION}`,
    };
  }
  const parsed = trailersOfAnEntry.safeParse(trailers);
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => `Claim-${String(issue.path[0])}`))];
    return { problem: `it has no usable ${names.join(', ')}` };
  }
  const read = parsed.data;
  if (read.Key !== key) return { problem: `it belongs to the key ${read.Key}` };
  if ((read.Event === 'released') !== (read.Ending !== undefined))
    return { problem: 'it has no usable Claim-Ending' };
  const text = paragraphs.length > 2 ? paragraphs[1]?.replace(/^> /, '') : undefined;
  return {
    entry: {
      event: read.Event,
      key: read.Key,
      generation: read.Generation,
      holder: read.Holder,
      agent: read.Agent,
      chain: read.Chain,
      process: { run: read.Run, job: read.Job },
      ttl: read.Ttl,
      renewDeadline: read['Renew-Deadline'],
      maxHold: read['Max-Hold'],
      ...(read.Since !== undefined && { since: read.Since }),
      takeovers: read.Takeovers,
      ...(read.Ending && { ending: read.Ending }),
      ...(read['Not-Before'] !== undefined && { notBefore: read['Not-Before'] }),
      history: read.Before,
      ...(text && { text: oneLine(text) }),
    },
  };
}

/** The `Claim-` trailers of a paragraph by name, unknown ones included; nothing if a line is anything else. */
function parseTrailers(paragraph: string): Record<string, string> | undefined {
  const trailers: Record<string, string> = Object.create(null);
  for (const line of paragraph.split('\n')) {
    const [, name, value] = /^Claim-([A-Za-z-]+): (.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || name in trailers) return undefined;
    trailers[name] = value.trim();
  }
  return trailers;
}

/** The number of the run that a process belongs to, as people quote it; empty where there is none. */
export function runNumber(process: Process): string {
  return /\/runs\/([0-9]+)\//.exec(process.run)?.[1] ?? '';
}

export function sameProcess(a: Process, b: Process): boolean {
  return a.run === b.run && a.job === b.job;
}
