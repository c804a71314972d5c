import { createHash } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

/** What a request is answered with; the headers that every answer has are added when it is sent. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** An answer that a handler gives by throwing it. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  get answer(): Answer {
    return failure(this.status, this.message, this.headers);
  }
}

/** GitHub's body of an error. */
export function failure(status: number, message?: string, headers: Record<string, string> = {}): Answer {
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
