import type { Answer } from '../answers.js';
import type { Account, Need } from '../permissions.js';
import type { World } from '../world.js';

/** A request that may be carried out: its token is known. */
export interface Call {
  world: World;
  account: Account;
  params: Record<string, string>;
  /** The parsed JSON; `undefined` without a body. */
  body: unknown;
}

export interface Route {
  method: string;
  /** `:name` is one segment, `*name` is all that is left, slashes included. */
  path: string;
  needs: Need | 'none';
  /** Whether an empty repository answers with 409. */
  needsHistory?: boolean;
  act(call: Call): Answer | Promise<Answer>;
}

/** Where all that belongs to a repository lives. */
export const REPOSITORY = '/repos/:owner/:repo';

/** The fields of a JSON body, each still to be looked at. */
export function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
