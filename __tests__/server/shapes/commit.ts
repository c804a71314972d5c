import type { CommitData, Signature } from '../git/commit.js';
import { isoTime, nodeId, placesOf, type World } from '../world.js';
import { accountShape } from './account.js';

export type Commit = CommitData & { sha: string };

/** A commit as the git database API shows it. */
export function gitCommitShape(world: World, commit: Commit) {
  const { api, html } = placesOf(world);
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    url: `${api}/git/commits/${commit.sha}`,
    html_url: `${html}/commit/${commit.sha}`,
    ...contentShape(world, commit),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/git/commits/${sha}`,
      html_url: `${html}/commit/${sha}`,
    })),
  };
}

/** A commit as the commits API shows it. */
export function commitShape(world: World, commit: Commit) {
  const { api, html } = placesOf(world);
  const url = `${api}/commits/${commit.sha}`;
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    url,
    html_url: `${html}/commit/${commit.sha}`,
    comments_url: `${url}/comments`,
    commit: { url: `${api}/git/commits/${commit.sha}`, ...contentShape(world, commit), comment_count: 0 },
    author: signerShape(world, commit.author),
    committer: signerShape(world, commit.committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/commits/${sha}`,
      html_url: `${html}/commit/${sha}`,
    })),
  };
}

function contentShape(world: World, { tree, author, committer, message }: Commit) {
  return {
    author: signatureShape(author),
    committer: signatureShape(committer),
    tree: { sha: tree, url: `${placesOf(world).api}/git/trees/${tree}` },
    message,
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}

function signatureShape({ name, email, seconds }: Signature) {
  return { name, email, date: isoTime(seconds * 1_000) };
}

function signerShape(world: World, signature: Signature) {
  const login = loginOf(signature);
  return login === undefined ? null : accountShape(world, login);
}

/** The account behind an address, as GitHub finds it by its own no-reply addresses. */
export function loginOf({ email }: Signature): string | undefined {
  return /^(?:\d+\+)?(.+)@users\.noreply\.github\.com$/.exec(email)?.[1];
}
