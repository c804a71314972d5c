import { invalid, notFound, Refusal } from '../answers.js';
import { combinedShape, statusShape } from '../shapes/status.js';
import { STATES, type Status } from '../state/statuses.js';
import type { World } from '../world.js';
import { commitOf } from './commits.js';
import { pageOf } from './pages.js';
import { type Call, fieldsOf, PAGES, REPOSITORY, type Route } from './route.js';

const LONGEST_DESCRIPTION = 140;

export const statusRoutes: Route[] = [
  {
    method: 'POST',
    path: `${REPOSITORY}/statuses/:sha`,
    needs: 'statuses=write',
    act: createStatus,
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/commits/*ref/status`,
    needs: 'statuses=read',
    query: PAGES,
    async act(call) {
      const { world } = call;
      const sha = await knownSha(call);
      const statuses = world.statuses.latestOf(sha);
      const { items, headers } = pageOf(call, statuses);
      return { status: 200, body: combinedShape(world, sha, statuses, items), headers };
    },
  },
  {
    method: 'GET',
    path: `${REPOSITORY}/commits/*ref/statuses`,
    needs: 'statuses=read',
    query: PAGES,
    async act(call) {
      const { world } = call;
      const { items, headers } = pageOf(call, world.statuses.of(await knownSha(call)));
      return { status: 200, body: items.map((status) => statusShape(world, status)), headers };
    },
  },
];

async function createStatus({ world, account, params, body }: Call) {
  const { state, context = 'default', description = null, target_url: targetUrl = null } = fieldsOf(body);
  const sha = await shaOf(world, params['sha']);
  if (!sha) throw new Refusal(422, `No commit found for SHA: ${params['sha']}`);
  if (!STATES.includes(state as Status['state'])) throw invalid('Status', 'state');
  if (typeof context !== 'string' || context === '') throw invalid('Status', 'context');
  if (!isTextOrNull(description)) throw invalid('Status', 'description');
  if (!isTextOrNull(targetUrl)) throw invalid('Status', 'target_url');
  if (description !== null && description.length > LONGEST_DESCRIPTION) {
    const message = `description is too long (maximum is ${LONGEST_DESCRIPTION} characters)`;
    throw invalid('Status', 'description', 'custom', message);
  }
  const given = { sha, state: state as Status['state'], context, description, targetUrl };
  const shape = statusShape(world, world.statuses.add({ ...given, creator: account.login }));
  return { status: 201, body: shape, headers: { location: shape.url } };
}

/** The commit of a name; a pull request's head counts even where git doesn't know it. */
async function shaOf(world: World, name = ''): Promise<string | undefined> {
  return isHead(world, name) ? name : (await commitOf(world, name))?.sha;
}

async function knownSha({ world, params }: Call): Promise<string> {
  const sha = await shaOf(world, params['ref']);
  if (!sha) throw notFound();
  return sha;
}

function isHead({ tracker }: World, sha: string): boolean {
  return tracker.all().some(({ pull }) => pull?.head === sha);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
