import ms from 'ms';
import { z } from 'zod';
import { agentName, agentProblem, freeKeyProblem, itemKey, parseClaimId, parseItem } from './engine/key.js';
import { ClaimError } from './engine/outcome.js';
import { DEFAULT_LEASE, defaultRenewDeadline, isThin, type Lease, leaseProblems } from './engine/policy.js';
import { type Environment, eventItem } from './environment.js';
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
  'claim-id',
  'ttl',
  'renew-deadline',
  'on-conflict',
  'release-as',
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
  key: string;
  kind: Item['kind'] | undefined;
  agent: string;
  lease: Lease;
  onConflict: 'fail' | 'skip' | 'cancel';
  presented: string | undefined;
  notices: string[];
}
interface ProofInputs extends Common {
  mode: 'verify' | 'heartbeat';
  meaning: Meaning;
}
interface ReleaseInputs extends Common {
  mode: 'release';
  meaning: Meaning;
  ending: 'released' | 'failed';
}
export type Inputs = ClaimInputs | ProofInputs | ReleaseInputs;

/** What post uses of the inputs; the claim comes from the saved state only. */
interface PostInputs {
  token: string;
  jobId: string;
  jobStatus: string;
}

/** The longest duration that is read at all; the engine has its own limits. */
const LONGEST = 365 * 24 * 3_600_000;

const words = <const T extends [string, ...string[]]>(...options: T) =>
  z.enum(options, { error: ({ input }) => `"${shown(input)}" is none of ${options.join(', ')}` });

const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,8}[smhd]$/, {
    error: ({ input }) => `"${shown(input)}" is no duration like 90s, 10m or 2h`,
  })
  .transform((text) => ms(text as ms.StringValue))
  .refine((value) => value <= LONGEST, { error: 'is longer than a year' });

const repository = z
  .string()
  .regex(/^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/, { error: ({ input }) => `"${shown(input)}" is no owner/name` })
  .transform((text) => {
    const [owner = '', repo = ''] = text.split('/');
    return { owner, repo };
  });

const item = z.string().transform((text, context) => {
  const parsed = parseItem(text);
  if (!parsed)
    context.addIssue(
      `"${shown(text)}" is no number of an issue or a pull request: 12, #12, pr-12 or issue-12`,
    );
  return parsed ?? z.NEVER;
});

const key = z.string().transform((text, context) => {
  const problem = freeKeyProblem(text);
  if (problem) context.addIssue(`"${shown(text)}" ${problem}`);
  return text;
});

const agent = z.string().transform((text, context) => {
  const name = agentName(text);
  const problem = agentProblem(name);
  if (problem) context.addIssue(`"${shown(text)}" ${problem}`);
  return name;
});

const claim = z.string().transform((text, context) => {
  const parsed = parseClaimId(text);
  if (!parsed)
    context.addIssue(`"${shown(text)}" is no claim id; it is the output claim-id of the step that claimed`);
  return parsed ?? z.NEVER;
});

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
  const mode = reader.read('mode', words('claim', 'verify', 'heartbeat', 'release'));
  if (reader.text('mode') === '')
    reader.problems.push('mode is missing: claim, verify, heartbeat or release');
  const common = readCommon(reader);
  const named = readNamed(reader);
  const lease = readLease(reader);
  const onConflict = reader.read('on-conflict', words('fail', 'skip', 'cancel')) ?? 'fail';
  const ending = reader.read('release-as', words('released', 'failed')) ?? 'released';
  const claimed = reader.read('claim-id', claim);
  const exported = reader.variable('CLAIM_ID', claim);
  const who = reader.read('agent', agent);

  if (mode === 'claim') {
    const target = named ?? itemOfEvent(reader, environment);
    const name = who ?? actorOf(reader, environment);
    const notices = lease && isThin(lease) ? [thinNotice(lease)] : [];
    stopOn(reader.problems);
    const presented = [claimed, exported].find((id) => id && id.key === target.key)?.chain;
    return { mode, ...common, ...target, agent: name, lease, onConflict, presented, notices };
  }
  stopOn(reader.problems);
  const required = environment.env['CLAIM_REQUIRED'] === '1' && !exported;
  const meaning: Meaning = { claim: claimed, key: named?.key, exported, required };
  return mode === 'release'
    ? { mode, ...common, meaning, ending }
    : { mode: mode ?? 'verify', ...common, meaning };
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

/** The key that the step names, by item or by key. */
function readNamed(reader: Reader): { key: string; kind: Item['kind'] | undefined } | undefined {
  const number = reader.read('item', item);
  const free = reader.read('key', key);
  if (reader.text('item') && reader.text('key')) {
    reader.problems.push('item and key are both set: a claim is of one or the other');
  }
  if (free !== undefined) return { key: free, kind: undefined };
  return number && { key: itemKey(number.number), kind: number.kind };
}

function itemOfEvent(
  reader: Reader,
  environment: Environment,
): { key: string; kind: Item['kind'] | undefined } {
  const found = eventItem(environment);
  const event = environment.env['GITHUB_EVENT_NAME'] ?? '';
  if (!found && !reader.text('item') && !reader.text('key')) {
    reader.problems.push(
      `item and key are empty and the event "${shown(event)}" names no issue or pull request: set one`,
    );
  }
  return { key: itemKey(found?.number ?? 0), kind: found?.kind };
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
  const lease = { ttl, renewDeadline };
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

/** A wrong value as an error can safely repeat it. */
function shown(value: unknown): string {
  const text = String(value).replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
