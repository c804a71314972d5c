import { readFileSync } from 'node:fs';
import type { GraphQLScalarType, GraphQLSchema } from 'graphql';

/** GraphQL itself, and GitHub's schema. */
export interface Engine extends Pick<typeof import('graphql'), 'execute' | 'parse' | 'validate'> {
  schema: GraphQLSchema;
}

let engine: Promise<Engine> | undefined;

/** Opened with the first query: the schema is 60,000 lines long, and most tests never ask. */
export function openEngine(): Promise<Engine> {
  engine ??= load();
  return engine;
}

async function load(): Promise<Engine> {
  const { buildSchema, execute, parse, validate } = await import('graphql');
  const file = new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema'));
  const source = readFileSync(file, 'utf8');
  const schema = buildSchema(source, { noLocation: true, assumeValid: true, assumeValidSDL: true });
  restrict(schema, 'GitObjectID', /^[0-9a-f]{40}$/);
  restrict(schema, 'GitRefname', /^refs\/./);
  return { schema, execute, parse, validate };
}

/** The schema has the names of GitHub's own scalars only: by itself it takes anything for them. */
function restrict(schema: GraphQLSchema, name: string, pattern: RegExp): void {
  const type = schema.getType(name) as GraphQLScalarType;
  type.parseValue = (value) => {
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw new TypeError(`${name} can't be ${JSON.stringify(value)}`);
  };
  type.parseLiteral = (node) => type.parseValue('value' in node ? node.value : node.kind);
}
