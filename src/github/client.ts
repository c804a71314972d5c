import { getOctokit } from '@actions/github';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import Bottleneck from 'bottleneck/light.js';
import type { Meter } from './meter.js';

type Octokit = ReturnType<typeof getOctokit>;

/** What the host says beside its answers isn't for the step's log. */
const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/** The repository that requests are about. */
export interface Repository {
  owner: string;
  repo: string;
}

export interface Client {
  /** For all that may safely be asked twice: retries failures and waits out limits. */
  patient: Octokit;
  /**
   * For creates and deletes of refs: the first answer counts, and at once. A layer that repeated the
   * request would hide that the first try acted; one that held it back would send an old decision.
   */
  direct: Octokit;
}

const USER_AGENT = 'claim-action';
const RETRIES_ON_A_LIMIT = 2;
/** Answers that asking again won't change; 409 is what an empty repository gets. */
const FINAL = [400, 401, 403, 404, 409, 410, 422, 451];

interface ClientOptions {
  token: string;
  /** `https://api.github.com`, or a GHES host's. */
  baseUrl: string;
  meter: Meter;
  /** How long a rate limit is waited out at most, milliseconds; beyond it the request fails. */
  patience: number;
}

/** Two octokits with one meter. */
export function createClient({ token, baseUrl, meter, patience }: ClientOptions): Client {
  const waitOut = (retryAfter: number, _options: object, _octokit: unknown, retries: number) =>
    retries < RETRIES_ON_A_LIMIT && retryAfter * 1_000 <= patience;
  const patient = getOctokit(
    token,
    {
      baseUrl,
      userAgent: USER_AGENT,
      log: SILENT,
      retry: { doNotRetry: FINAL, retries: patience < 30_000 ? 1 : 3 },
      throttle: {
        onRateLimit: waitOut,
        onSecondaryRateLimit: waitOut,
        // The plugin's own spacing of writes is a second; a commit that no ref points to needs none.
        write: new Bottleneck.Group({ maxConcurrent: 4 }),
      },
    },
    meter.plugin,
    retry,
    throttling,
  );
  const direct = getOctokit(token, { baseUrl, userAgent: USER_AGENT, log: SILENT }, meter.plugin);
  return { patient, direct };
}
