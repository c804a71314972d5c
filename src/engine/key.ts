/**
 * Keys and the refs of their logs.
 *
 * A key is a path such as `item-12` or `deploy/prod`; the n-th entry of its log is the ref
 * `refs/claims/<key>/<n in eight digits>`.
 */

const ROOT = 'refs/claims/';
const SEQUENCE = /^[0-9]{8}$/;
const RESERVED = ['item-', 'queue/', 'ticket/'];
/** What git hosts accept as the length of a ref's name, in bytes (GitHub: 255). */
const LONGEST_REF = 255;
const LARGEST_SEQUENCE = 99_999_999;

/** The key of an issue or a pull request; their numbers are shared, so there is one spelling. */
export function itemKey(number: number): string {
  return `item-${number}`;
}

/**
 * Reads an item's number as people spell it: `12`, `#12`, `pr-12`, `issue-12`, `item-12`.
 * Nothing lenient: no sign, no leading zero, no exponent, no hexadecimal.
 */
export function parseItem(text: string): { number: number; kind?: 'issue' | 'pull' } | undefined {
  const match = /^(#|pr-|issue-|item-)?([1-9][0-9]{0,9})$/i.exec(text);
  if (!match) return undefined;
  const number = Number(match[2]);
  const prefix = match[1]?.toLowerCase();
  if (prefix === 'pr-') return { number, kind: 'pull' };
  if (prefix === 'issue-') return { number, kind: 'issue' };
  return { number };
}

/** What one claim of an item covers, beside the item itself. */
export interface Parts {
  agent?: string | undefined;
  /** A commit's full sha. */
  head?: string | undefined;
}

/** The key of a part of an item: the agent comes before the head. */
export function partKey(number: number, { agent, head }: Parts): string {
  return [itemKey(number), agent, head].filter((part) => part !== undefined).join('/');
}

/** The head that a key is about, if it is one of a head. */
export function headOf(key: string): string | undefined {
  if (itemOf(key) === undefined) return undefined;
  const last = key.split('/').at(-1) ?? '';
  return isSha(last) ? last : undefined;
}

export function isSha(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** A key as people read it: heads are cut short. */
export function shortKey(key: string): string {
  const head = headOf(key);
  return head ? `${key.slice(0, -head.length)}${head.slice(0, 7)}` : key;
}

/** The number in an item's key, if it is one. */
export function itemOf(key: string): number | undefined {
  const match = /^item-([1-9][0-9]{0,9})(?:\/|$)/.exec(key);
  return match ? Number(match[1]) : undefined;
}

/** What is wrong with a free-form key, as the end of a sentence that begins with the key; or nothing. */
export function freeKeyProblem(key: string): string | undefined {
  const reserved = RESERVED.find((prefix) => key.toLowerCase().startsWith(prefix));
  if (reserved === 'item-')
    return 'begins with "item-", which is kept for issues and pull requests: use "item"';
  if (reserved) return `begins with "${reserved}", which is reserved`;
  return keyProblem(key);
}

/** What makes a key unfit to be part of a ref's name; or nothing. Source: git-check-ref-format. */
export function keyProblem(key: string): string | undefined {
  if (Buffer.byteLength(entryRef(key, 1)) > LONGEST_REF) return 'is too long for the name of a ref';
  for (const part of key.split('/')) {
    const problem = partProblem(part);
    if (problem) return problem;
  }
  return undefined;
}

function partProblem(part: string): string | undefined {
  if (part === '') return 'has an empty part: no slash at either end, no two in a row';
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part)) {
    return 'may hold letters, digits, ".", "_", "-" and "/" only, each part beginning with a letter, a digit or "_"';
  }
  if (part.includes('..') || part.endsWith('.')) return 'has a part with ".." or a dot at its end';
  if (part.toLowerCase().endsWith('.lock')) return 'has a part that ends in ".lock"';
  if (SEQUENCE.test(part)) return 'has a part of exactly eight digits, which is the form of an entry';
  return undefined;
}

/** An agent's name from a login or a role: lower case, `[bot]` as `-bot`. */
export function agentName(text: string): string {
  return text.toLowerCase().replace(/\[bot\]$/, '-bot');
}

/** What is wrong with an agent's name, as the end of a sentence that begins with it; or nothing. */
export function agentProblem(agent: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(agent)) {
    return 'must be 1 to 63 of a-z, 0-9, ".", "_" and "-", beginning with a letter or a digit';
  }
  if (isSha(agent)) return "looks like a commit's sha";
  return partProblem(agent);
}

/** The ref of an entry. Sequences go from 1 to 99,999,999. */
export function entryRef(key: string, sequence: number): string {
  if (!Number.isInteger(sequence) || sequence < 1 || sequence > LARGEST_SEQUENCE) {
    throw new RangeError(`no entry of ${key} can have the sequence ${sequence}`);
  }
  return `${keyPrefix(key)}${String(sequence).padStart(8, '0')}`;
}

/** What all refs of a key's log begin with. It ends in a slash, so that `pr-1` never matches `pr-12`. */
export function keyPrefix(key: string): string {
  return `${ROOT}${key}/`;
}

/** The sequence of an entry's ref; nothing for a ref that isn't a direct eight-digit child of the key. */
export function sequenceOf(key: string, ref: string): number | undefined {
  const prefix = keyPrefix(key);
  if (!ref.startsWith(prefix)) return undefined;
  const rest = ref.slice(prefix.length);
  return SEQUENCE.test(rest) && rest !== '00000000' ? Number(rest) : undefined;
}

/** The key and the sequence of any entry's ref; nothing for other refs. */
export function entryOf(ref: string): { key: string; sequence: number } | undefined {
  const [, key] = /^refs\/claims\/(.+)\/[0-9]{8}$/.exec(ref) ?? [];
  const sequence = key && sequenceOf(key, ref);
  return key && sequence ? { key, sequence } : undefined;
}

/** A claim id names a key and the chain of its holders: `item-12@9f3c2a71b0d4e5f6`. */
export function claimId(key: string, chain: string): string {
  return `${key}@${chain}`;
}

export function parseClaimId(text: string): { key: string; chain: string } | undefined {
  const match = /^([A-Za-z0-9_][A-Za-z0-9._/-]*)@([0-9a-f]{16})$/.exec(text);
  const [, key, chain] = match ?? [];
  return key && chain && !keyProblem(key) ? { key, chain } : undefined;
}
