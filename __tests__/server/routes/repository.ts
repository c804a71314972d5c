import { inaccessible } from '../permissions.js';
import { ownShape } from '../shapes/account.js';
import { fullRepositoryShape } from '../shapes/repository.js';
import { REPOSITORY, type Route } from './route.js';

export const repositoryRoutes: Route[] = [
  {
    method: 'GET',
    path: '/user',
    needs: 'none',
    act({ world, account }) {
      if (account.readsUser === false) throw inaccessible();
      return { status: 200, body: ownShape(world, account) };
    },
  },
  {
    method: 'GET',
    path: REPOSITORY,
    needs: 'metadata=read',
    act: ({ world, account }) => ({
      status: 200,
      body: fullRepositoryShape(world, account.permissions.contents === 'write'),
    }),
  },
];
