import { readFileSync, writeFileSync } from 'node:fs';
import { routes } from '../router.js';
import { type Description, operationOf, SUBSET, type Subset } from './subset.js';

/**
 * Takes from GitHub's OpenAPI description what the routes here answer with, and writes it to
 * `subset.json`. To be run again when a route was added, or GitHub's description has changed:
 *
 *     npm pack @octokit/openapi && tar -xzf octokit-openapi-*.tgz
 *     node build/__tests__/server/openapi/extract.js package/generated/api.github.com.json
 */

type Json = Record<string, unknown>;

const KEPT = ['type', 'required', 'enum', 'format', 'additionalProperties', '$ref'];
const FORMATS = ['uri', 'date-time', 'email'];
const COMPONENT = '#/components/schemas/';

/** Whole things within others that the server never gives: left out where they are optional, as each takes its time to compile. */
const LEFT_OUT = new Set([
  ...['repository', 'nullable-repository', 'security-and-analysis', 'diff-entry', 'pull-request-stack'],
  ...['code-of-conduct', 'code-of-conduct-simple', 'issue-type', 'issue-field-value', 'reaction-rollup'],
  ...['sub-issues-summary', 'issue-dependencies-summary', 'nullable-issue-comment'],
  ...['nullable-pinned-issue-comment', 'nullable-issue-comment-minimized', 'nullable-issue-event-intent'],
  'referenced-workflow',
]);

/** The kinds of events that it gives, of more than thirty. */
const EVENTS = new Set([
  ...['labeled-issue-event', 'unlabeled-issue-event', 'renamed-issue-event', 'state-change-issue-event'],
  ...['timeline-assigned-issue-event', 'timeline-unassigned-issue-event', 'timeline-comment-event'],
  ...['timeline-committed-event', 'timeline-cross-referenced-event'],
]);

/** A schema without what is for people only, in the words of JSON Schema instead of OpenAPI 3.0. */
function toSchema(node: Json, closed = true): Json {
  const schema: Json = Object.fromEntries(Object.entries(node).filter(([keyword]) => KEPT.includes(keyword)));
  if (!FORMATS.includes(String(node['format']))) delete schema['format'];
  if (node['items']) schema['items'] = toSchema(node['items'] as Json);
  // The parts of a whole each have fields that the others don't know.
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    const parts = node[keyword] as Json[] | undefined;
    if (!parts) continue;
    const kept = keyword === 'anyOf' ? parts.filter((part) => !isLeftOut(part)) : parts;
    schema[keyword] = kept.map((part) => toSchema(part, closed && keyword !== 'allOf'));
  }
  if (node['properties']) {
    const required = (node['required'] ?? []) as string[];
    const properties = Object.entries(node['properties'] as Record<string, Json>).filter(
      ([name, each]) => required.includes(name) || !isLeftOut(each),
    );
    schema['properties'] = Object.fromEntries(properties.map(([name, each]) => [name, toSchema(each)]));
    // A field that GitHub doesn't have is a mistake, too.
    if (closed) schema['additionalProperties'] ??= false;
  }
  return node['nullable'] === true ? orNull(schema) : schema;
}

function orNull(schema: Json): Json {
  if (!schema['type']) return { anyOf: [schema, { type: 'null' }] };
  const values = schema['enum'] as unknown[] | undefined;
  return { ...schema, type: [schema['type'], 'null'], ...(values && { enum: [...values, null] }) };
}

function isLeftOut(node: Json): boolean {
  return namesIn(node).some((name) => LEFT_OUT.has(name) || (name.endsWith('-event') && !EVENTS.has(name)));
}

/** A field of the status is in GitHub's errors, but not in its description of them. */
function isOpen(name: string): boolean {
  return name.endsWith('-error');
}

function namesIn(schema: unknown): string[] {
  const text = JSON.stringify(schema ?? null);
  return [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);
}

function extract(description: Description): Subset {
  const known = new Map(Object.entries(description.paths).map(([path, methods]) => [bare(path), methods]));
  const operations = routes
    .filter((route) => !route.undescribed)
    .map((route) => {
      const operation = known.get(bare(route.path))?.[route.method.toLowerCase()];
      if (!operation) throw new Error(`GitHub has no ${operationOf(route)}`);
      const answers = Object.entries(operation.responses).map(([status, response]) => {
        const { content } = response.$ref ? at(description, response.$ref) : response;
        const schema = content?.['application/json']?.schema;
        return [status, schema ? toSchema(schema) : null];
      });
      return [operationOf(route), Object.fromEntries(answers)];
    });
  const schemas: Record<string, Json> = {};
  const wanted = [...namesIn(operations), 'basic-error'];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (schemas[name]) continue;
    schemas[name] = toSchema(at(description, COMPONENT + name), !isOpen(name));
    wanted.push(...namesIn(schemas[name]));
  }
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return { operations: Object.fromEntries(operations), components: { schemas: Object.fromEntries(sorted) } };
}

/** A path whose placeholders have no names: they differ between GitHub's description and the routes. */
function bare(path: string): string {
  return path.replace(/\{\w+\}|[:*]\w+/g, '{}');
}

// biome-ignore lint/suspicious/noExplicitAny: what a reference leads to may be anything
function at(description: Description, reference: string): any {
  const steps = reference.slice('#/'.length).split('/');
  return steps.reduce((node: unknown, step) => (node as Json)[step], description);
}

/** One schema a line, so that a change of one is a change of one line. */
function print({ operations, components }: Subset): string {
  const lines = (entries: object) =>
    Object.entries(entries)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n');
  return `{"operations": {\n${lines(operations)}\n},\n"components": {"schemas": {\n${lines(components.schemas)}\n}}}\n`;
}

const [source = ''] = process.argv.slice(2);
writeFileSync(SUBSET, print(extract(JSON.parse(readFileSync(source, 'utf8')) as Description)));
