import ms from 'ms';
import type { z } from 'zod';
import { agentName, agentProblem, partKey } from './engine/key.js';
import { ClaimError } from './engine/outcome.js';
import {
  DEFAULT_LEASE,
  DEFAULT_MAX_TAKEOVERS,
  defaultRenewDeadline,
  isThin,
  type Lease,
  leaseProblems,
} from './engine/policy.js';
import { type Environment, eventItem } from './environment.js';
import {
  agent,
  claim,
  count,
  duration,
  item,
  key,
  parts,
  repository,
  sha,
  shown,
  toggle,
  words,
} from './input-words.js';
import type { Target } from './modes/claim.js';
import type { Meaning } from './modes/meant.js';
import type { Item } from './ports.js';

/** The inputs of action.yml as one typed value; what is wrong with them is reported all together. */

export const INPUTS = [
  'mode',
  'github-token',
  'repository',
  'item',
  'key',
  'agent',
  'per',
  'head',
  'reentry',
  'claim-id',
  'ttl',
  'renew-deadline',
  'max-hold',
  'max-takeovers',
  'on-conflict',
  'force',
  'reason',
  'release-as',
  'on-job-end',
  'job-status',
  'job-id',
] as const;
type InputName = (typeof INPUTS)[number];

interface Common {
  token: string;
  /** Where the claims live. */
  repository: { owner: string; repo: string };
  /** What tells this job from others of its run's attempt; empty where the runner doesn't say. */
  jobId: string;
}

interface ClaimInputs extends Common {
  mode: 'claim';
  target: Target;
  agent: string;
  lease: Lease;
  maxTakeovers: number;
  onConflict: 'fail' | 'skip' | 'cancel';
  onJobEnd: 'release' | 'done';
  presented: { key: string; chain: string }[];
  force: boolean;
  sameActor: boolean;
  reason: string | undefined;
  notices: string[];
}
interface ProofInputs extends Common {
  mode: 'verify' | 'heartbeat';
  meaning: Meaning;
}
interface ReleaseInputs extends Common {
  mode: 'release';
  meaning: Meaning;
  ending: 'released' | 'failed' | 'done';
}
/** A release of somebody else's claim. */
interface FreeInputs extends Common {
  mode: 'free';
  key: string;
  agent: string;
  lease: Lease;
  reason: string;
}
interface CleanupInputs extends Common {
  mode: 'cleanup';
  number: number;
  kind: Item['kind'] | undefined;
}
export type Inputs = ClaimInputs | ProofInputs | ReleaseInputs | FreeInputs | CleanupInputs;

/** What post uses of the inputs; the claim comes from the saved state only. */
interface PostInputs {
  token: string;
  jobId: string;
  jobStatus: string;
}

/** Reads inputs one by one and collects what is wrong with any of them. */
class Reader {
  readonly problems: string[] = [];
  readonly #env: Environment['env'];

  constructor(env: Environment['env']) {
    this.#env = env;
  }

