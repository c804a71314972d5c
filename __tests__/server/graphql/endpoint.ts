import type { GraphQLError, GraphQLFieldResolver } from 'graphql';
import { notFound, Refusal } from '../answers.js';
import { type Call, fieldsOf, type Route } from '../routes/route.js';
import type { Context } from './context.js';
import { root } from './root.js';
import { openEngine } from './schema.js';

export const graphqlRoutes: Route[] = [
  {
    method: 'POST',
    path: '/graphql',
    needs: 'none',
    undescribed: true,
    async act(call) {
      if (!call.world.graphql) throw notFound();
      return { status: 200, body: await answer(call) };
    },
  },
];

/** What is wrong with a query is said with a status of 200, as all else is. */
async function answer({ world, account, body }: Call) {
  const { query, variables, operationName } = fieldsOf(body);
  if (typeof query !== 'string')
    throw new Refusal(400, 'A query attribute must be specified and must be a string.');
  const { schema, parse, validate, execute } = await openEngine();
  const document = attempt(() => parse(query));
  if ('errors' in document) return document;
  const errors = validate(schema, document);
  if (errors.length > 0) return { errors: errors.map(errorShape) };
  const context: Context = { world, account, unanswered: [] };
  const result = await execute({
    schema,
    document,
    rootValue: root,
    contextValue: context,
    fieldResolver: resolve,
    variableValues: fieldsOf(variables),
    ...(typeof operationName === 'string' && { operationName }),
  });
  const [unanswered] = context.unanswered;
  if (unanswered) throw new Error(`no query here asks for ${unanswered}`);
  return {
    ...(result.data !== undefined && { data: result.data }),
    ...(result.errors && { errors: result.errors.map(errorShape) }),
  };
}

function attempt<T>(parse: () => T): T | { errors: object[] } {
  try {
    return parse();
  } catch (error) {
    return { errors: [errorShape(error as GraphQLError)] };
  }
}

/** A field that isn't there is one that this server has no answer to; `null` would be a wrong one. */
const resolve: GraphQLFieldResolver<Record<string, unknown>, Context> = (source, args, context, info) => {
  const value = source[info.fieldName];
  if (value === undefined) context.unanswered.push(`${info.parentType.name}.${info.fieldName}`);
  return typeof value === 'function' ? value(args, context) : value;
};

const TYPES: Record<number, string> = { 403: 'FORBIDDEN', 404: 'NOT_FOUND', 422: 'UNPROCESSABLE' };

/** An error as GitHub shows it: its type is beside the message, not among the extensions. */
function errorShape({ message, locations, path, originalError }: GraphQLError) {
  const type = originalError instanceof Refusal ? TYPES[originalError.status] : undefined;
  return { ...(type && { type }), ...(path && { path }), ...(locations && { locations }), message };
}
