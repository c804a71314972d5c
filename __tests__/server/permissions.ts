import { Refusal } from './answers.js';

type Permission = 'contents' | 'issues' | 'pull_requests' | 'actions' | 'statuses';
type Level = 'read' | 'write';

/**
 * What a route asks for. `item` is `issues`, or where it isn't about an issue `pull_requests`.
 * Source: "Permissions required for GitHub Apps" of GitHub's REST documentation.
 */
export type Need = `${Permission | 'item'}=${Level}` | 'metadata=read';

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

/** The permissions of which one is enough, as GitHub names them in `x-accepted-github-permissions`. */
export function accepted(need: Need): string {
  return alternatives(need, false).join('; ');
}

/** @param onIssue whether it's about an issue that is no pull request */
export function demand(account: Account, need: Need, onIssue = false): void {
  if (!alternatives(need, onIssue).some((each) => allows(account, each))) throw inaccessible();
}

function alternatives(need: Need, onIssue: boolean): string[] {
  const [, level] = /^item=(.*)$/.exec(need) ?? [];
  if (!level) return [need];
  return onIssue ? [`issues=${level}`] : [`issues=${level}`, `pull_requests=${level}`];
}

/** What a token hears that exists, but lacks a permission. */
export function inaccessible(): Refusal {
  return new Refusal(403, 'Resource not accessible by integration');
}

function allows({ permissions }: Account, need: string): boolean {
  // Whoever may see a repository may see that it is there.
  if (need === 'metadata=read') return true;
  const [permission, level] = need.split('=') as [Permission, Level];
  const granted = permissions[permission];
  return granted === 'write' || granted === level;
}
