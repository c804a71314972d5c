import type { Signature } from '../git/commit.js';
import { readable } from '../routes/commits.js';
import { type Commit, loginOf } from '../shapes/commit.js';
import { isoTime, nodeId, type World } from '../world.js';

/** The commit of a name; null where there is none, or where it can't be read yet. */
export async function objectOf(world: World, name: string) {
  const commit = await readable(world, name);
  return commit ? commitNode(world, commit) : null;
}

function commitNode(world: World, { sha, message, author, committer, parents, tree }: Commit): object {
  return {
    __typename: 'Commit',
    id: nodeId('Commit', sha),
    oid: sha,
    message,
    messageHeadline: message.split('\n', 1)[0],
    authoredDate: dateOf(author),
    committedDate: dateOf(committer),
    author: actorNode(author),
    committer: actorNode(committer),
    tree: { __typename: 'Tree', oid: tree },
    parents: ({ first = parents.length }: { first?: number }) => ({
      totalCount: parents.length,
      nodes: () => Promise.all(parents.slice(0, first).map((parent) => objectOf(world, parent))),
    }),
  };
}

function actorNode(signature: Signature) {
  const { name, email } = signature;
  const login = loginOf(signature);
  const user = login === undefined ? null : { __typename: 'User', login };
  return { __typename: 'GitActor', name, email, date: dateOf(signature), user };
}

function dateOf({ seconds }: Signature): string {
  return isoTime(seconds * 1_000);
}
