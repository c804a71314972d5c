import { isoTime, nodeId, placesOf, type World } from '../world.js';
import { accountShape } from './account.js';

/** Where the parts of a repository are, below its own address: `<part>_url`. */
const PARTS = {
  archive: '/{archive_format}{/ref}',
  assignees: '/assignees{/user}',
  blobs: '/git/blobs{/sha}',
  branches: '/branches{/branch}',
  collaborators: '/collaborators{/collaborator}',
  comments: '/comments{/number}',
  commits: '/commits{/sha}',
  compare: '/compare/{base}...{head}',
  contents: '/contents/{+path}',
  contributors: '/contributors',
  deployments: '/deployments',
  downloads: '/downloads',
  events: '/events',
  forks: '/forks',
  git_commits: '/git/commits{/sha}',
  git_refs: '/git/refs{/sha}',
  git_tags: '/git/tags{/sha}',
  hooks: '/hooks',
  issue_comment: '/issues/comments{/number}',
  issue_events: '/issues/events{/number}',
  issues: '/issues{/number}',
  keys: '/keys{/key_id}',
  labels: '/labels{/name}',
  languages: '/languages',
  merges: '/merges',
  milestones: '/milestones{/number}',
  notifications: '/notifications{?since,all,participating}',
  pulls: '/pulls{/number}',
  releases: '/releases{/id}',
  stargazers: '/stargazers',
  statuses: '/statuses/{sha}',
  subscribers: '/subscribers',
  subscription: '/subscription',
  tags: '/tags',
  teams: '/teams',
  trees: '/git/trees{/sha}',
};

/** The id of the one repository that there is. */
const REPOSITORY_ID = 1;

/** The repository as it's named within other things. */
export function minimalRepositoryShape(world: World) {
  const [owner = '', name = ''] = world.repository.split('/');
  const { api, html } = placesOf(world);
  return {
    id: REPOSITORY_ID,
    node_id: nodeId('Repository', world.repository),
    name,
    full_name: world.repository,
    private: false,
    owner: accountShape(world, owner),
    html_url: html,
    description: null,
    fork: false,
    url: api,
    ...Object.fromEntries(Object.entries(PARTS).map(([part, path]) => [`${part}_url`, api + path])),
  };
}

export function repositoryShape(world: World) {
  const { html } = placesOf(world);
  const createdAt = isoTime(world.createdAt);
  return {
    ...minimalRepositoryShape(world),
    git_url: `${html.replace(/^http/, 'git')}.git`,
    ssh_url: `git@127.0.0.1:${world.repository}.git`,
    clone_url: `${html}.git`,
    svn_url: html,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    topics: [],
    default_branch: 'main',
    visibility: 'public',
    archived: false,
    disabled: false,
    is_template: false,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    open_issues: 0,
    open_issues_count: 0,
    size: 0,
    created_at: createdAt,
    updated_at: createdAt,
    pushed_at: createdAt,
  };
}

/** The repository as its own address shows it. */
export function fullRepositoryShape(world: World, push: boolean) {
  const permissions = { admin: false, maintain: false, push, triage: push, pull: true };
  return { ...repositoryShape(world), subscribers_count: 0, network_count: 0, permissions };
}
