import type { Account } from '../permissions.js';
import { nodeId, type World } from '../world.js';

/** What a query knows of its request. */
export interface Context {
  world: World;
  account: Account;
  /** The fields that were asked for and that nothing here answers: `Repository.issues`. */
  unanswered: string[];
}

export function repositoryId({ repository }: World): string {
  return nodeId('Repository', repository);
}
