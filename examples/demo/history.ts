import { must } from '../../__tests__/server/git/run.js';
import type { GitHubServer } from '../../__tests__/server/server.js';

/** The log of a key as git shows it. */

interface Entry {
  /** Eight digits. */
  sequence: string;
  /** Abbreviated. */
  sha: string;
  subject: string;
  /** By name, without their `Claim-`. */
  trailers: ReadonlyMap<string, string>;
}

/** The sequence of a key's newest entry, as its ref has it; empty where there is none. */
export async function newestOf(server: GitHubServer, key: string): Promise<string> {
  return sequences(await server.refs(`refs/claims/${key}/`)).at(-1)?.[0] ?? '';
}

/** All entries of a key, newest first: each commit's parent is the entry before it. */
export async function historyOf(server: GitHubServer, key: string): Promise<Entry[]> {
  const refs = sequences(await server.refs(`refs/claims/${key}/`));
  const newest = refs.at(-1)?.[1];
  if (!newest) return [];
  const bySha = new Map(refs.map(([sequence, sha]) => [sha, sequence]));
  const text = await must(server.directory, ['log', '-z', '--format=%H%n%h%n%s%n%(trailers)', newest]);
  return text
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const [full = '', sha = '', subject = '', ...lines] = record.trim().split('\n');
      const trailers = lines.map(
        (line) => line.replace(/^Claim-/, '').split(/: (.*)/, 2) as [string, string],
      );
      return { sequence: bySha.get(full) ?? '', sha, subject, trailers: new Map(trailers) };
    });
}

/** How many different holders a history has. */
export function holdersOf(entries: Entry[]): number {
  return new Set(entries.map(({ trailers }) => trailers.get('Holder'))).size;
}

/** Two lines for people: what happened, and who held the key since when and for how long at most. */
export function shown({ sequence, sha, subject, trailers }: Entry): [what: string, who: string] {
  const since = trailers.get('Since')?.replace(/^.*T|\.\d+/g, '');
  const facts = [
    `generation ${trailers.get('Generation')}`,
    `holder ${trailers.get('Holder')}`,
    `ttl ${trailers.get('Ttl')}s`,
    ...(since ? [`since ${since}`] : []),
  ];
  return [`${sequence}  ${sha}  ${subject}`, facts.join(', ')];
}

function sequences(refs: Map<string, string>): [sequence: string, sha: string][] {
  return [...refs]
    .map(([name, sha]): [string, string] => [name.slice(name.lastIndexOf('/') + 1), sha])
    .sort(([a], [b]) => a.localeCompare(b));
}
