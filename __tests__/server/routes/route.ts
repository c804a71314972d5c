import { type Answer, invalid } from '../answers.js';
import type { Account, Need } from '../permissions.js';
import type { World } from '../world.js';

/** A request that may be carried out: its token is known. */
export interface Call {
  world: World;
  account: Account;
  params: Record<string, string>;
  /** The address that was asked, without the query. */
  url: string;
  query: URLSearchParams;
  /** The parsed JSON; `undefined` without a body. */
  body: unknown;
}

export interface Route {
  method: string;
  /** `:name` is one segment, `*name` is all that is left, slashes included. */
  path: string;
  needs: Need | 'none';
  /** The parameters of the query that it heeds; any other one would be a wish not granted. */
  query?: readonly string[];
  /** Whether an empty repository answers with 409. */
  needsHistory?: boolean;
  /** Whether GitHub's REST description doesn't have it. */
  undescribed?: boolean;
  act(call: Call): Answer | Promise<Answer>;
}

/** The parameters of a list that comes in pages. */
export const PAGES = ['per_page', 'page'] as const;

/** Where all that belongs to a repository lives. */
export const REPOSITORY = '/repos/:owner/:repo';

/** The fields of a JSON body, each still to be looked at. */
export function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

/** The moment from which on things are asked for, epoch milliseconds; the beginning of time by default. */
export function sinceOf(query: URLSearchParams): number {
  const since = Date.parse(query.get('since') ?? '1970-01-01');
  if (Number.isNaN(since)) throw invalid('Issue', 'since');
  return since;
}
