import type { Item } from '../state/item.js';
import { placesOf, type World } from '../world.js';
import { accountShape } from './account.js';
import { itemShape, timeOrNull } from './item.js';
import { repositoryShape } from './repository.js';

/**
 * @param base the sha of `main`
 * @param commits how many there are
 */
export function pullShape(world: World, item: Item, base: string, commits: number) {
  const { head = '', ref = '', mergedAt = null } = item.pull ?? {};
  const [owner = ''] = world.repository.split('/');
  const end = { user: accountShape(world, owner), repo: repositoryShape(world) };
  const merged = mergedAt !== null;
  return {
    ...itemShape(world, item),
    ...linksOf(world, item, head),
    draft: false,
    auto_merge: null,
    merged,
    merged_at: timeOrNull(mergedAt),
    merged_by: merged && item.closedBy !== null ? accountShape(world, item.closedBy) : null,
    merge_commit_sha: merged ? head : null,
    mergeable: null,
    mergeable_state: 'unknown',
    rebaseable: null,
    maintainer_can_modify: false,
    requested_reviewers: [],
    requested_teams: [],
    head: { label: `${owner}:${ref}`, ref, sha: head, ...end },
    base: { label: `${owner}:main`, ref: 'main', sha: base, ...end },
    review_comments: 0,
    commits,
    additions: 0,
    deletions: 0,
    changed_files: 0,
  };
}

/** Where everything about a pull request is, as fields and once more as `_links`. */
function linksOf(world: World, { number }: Item, head: string) {
  const { api, html } = placesOf(world);
  const self = `${api}/pulls/${number}`;
  const issue = `${api}/issues/${number}`;
  const page = `${html}/pull/${number}`;
  const others = {
    comments: `${issue}/comments`,
    commits: `${self}/commits`,
    statuses: `${api}/statuses/${head}`,
    issue,
    review_comments: `${self}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
  };
  const fields = Object.entries(others).map(([name, href]) => [`${name}_url`, href]);
  const links = Object.entries({ ...others, self, html: page }).map(([name, href]) => [name, { href }]);
  return {
    url: self,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    ...Object.fromEntries(fields),
    _links: Object.fromEntries(links),
  };
}
