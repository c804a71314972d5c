import { Refusal } from '../answers.js';
import { NOTHING } from '../git/repository.js';
import { demand } from '../permissions.js';
import type { World } from '../world.js';
import { type Context, repositoryId } from './context.js';

interface RefUpdate {
  name: string;
  afterOid: string;
  beforeOid?: string | null;
  force?: boolean | null;
}

interface Input {
  repositoryId: string;
  refUpdates: RefUpdate[];
  clientMutationId?: string | null;
}

/** Changes all of the refs, or none of them: one transaction of git. */
export async function updateRefs({ input }: { input: Input }, { world, account }: Context) {
  const { refUpdates, clientMutationId = null } = input;
  if (input.repositoryId !== repositoryId(world)) {
    throw new Refusal(404, `Could not resolve to a node with the global id of '${input.repositoryId}'.`);
  }
  demand(account, 'contents=write');
  const refs = new Map((await world.git.list('refs/')).map(({ name, sha }) => [name, sha]));
  await Promise.all(refUpdates.map((update) => check(world, refs.get(update.name), update)));
  const changes = refUpdates.map(({ name, afterOid, beforeOid }) => ({
    name,
    to: afterOid,
    ...(beforeOid && { from: beforeOid }),
  }));
  if (!(await world.git.change(...changes))) throw new Refusal(422, 'Reference update failed');
  return { clientMutationId };
}

/** Refuses what git itself would let pass. */
async function check({ git }: World, now: string | undefined, update: RefUpdate): Promise<void> {
  const { name, afterOid, beforeOid, force } = update;
  const deletes = afterOid === NOTHING;
  if (!deletes && !(await git.typeOf(afterOid))) throw new Refusal(422, `Object does not exist: ${afterOid}`);
  if (deletes && !now && beforeOid !== NOTHING) throw new Refusal(422, `Reference does not exist: ${name}`);
  const mayGoBack = force || !name.startsWith('refs/heads/');
  if (now && !deletes && !mayGoBack && !(await git.isAncestor(now, afterOid))) {
    throw new Refusal(422, `Update is not a fast forward: ${name}`);
  }
}
