import { notFound } from '../answers.js';
import { REPOSITORY, type Route } from './route.js';

export const actionsRoutes: Route[] = [
  {
    method: 'POST',
    path: `${REPOSITORY}/actions/runs/:id/cancel`,
    needs: 'actions=write',
    act({ world, params: { id = '' } }) {
      if (!/^\d+$/.test(id)) throw notFound();
      world.cancelled.push(Number(id));
      return { status: 202, body: {} };
    },
  },
];
