import type { ServerClock } from './clock.js';

/** A ref and what it pointed to before a change; nothing where it wasn't there. */
export interface Before {
  name: string;
  sha: string | undefined;
}

interface Ref {
  name: string;
  sha: string;
}

/**
 * How far reads are behind writes, which GitHub promises nothing about. All is in milliseconds of
 * the host's clock: a test may advance it instead of waiting. Known are the changes that went through
 * the API; what git was told directly is seen at once.
 */
export class Lag {
  /** A list of refs shows what was so long ago. */
  listing = 0;
  /** A commit can be read when it was made so long ago. */
  commits = 0;
  readonly #clock: ServerClock;
  readonly #past: (Before & { at: number })[] = [];
  readonly #underWay = new Set<Before[]>();
  readonly #made = new Map<string, number>();
  #frozen: number | undefined;

  constructor(clock: ServerClock) {
    this.#clock = clock;
  }

  /** From now on lists of refs show what is now, until it is released. */
  freeze(): () => void {
    this.#frozen = this.#past.length;
    return () => {
      this.#frozen = undefined;
    };
  }

  /** Notes that refs are being changed; to be told whether they were. */
  change(before: Before[]): (done: boolean) => void {
    this.#underWay.add(before);
    return (done) => {
      this.#underWay.delete(before);
      const at = this.#clock.now();
      if (done) this.#past.push(...before.map((each) => ({ ...each, at })));
    };
  }

  /** What a list shows, of the refs that there are now, in lexical order. */
  shown(refs: Ref[], prefix: string): Ref[] {
    if (this.listing === 0 && this.#frozen === undefined) return refs;
    const moment = this.#clock.now() - this.listing;
    const first = this.#past.findIndex(
      ({ at }, index) => at > moment || (this.#frozen !== undefined && index >= this.#frozen),
    );
    const later = first < 0 ? [] : this.#past.slice(first);
    const shown = new Map(refs.map(({ name, sha }) => [name, sha]));
    for (const { name, sha } of [...later, ...[...this.#underWay].flat()].reverse()) {
      if (sha === undefined) shown.delete(name);
      else if (name.startsWith(prefix)) shown.set(name, sha);
    }
    return [...shown].map(([name, sha]) => ({ name, sha })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Notes that a commit was made. */
  made(sha: string): void {
    if (!this.#made.has(sha)) this.#made.set(sha, this.#clock.now());
  }

  /** Whether a commit can't be read yet. */
  hides(sha: string): boolean {
    const made = this.#made.get(sha);
    return this.commits > 0 && made !== undefined && made > this.#clock.now() - this.commits;
  }
}
