import { Refusal } from './answers.js';

type Permission = 'contents' | 'issues' | 'pull_requests' | 'actions' | 'statuses';
type Level = 'read' | 'write';

/** What a route asks for, as GitHub names it in `x-accepted-github-permissions`. */
export type Need = `${Permission}=${Level}` | 'metadata=read';

/** Who a token belongs to, and what it may do. */
export interface Account {
  login: string;
  /** The name that stamps commits; the login if there is none. */
  name?: string;
  /** `write` includes `read`. */
  permissions: Partial<Record<Permission, Level>>;
  /** Whether `GET /user` is answered; a `GITHUB_TOKEN` gets 403. Default: true. */
  readsUser?: boolean;
}

export const FULL_WRITE: Account['permissions'] = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  actions: 'write',
  statuses: 'write',
};

/** Finds the account behind an `authorization` header; nothing for a token that isn't known. */
export function accountOf(tokens: ReadonlyMap<string, Account>, authorization = ''): Account | undefined {
  const [, token = ''] = /^(?:token|bearer) +(\S+)$/i.exec(authorization) ?? [];
  return tokens.get(token);
}

export function demand(account: Account, need: Need): void {
  if (!allows(account, need)) throw inaccessible();
}

/** What a token hears that exists, but lacks a permission. */
export function inaccessible(): Refusal {
  return new Refusal(403, 'Resource not accessible by integration');
}

function allows({ permissions }: Account, need: Need): boolean {
  // Whoever may see a repository may see that it is there.
  if (need === 'metadata=read') return true;
  const [permission, level] = need.split('=') as [Permission, Level];
  const granted = permissions[permission];
  return granted === 'write' || granted === level;
}