  text(name: InputName): string {
    return (this.#env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
  }

  /** An input's value; nothing if it is empty or wrong. */
  read<T>(name: InputName, schema: z.ZodType<T, string>): T | undefined {
    const text = this.text(name);
    return text === '' ? undefined : this.#parse(name, schema, text);
  }

  variable<T>(name: 'CLAIM_ID' | 'GITHUB_REPOSITORY', schema: z.ZodType<T, string>): T | undefined {
    const text = (this.#env[name] ?? '').trim();
    return text === '' ? undefined : this.#parse(name, schema, text);
  }

  #parse<T>(name: string, schema: z.ZodType<T, string>, text: string): T | undefined {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) this.problems.push(`${name} ${issue.message}`);
    return undefined;
  }
}

/** Reads the inputs of a step. Throws one `invalid-input` that names every problem. */
export function loadInputs(environment: Environment): Inputs {
  const reader = new Reader(environment.env);
  const mode = reader.read('mode', words('claim', 'verify', 'heartbeat', 'release', 'cleanup'));
  if (reader.text('mode') === '')
    reader.problems.push('mode is missing: claim, verify, heartbeat, release or cleanup');
  const read = readAll(reader);
  switch (mode) {
    case 'claim':
      return claimInputs(reader, read, environment);
    case 'release':
      return releaseInputs(reader, read, environment);
    case 'cleanup':
      return cleanupInputs(reader, read, environment);
    default:
      stopOn(reader.problems);
      return { mode: mode ?? 'verify', ...read.common, meaning: meaningOf(read, environment) };
  }
}

/** Every input, whether the mode needs it or not: a wrong word is an error wherever it stands. */
function readAll(reader: Reader) {
  const read = {
    common: readCommon(reader),
    item: reader.read('item', item),
    key: reader.read('key', key),
    agent: reader.read('agent', agent),
    per: reader.read('per', parts) ?? { agent: false, head: false },
    head: reader.read('head', sha),
    reentry: reader.read('reentry', words('claim', 'actor')),
    claimed: reader.read('claim-id', claim),
    exported: reader.variable('CLAIM_ID', claim),
    lease: readLease(reader),
    maxTakeovers: reader.read('max-takeovers', count) ?? DEFAULT_MAX_TAKEOVERS,
    onConflict: reader.read('on-conflict', words('fail', 'skip', 'cancel')) ?? 'fail',
    force: reader.read('force', toggle) === 'true',
    reason: reader.text('reason') || undefined,
    ending: reader.read('release-as', words('released', 'failed', 'done')) ?? 'released',
    onJobEnd: reader.read('on-job-end', words('release', 'done')) ?? 'release',
  };
  const { problems } = reader;
  if (reader.text('item') && reader.text('key'))
    problems.push('item and key are both set: a claim is of one or the other');
  if (reader.text('key') && (read.per.agent || read.per.head))
    problems.push('per goes with an item, not with a key');
  if (reader.text('head') && !read.per.head) problems.push('head goes with per: head');
  if (read.force && !read.reason) problems.push('force needs a reason, for whoever loses the claim');
  if (read.reason && !read.force) problems.push('reason goes with force');
  return read;
}
type Read = ReturnType<typeof readAll>;

function claimInputs(reader: Reader, read: Read, environment: Environment): ClaimInputs {
  const { common, lease, maxTakeovers, onConflict, onJobEnd, force, reason, claimed, exported } = read;
  const target = targetOf(reader, read, environment);
  const name = read.agent ?? actorOf(reader, environment);
  const notices = isThin(lease) ? [thinNotice(lease)] : [];
  stopOn(reader.problems);
  return {
    mode: 'claim',
    ...common,
    target,
    agent: name,
    lease,
    maxTakeovers,
    onConflict,
    onJobEnd,
    presented: [claimed, exported].filter((id) => id !== undefined),
    force,
    sameActor: read.reentry === 'actor',
    reason,
    notices,
  };
}

function targetOf(reader: Reader, { key, item, per, head }: Read, environment: Environment): Target {
  if (key !== undefined) return { key };
  const { number, kind } = item ?? itemOfEvent(reader, environment);
  return { number, kind, perAgent: per.agent, perHead: per.head && { sha: head } };
}

function releaseInputs(reader: Reader, read: Read, environment: Environment): ReleaseInputs | FreeInputs {
  if (!read.force) {
    stopOn(reader.problems);
    return { mode: 'release', ...read.common, meaning: meaningOf(read, environment), ending: read.ending };
  }
  const { common, lease, reason = '', item, per, head, claimed } = read;
  const name = read.agent ?? actorOf(reader, environment);
  const parted = item && partKey(item.number, { agent: per.agent ? name : undefined, head });
  const key = claimed?.key ?? read.key ?? parted;
  if (key === undefined)
    reader.problems.push('force needs to know whose claim to free: set item, key or claim-id');
  if (per.head && !head && !claimed) reader.problems.push('force on a claim of a head needs the head');
  stopOn(reader.problems);
  return { mode: 'free', ...common, key: key ?? '', agent: name, lease, reason };
}

function cleanupInputs(reader: Reader, { common, item }: Read, environment: Environment): CleanupInputs {
  if (reader.text('key')) reader.problems.push('cleanup is of items: a key is never closed');
  const { number, kind } = item ?? itemOfEvent(reader, environment);
  stopOn(reader.problems);
  return { mode: 'cleanup', ...common, number, kind };
}

function meaningOf({ claimed, exported, key, item }: Read, { env }: Environment): Meaning {
  const named = key !== undefined ? { key } : item && { item: item.number };
  return { claim: claimed, named, exported, required: env['CLAIM_REQUIRED'] === '1' && !exported };
}

export function loadPostInputs(environment: Environment): PostInputs {
  const reader = new Reader(environment.env);
  const token = readToken(reader);
  stopOn(reader.problems);
  return { token, jobId: reader.text('job-id'), jobStatus: reader.text('job-status') };
}

function readCommon(reader: Reader): Common {
  const home = reader.read('repository', repository) ?? reader.variable('GITHUB_REPOSITORY', repository);
  if (!home && reader.text('repository') === '')
    reader.problems.push('repository is missing, and GITHUB_REPOSITORY too');
  return {
    token: readToken(reader),
    repository: home ?? { owner: '', repo: '' },
    jobId: reader.text('job-id'),
  };
}

function readToken(reader: Reader): string {
  const token = reader.text('github-token');
  if (token === '') reader.problems.push('github-token is empty');
  else if (/[^\x21-\x7e]/.test(token)) reader.problems.push('github-token has characters that no token has');
  return token;
}

function itemOfEvent(
  reader: Reader,
  environment: Environment,
): { number: number; kind: Item['kind'] | undefined } {
  const found = eventItem(environment);
  const event = environment.env['GITHUB_EVENT_NAME'] ?? '';
  if (!found && !reader.text('item') && !reader.text('key')) {
    reader.problems.push(
      `item and key are empty and the event "${shown(event)}" names no issue or pull request: set one`,
    );
  }
  return found ?? { number: 0, kind: undefined };
}

function actorOf(reader: Reader, environment: Environment): string {
  const name = agentName(environment.env['GITHUB_ACTOR'] ?? '');
  const problem = agentProblem(name);
  if (problem && !reader.text('agent'))
    reader.problems.push(`agent is empty and the job's actor "${shown(name)}" ${problem}`);
  return name;
}

function readLease(reader: Reader): Lease {
  const ttl = reader.read('ttl', duration) ?? DEFAULT_LEASE.ttl;
  const renewDeadline = reader.read('renew-deadline', duration) ?? defaultRenewDeadline(ttl);
  const maxHold = reader.read('max-hold', duration) ?? Math.max(DEFAULT_LEASE.maxHold, ttl);
  const lease = { ttl, renewDeadline, maxHold };
  reader.problems.push(...leaseProblems(lease));
  return lease;
}

function thinNotice({ ttl, renewDeadline }: Lease): string {
  return `Only ${ms(ttl - renewDeadline)} lie between renew-deadline (${ms(renewDeadline)}) and ttl (${ms(ttl)}): clocks, lag and a write under way may take a minute`;
}

function stopOn(problems: string[]): void {
  if (problems.length === 0) return;
  throw new ClaimError('invalid-input', `invalid-input: ${problems.join('; ')}. Nothing was changed`);
}
