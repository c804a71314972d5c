import { RequestError } from '@octokit/request-error';
import { ClaimError } from '../engine/outcome.js';

/** Reads what GitHub says when it refuses, or doesn't answer. */

export interface Refusal {
  /** The answer's status; 0 where there was no answer. */
  status: number;
  /** The host's own words, in one line. */
  problem: string;
  /** Milliseconds, where a limit is the reason. */
  limit?: number;
  /** What the token lacks, as the host names it: `contents=write`. */
  permissions?: string;
}

const SHORTEST_WAIT = 1_000;
const UNSTATED_WAIT = 30_000;

/** What an error of a client says; errors of other kinds are thrown on. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof RequestError)) {
    if (error instanceof Error && error.name === 'AbortError')
      return { status: 0, problem: 'no answer in time' };
    throw error;
  }
  const { response } = error;
  if (!response) return { status: 0, problem: `no answer: ${short(error.message)}` };
  const headers = response.headers as Record<string, string | undefined>;
  const said = (response.data as { message?: unknown } | undefined)?.message;
  const message = typeof said === 'string' ? said : '';
  const limit = limitOf(error.status, headers, message);
  const permissions = headers['x-accepted-github-permissions'];
  return {
    status: error.status,
    problem: `HTTP ${error.status}${message && ` ${short(message)}`}`,
    ...(limit !== undefined && { limit }),
    ...(permissions && { permissions: short(permissions) }),
  };
}

/** Both statuses are in use for limits; a 403 is one only if it says so. */
function limitOf(
  status: number,
  headers: Record<string, string | undefined>,
  message: string,
): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const now = Date.parse(headers['date'] ?? '');
  const said = headers['retry-after'] ?? '';
  const after = /^[0-9]+$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - now;
  if (Number.isFinite(after)) return Math.max(after, SHORTEST_WAIT);
  if (/not accessible/i.test(message)) return undefined;
  const exhausted = headers['x-ratelimit-remaining'] === '0';
  if (exhausted) {
    const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1_000 - now;
    return Number.isFinite(reset) ? Math.max(reset, SHORTEST_WAIT) : UNSTATED_WAIT;
  }
  return status === 429 || /rate limit/i.test(message) ? UNSTATED_WAIT : undefined;
}

/**
 * The typed error for a refusal that is final, or that stayed after all retries.
 * @param doing what was being done, with the ref or item: `creating refs/claims/item-7/00000001`
 * @param needs the permission it takes: `contents: write`
 */
export function claimErrorOf(error: unknown, doing: string, needs: string): ClaimError {
  if (error instanceof ClaimError) return error;
  const refusal = refusalOf(error);
  const { status, problem, limit } = refusal;
  if (limit !== undefined) {
    const wait = Math.ceil(limit / 1_000);
    return new ClaimError(
      'rate-limited',
      `rate-limited: ${doing} failed (${problem}); run again in ${wait}s`,
      {
        retryAfter: limit,
        cause: error,
      },
    );
  }
  if (status === 401) {
    return new ClaimError(
      'auth-error',
      `auth-error: ${doing} failed: the token is not accepted (${problem}); check the input github-token`,
      { cause: error },
    );
  }
  if (status === 403 || status === 404) return forbidden(error, refusal, doing, needs);
  if (status === 409 && /empty/i.test(problem)) {
    return new ClaimError(
      'invalid-input',
      `invalid-input: ${doing} failed: the repository is empty; claims need one commit in it`,
      { cause: error },
    );
  }
  return new ClaimError('unavailable', `unavailable: ${doing} failed (${problem}); run again later`, {
    cause: error,
  });
}

function forbidden(
  error: unknown,
  { status, problem, permissions }: Refusal,
  doing: string,
  needs: string,
): ClaimError {
  const host = permissions ? `, the host asks for ${permissions}` : '';
  const hint =
    status === 403
      ? "a fork's pull_request run never has it"
      : 'a token that may not see the repository gets this answer too';
  return new ClaimError(
    'permission-denied',
    `permission-denied: ${doing} needs "${needs}" (${problem}${host}; ${hint})`,
    { cause: error },
  );
}

function short(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
}
