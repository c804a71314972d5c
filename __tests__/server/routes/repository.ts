import { inaccessible } from '../permissions.js';
import { nodeId, placesOf, userShape, type World } from '../world.js';
import { REPOSITORY, type Route } from './route.js';

export const repositoryRoutes: Route[] = [
  {
    method: 'GET',
    path: '/user',
    needs: 'none',
    act({ world, account }) {
      if (account.readsUser === false) throw inaccessible();
      return { status: 200, body: { ...userShape(world, account.login), name: account.name ?? null } };
    },
  },
  {
    method: 'GET',
    path: REPOSITORY,
    needs: 'metadata=read',
    act({ world, account }) {
      const push = account.permissions.contents === 'write';
      const permissions = { admin: false, maintain: false, push, triage: push, pull: true };
      return { status: 200, body: { ...repositoryShape(world), permissions } };
    },
  },
];

export function repositoryShape(world: World) {
  const [owner = '', name = ''] = world.repository.split('/');
  const { api, html } = placesOf(world);
  return {
    id: 1,
    node_id: nodeId('Repository', world.repository),
    name,
    full_name: world.repository,
    private: false,
    owner: userShape(world, owner),
    html_url: html,
    url: api,
    description: null,
    fork: false,
    archived: false,
    disabled: false,
    visibility: 'public',
    default_branch: 'main',
  };
}
