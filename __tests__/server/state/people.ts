export type Association = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'NONE';

export interface PeopleOptions {
  /** Who can be assigned. Default: everybody but bots. */
  assignable?: string[];
  /** What happens where a bot that can't be assigned is: 403 for the whole request, or nothing. Default: refuse. */
  botAssignees?: 'refuse' | 'drop';
  /** Default: the owner is OWNER, who may write contents COLLABORATOR, bots and others NONE. */
  associations?: Record<string, Association>;
}

/** GitHub assigns ten at most. */
const MOST_ASSIGNEES = 10;

/** What accounts are to the repository. */
export class People {
  readonly #options: PeopleOptions;
  readonly #associations: Map<string, Association>;

  /** @param writers the logins that may write contents */
  constructor(owner: string, writers: string[], options: PeopleOptions) {
    const collaborators = writers.filter((login) => !isBot(login));
    this.#options = options;
    this.#associations = new Map<string, Association>([
      ...collaborators.map((login): [string, Association] => [login, 'COLLABORATOR']),
      [owner, 'OWNER'],
      ...Object.entries(options.associations ?? {}),
    ]);
  }

  associationOf(login: string): Association {
    return this.#associations.get(login) ?? 'NONE';
  }

  /** Who of `logins` can be assigned in addition to `assigned`; nothing where all of it is refused. */
  toAssign(logins: string[], assigned: string[]): string[] | undefined {
    const { botAssignees = 'refuse' } = this.#options;
    const refused = logins.some((login) => isBot(login) && !this.#isAssignable(login));
    if (refused && botAssignees === 'refuse') return undefined;
    const fresh = [...new Set(logins)].filter((login) => !assigned.includes(login));
    const possible = fresh.filter((login) => this.#isAssignable(login));
    return possible.slice(0, Math.max(MOST_ASSIGNEES - assigned.length, 0));
  }

  #isAssignable(login: string): boolean {
    return this.#options.assignable?.includes(login) ?? !isBot(login);
  }
}

export function isBot(login: string): boolean {
  return login.endsWith('[bot]');
}
