import * as core from '@actions/core';
import { isoTime } from './engine/entry.js';
import { claimId, entryRef, headOf, itemOf } from './engine/key.js';
import { ENDINGS } from './engine/outcome.js';
import { expiresAt, isHeld } from './engine/state.js';
import type { RequestLine } from './github/meter.js';
import type { Report } from './modes/world.js';

/** From a report to what the workflow and its reader get: outputs, variables, the log, the exit code. */

export const OUTPUTS = [
  'claimed',
  'owned',
  'outcome',
  'reason',
  'message',
  'claim-id',
  'key',
  'ref',
  'generation',
  'holder',
  'holder-url',
  'signal',
  'expires-at',
  'number',
  'title',
  'url',
  'head',
  'retry-after',
  'requests',
  'result',
] as const;
type Values = Record<(typeof OUTPUTS)[number], string>;

/** The version of the output `result`. */
const RESULT_VERSION = 1;

export function setOutputs(report: Report, requests: number): void {
  const values = outputsOf(report, requests);
  for (const name of OUTPUTS) core.setOutput(name, values[name]);
}

/** All outputs; empty where there is nothing to say. `claimed` and `owned` are never the truthy string false. */
export function outputsOf(report: Report, requests: number): Values {
  const { outcome, message, reason = '', key = '', chain, tail, item, now, retryAfter } = report;
  const { owned } = ENDINGS[outcome];
  const held = tail && isHeld(tail.entry) ? tail : undefined;
  const number = item?.number ?? itemOf(key);
  const values = {
    claimed: owned ? 'true' : '',
    owned: owned ? 'true' : '',
    outcome,
    reason,
    message,
    'claim-id': key && chain ? claimId(key, chain) : '',
    key,
    ref: tail && key ? entryRef(key, tail.sequence) : '',
    generation: tail ? String(tail.entry.generation) : '',
    holder: held ? held.entry.holder : '',
    'holder-url': held ? held.entry.process.run : '',
    signal: outcome === 'held' ? 'claim' : '',
    'expires-at': held ? isoTime(expiresAt(held)) : '',
    number: number === undefined ? '' : String(number),
    title: item?.title ?? '',
    url: item?.url ?? '',
    head: item?.head ?? headOf(key) ?? '',
    'retry-after': retryAfter === undefined ? '' : String(Math.ceil(retryAfter / 1_000)),
    requests: String(requests),
  };
  const expired = held && now !== undefined ? now >= expiresAt(held) : false;
  return { ...values, result: JSON.stringify(resultOf(values, owned, held?.entry.agent ?? null, expired)) };
}

function resultOf(
  values: Omit<Values, 'result'>,
  owned: boolean,
  claimedBy: string | null,
  expired: boolean,
) {
  const entries = Object.entries(values).map(([name, value]) => [name.replaceAll('-', '_'), value || null]);
  const numbers = ['generation', 'number', 'retry_after', 'requests'] as const;
  const result: Record<string, unknown> = Object.fromEntries(entries);
  for (const name of numbers) if (typeof result[name] === 'string') result[name] = Number(result[name]);
  return { version: RESULT_VERSION, ...result, claimed: owned, owned, claimed_by: claimedBy, expired };
}

/** Tells the job's later steps which claim they have, or that they must have one and don't. */
export function exportClaim({ outcome, key, chain }: Report): void {
  const id = ENDINGS[outcome].owned && key && chain ? claimId(key, chain) : '';
  core.exportVariable('CLAIM_ID', id);
  core.exportVariable('CLAIM_REQUIRED', id ? '' : '1');
}

/** One line for the outcome, red or not; red sets the exit code as well. */
export function tell({ outcome, message }: Report, requests: number, red: boolean): void {
  if (red) {
    core.error(message);
    // Not process.exit: answers may still be under way, and output files half written.
    process.exitCode = ENDINGS[outcome].exit;
  } else {
    core.info(requests === 0 ? message : `${message}; ${counted(requests)}`);
  }
}

/** What a step that goes on without a claim says about the steps after it. */
export function tellToGuard(env: Record<string, string | undefined>): void {
  const id = env['GITHUB_ACTION'];
  const step = id && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(id) && !id.startsWith('__') ? id : '<id of this step>';
  core.notice(
    `The job goes on without the claim. Later steps that need it: if: steps.${step}.outputs.claimed == 'true'`,
  );
}

function counted(requests: number): string {
  return `${requests} ${requests === 1 ? 'request' : 'requests'}`;
}

/** Every request that was made, folded away. */
export function listRequests(lines: RequestLine[]): void {
  if (lines.length === 0) return;
  core.startGroup(counted(lines.length));
  for (const { method, path, status, milliseconds, left } of lines) {
    const answer = status === 0 ? 'no answer' : String(status);
    core.info(`${method} ${path} → ${answer}, ${milliseconds} ms${left && `, limit left ${left}`}`);
  }
  core.endGroup();
}
