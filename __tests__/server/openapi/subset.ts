/** What was taken from GitHub's OpenAPI description, in a file beside the sources. */
export const SUBSET = '__tests__/server/openapi/subset.json';

type Schema = Record<string, unknown>;

export interface Subset {
  /** By `GET /repos/:owner/:repo`, then by status; `null` where an answer has no body. */
  operations: Record<string, Record<string, Schema | null>>;
  components: { schemas: Record<string, Schema> };
}

/** GitHub's description, as far as it is read here. */
export interface Description {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
}

export function operationOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`;
}
