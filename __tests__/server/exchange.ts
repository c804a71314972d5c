import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, conditional, failure, notFound, Refusal, send } from './answers.js';
import type { Faults, RequestRecord } from './faults.js';
import { exhausted, type Limits, resourceOf } from './limits.js';
import type { Contract } from './openapi/contract.js';
import { operationOf } from './openapi/subset.js';
import { type Account, accepted, accountOf } from './permissions.js';
import { find, perform } from './router.js';
import type { World } from './world.js';

/** What a request meets on its way. */
export interface Passage {
  world: World;
  tokens: ReadonlyMap<string, Account>;
  faults: Faults;
  limits: Limits;
  requests: RequestRecord[];
  contract: Contract;
  /** What a test makes of an answer before it is checked. */
  revise(answer: Answer, request: RequestRecord): Answer;
  /** How long request and answer are on their way together, milliseconds. */
  delay(): number;
  wait(milliseconds: number): Promise<void>;
}

/** Takes one request from its arrival to its answer, or to the broken connection that it gets instead. */
export async function exchange(
  passage: Passage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const record = recordOf(request, passage.requests.length);
  passage.requests.push(record);
  try {
    const account = accountOf(passage.tokens, request.headers.authorization);
    record.login = account?.login ?? '';
    const body = await text(request);
    record.body = parsed(body);
    const travel = passage.delay() / 2;
    if (travel > 0) await passage.wait(travel);
    const acted = await passage.faults.around(record, () => answerTo(passage, record, account, body));
    if (!acted) return void request.socket.destroy();
    const answer = conditional(acted, request);
    if (answer.status === 304) passage.limits.refund(...countedBy(passage, record));
    // The time of an answer is when the host gave it, not when it arrives.
    const headers = hostHeaders(passage, record);
    if (travel > 0) await passage.wait(travel);
    record.status = answer.status;
    send(response, answer, headers);
  } catch (error) {
    // A hook that failed; or the client is gone, or the server being closed, and nobody hears it.
    const answer = broken(record, error);
    record.status = answer.status;
    send(response, answer, hostHeaders(passage, record));
  } finally {
    record.endedAt = performance.now();
  }
}

async function answerTo(
  passage: Passage,
  record: RequestRecord,
  account: Account | undefined,
  body: string,
): Promise<Answer> {
  if (!account) return failure(401, 'Bad credentials');
  const { world, contract, limits, revise } = passage;
  if (!limits.admit(...countedBy(passage, record))) return exhausted(account.login);
  const { route, params } = find(record.method, record.path) ?? {};
  if (!route || !params) return notFound().answer;
  const query = new URLSearchParams(record.query);
  const unheeded = [...query.keys()].find((name) => !route.query?.includes(name));
  if (unheeded) return contract.violated(`${operationOf(route)}: the parameter ${unheeded} isn't heeded`);
  const answer = await answerOf(record, () => {
    if (body !== '' && record.body === undefined) throw new Refusal(400, 'Problems parsing JSON');
    const url = world.url + encodeURI(record.path);
    return perform(route, { world, account, params, url, query, body: record.body });
  });
  if (record.error) return contract.violated(`${operationOf(route)}: ${record.error}`);
  const checked = contract.checked(route, revise(answer, record));
  const needed = route.needs === 'none' ? {} : { 'x-accepted-github-permissions': accepted(route.needs) };
  return { ...checked, headers: { ...needed, ...checked.headers } };
}

async function answerOf(record: RequestRecord, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    return error instanceof Refusal ? error.answer : broken(record, error);
  }
}

/** A fault of this server, or of a test's hook: shown to both sides. */
function broken(record: RequestRecord, error: unknown): Answer {
  record.error = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return failure(500, record.error);
}

function hostHeaders(passage: Passage, record: RequestRecord) {
  const { clock } = passage.world;
  return {
    ...passage.limits.headers(...countedBy(passage, record)),
    date: new Date(clock.now()).toUTCString(),
    vary: 'Accept, Authorization, Accept-Encoding',
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': record.id,
  };
}

/** Whose limit a request counts against, which one, and when. */
function countedBy({ world }: Passage, { login, path }: RequestRecord): [string, string, number] {
  return [login, resourceOf(path), world.clock.seconds()];
}

function recordOf({ method = '', url = '', headers }: IncomingMessage, index: number): RequestRecord {
  const { authorization: _secret, ...shown } = headers;
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/.exec(url) ?? [];
  const lines = Object.entries(shown).map(([name, value]) => [name, String(value)]);
  return {
    id: `TEST:${index.toString(16).toUpperCase().padStart(6, '0')}`,
    method,
    path: decoded(path),
    query,
    login: '',
    headers: Object.fromEntries(lines),
    body: undefined,
    status: 0,
    startedAt: performance.now(),
    endedAt: 0,
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
