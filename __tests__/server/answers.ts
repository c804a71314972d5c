import { createHash } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

/** What a request is answered with; the headers that every answer has are added when it is sent. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** What is wrong with a field of a request, as GitHub says it. */
export interface Problem {
  resource: string;
  field: string;
  code: 'missing_field' | 'invalid' | 'already_exists' | 'custom';
  message?: string;
}

/** An answer that a handler gives by throwing it. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly problems: Problem[] | undefined;

  constructor(status: number, message: string, headers: Record<string, string> = {}, problems?: Problem[]) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.problems = problems;
  }

  get answer(): Answer {
    const { status, body, headers } = failure(this.status, this.message, this.headers);
    return { status, body: { ...body, ...(this.problems && { errors: this.problems }) }, headers };
  }
}

/** GitHub's body of an error. */
export function failure(status: number, message?: string, headers: Record<string, string> = {}) {
  const body = {
    message: message ?? STATUS_CODES[status] ?? 'Error',
    documentation_url: 'https://docs.github.com/rest',
    status: String(status),
  };
  return { status, body, headers };
}

export function notFound(): Refusal {
  return new Refusal(404, 'Not Found');
}

export function invalid(
  resource: string,
  field: string,
  code: Problem['code'] = 'invalid',
  message?: string,
): Refusal {
  return new Refusal(422, 'Validation Failed', {}, [{ resource, field, code, ...(message && { message }) }]);
}

/**
 * Adds an entity tag to a successful read, and empties the answer where the client has that entity.
 * The tag varies with `Accept`, as GitHub's does: a client that changes it never gets a 304.
 */
export function conditional(answer: Answer, request: IncomingMessage): Answer {
  if (request.method !== 'GET' || answer.status !== 200) return answer;
  const { accept = '', 'if-none-match': known = '' } = request.headers;
  const digest = createHash('sha256')
    .update(`${accept}\n${JSON.stringify(answer.body)}`)
    .digest('hex');
  const headers = {
    ...answer.headers,
    etag: `W/"${digest}"`,
    'cache-control': 'private, max-age=60, s-maxage=60',
  };
  return known.includes(digest) ? { status: 304, headers } : { ...answer, headers };
}

/** Writes an answer. `headers` are those of the host; the answer's own win. */
export function send(response: ServerResponse, answer: Answer, headers: Record<string, string>): void {
  // Node would put this machine's time into `Date`; it has to be the host's.
  response.sendDate = false;
  const text = answer.body === undefined ? undefined : JSON.stringify(answer.body);
  const type = text === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(answer.status, { ...headers, ...type, ...answer.headers });
  response.end(text);
}
