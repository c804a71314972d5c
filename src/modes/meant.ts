import { claimId, itemOf } from '../engine/key.js';
import { ClaimError } from '../engine/outcome.js';
import type { Handle, Handles } from '../ports.js';

/** Which claim a step of this job means, when it doesn't make one itself. */
export interface Meaning {
  /** The input `claim-id`. */
  claim?: { key: string; chain: string } | undefined;
  /** What the inputs `item` or `key` name: all of an item's keys, or one key. */
  named?: { item: number } | { key: string } | undefined;
  /** `CLAIM_ID` of the environment. */
  exported?: { key: string; chain: string } | undefined;
  /** `CLAIM_REQUIRED=1`: an earlier step of this job got no claim. */
  required: boolean;
}

export interface Meant {
  key: string;
  chain: string;
  /** What this job knows of it; nothing if the id comes from elsewhere. */
  handle: Handle | undefined;
}

/**
 * What was written in the step counts first; then the job's claim, if it has just one.
 * @returns nothing if this job holds no claim that could be meant
 */
export function findMeant(
  { claim, named, exported, required }: Meaning,
  handles: Handles,
): Meant | undefined {
  const all = handles.all();
  if (claim) return { ...claim, handle: all.find(({ chain }) => chain === claim.chain) };
  const candidates = all.filter(({ key }) => isNamed(key, named));
  const live = candidates.filter(isLive);
  if (live.length > 1) {
    const ids = live.map((handle) => claimId(handle.key, handle.chain)).join(' and ');
    throw new ClaimError(
      'invalid-input',
      `invalid-input: this job holds ${ids}: say which one is meant by "claim-id"`,
    );
  }
  if (exported && isNamed(exported.key, named)) {
    return { ...exported, handle: all.find(({ chain }) => chain === exported.chain) };
  }
  if (required && !named) return undefined;
  const [only] = live.length ? live : candidates;
  return only && { key: only.key, chain: only.chain, handle: only };
}

/** Whether the job may still have it: one that was never won is no claim. */
export function isLive({ own, pending, ended }: Handle): boolean {
  return !ended && (own !== undefined || pending !== undefined);
}

function isNamed(key: string, named: Meaning['named']): boolean {
  if (!named) return true;
  return 'key' in named ? key === named.key : itemOf(key) === named.item;
}
