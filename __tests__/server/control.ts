import type { GitHubServer } from './server.js';
import type { World } from './world.js';

/** What a test may do to the host, and ask it, without a request. */
export function controlsOf({ repository, tracker, statuses, runs, git, ...world }: World) {
  const [owner = ''] = repository.split('/');
  const known = (number: number) => {
    const item = tracker.item(number);
    if (!item) throw new Error(`there is no #${number}`);
    return item;
  };
  return {
    clock: world.clock,
    lag: world.lag,
    addIssue: (issue) => void tracker.add(issue),
    closeIssue: (number, { merged = false, by = owner } = {}) => tracker.close(known(number), by, { merged }),
    reopenIssue: (number, { by = owner } = {}) => tracker.reopen(known(number), by),
    push: (number, sha) => tracker.push(known(number), sha),
    issue: (number) => structuredClone(known(number)),
    statuses: (sha) => structuredClone(statuses.of(sha)),
    addRun: (run) => runs.add(run),
    endJob: (id, conclusion, how) => runs.end(id, conclusion, how),
    cancelled: world.cancelled,
    refs: async (prefix = '') => new Map((await git.list(prefix)).map(({ name, sha }) => [name, sha])),
    log: (ref) => git.log(ref),
  } satisfies Partial<GitHubServer>;
}
