import { Refusal } from '../answers.js';
import { demand } from '../permissions.js';
import { objectOf } from './commit.js';
import { type Context, repositoryId } from './context.js';
import { updateRefs } from './refs.js';

/** The fields of a query and of a mutation. */
export const root = { repository, updateRefs };

function repository({ owner, name }: { owner: string; name: string }, { world, account }: Context) {
  if (`${owner}/${name}`.toLowerCase() !== world.repository.toLowerCase()) {
    throw new Refusal(404, `Could not resolve to a Repository with the name '${owner}/${name}'.`);
  }
  return {
    __typename: 'Repository',
    id: repositoryId(world),
    nameWithOwner: world.repository,
    object({ oid, expression }: { oid?: string; expression?: string }) {
      demand(account, 'contents=read');
      return objectOf(world, oid ?? expression ?? '');
    },
  };
}
