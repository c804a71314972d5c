import { invalid } from '../answers.js';
import { commentShape } from '../shapes/item.js';
import { commentOf, itemOf } from './item.js';
import { pageOf } from './pages.js';
import { type Call, fieldsOf, PAGES, REPOSITORY, type Route, sinceOf } from './route.js';

const LONGEST_BODY = 65_536;
const COMMENT = `${REPOSITORY}/issues/comments/:comment`;

export const commentRoutes: Route[] = [
  {
    method: 'GET',
    path: `${REPOSITORY}/issues/:number/comments`,
    needs: 'item=read',
    query: [...PAGES, 'since'],
    act(call) {
      const item = itemOf(call);
      const since = sinceOf(call.query);
      const { items, headers } = pageOf(
        call,
        item.comments.filter(({ updatedAt }) => updatedAt >= since),
      );
      return { status: 200, body: items.map((each) => commentShape(call.world, item, each)), headers };
    },
  },
  {
    method: 'POST',
    path: `${REPOSITORY}/issues/:number/comments`,
    needs: 'item=write',
    act(call) {
      const { world, account } = call;
      const item = itemOf(call);
      const shape = commentShape(world, item, world.tracker.write(item, textOf(call), account.login));
      return { status: 201, body: shape, headers: { location: shape.url } };
    },
  },
  {
    method: 'GET',
    path: COMMENT,
    needs: 'item=read',
    act(call) {
      const { item, comment } = commentOf(call);
      return { status: 200, body: commentShape(call.world, item, comment) };
    },
  },
  {
    method: 'PATCH',
    path: COMMENT,
    needs: 'item=write',
    act(call) {
      const { world, account } = call;
      const { item, comment } = commentOf(call);
      world.tracker.rewrite(item, comment, textOf(call), account.login);
      return { status: 200, body: commentShape(world, item, comment) };
    },
  },
  {
    method: 'DELETE',
    path: COMMENT,
    needs: 'item=write',
    act(call) {
      const { item, comment } = commentOf(call);
      call.world.tracker.erase(item, comment);
      return { status: 204 };
    },
  },
];

function textOf({ body }: Call): string {
  const { body: text } = fieldsOf(body);
  if (typeof text !== 'string' || text.trim() === '') throw invalid('IssueComment', 'body', 'missing_field');
  if (text.length > LONGEST_BODY) {
    throw invalid(
      'IssueComment',
      'body',
      'custom',
      `Body is too long (maximum is ${LONGEST_BODY} characters)`,
    );
  }
  return text;
}
