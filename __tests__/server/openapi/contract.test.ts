import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Answer } from '../answers.js';
import { Client, said } from '../client.js';
import { routes } from '../router.js';
import { type GitHubServer, startServer } from '../server.js';
import { operationOf, SUBSET, type Subset } from './subset.js';

let server: GitHubServer;

afterEach(() => server?.close().catch(() => {}));

/** What a client hears of issue 1 where the server's answer is another one. */
async function heard(revise: (body: Record<string, unknown>) => unknown, status = 200) {
  await server?.close().catch(() => {});
  server = await startServer({
    revise: (answer: Answer) => ({ ...answer, status, body: revise({ ...(answer.body as object) }) }),
  });
  server.addIssue({ number: 1, labels: ['bug'], assignees: ['mona'] });
  return said(await new Client(server).ask('GET', '/issues/1'));
}

describe('an answer', () => {
  const place = 'GET /repos/:owner/:repo/issues/:number';

  it.each<[string, (body: Record<string, unknown>) => unknown]>([
    ["the body must have required property 'title'", ({ title: _gone, ...body }) => body],
    ['/number must be integer', (body) => ({ ...body, number: '1' })],
    ['the body must NOT have additional properties closedAt', (body) => ({ ...body, closedAt: null })],
    ['/created_at must match format "date-time"', (body) => ({ ...body, created_at: 'now' })],
    [
      "/user must have required property 'avatar_url'",
      (body) => ({ ...body, user: { login: 'mona', id: 7 } }),
    ],
    ['/assignees/0 must be object', (body) => ({ ...body, assignees: ['mona'] })],
    ['/labels/0/color must be string,null', (body) => ({ ...body, labels: [{ name: 'bug', color: 7 }] })],
    ['the body must be object', () => undefined],
  ])('that GitHub would not give is none: %s', async (problem, revise) => {
    expect(await heard(revise)).toBe(`500 ${place} 200: ${problem}`);
    expect(server.violations).toEqual([`${place} 200: ${problem}`]);
    await expect(server.close()).rejects.toThrow(`the server isn't as GitHub is:\n${place} 200: ${problem}`);
  });

  it('has a status that GitHub has for it', async () => {
    expect(await heard((body) => body, 202)).toBe(`500 ${place} 202: GitHub describes no such answer`);
    expect(await heard(() => ({ message: 'teapot' }), 418)).toBe('418 teapot');
    expect(await heard(() => ({ message: 7 }), 418)).toBe(`500 ${place} 418: /message must be string`);
  });

  it('as GitHub would give it passes', async () => {
    expect(await heard((body) => body)).toBe('200');
    await server.close();
  });
});

describe('a request', () => {
  it('has no wish that would be passed over', async () => {
    server = await startServer();
    const heard = said(await new Client(server).ask('GET', '/issues?milestone=1'));
    expect(heard).toBe("500 GET /repos/:owner/:repo/issues: the parameter milestone isn't heeded");
    await expect(server.close()).rejects.toThrow('milestone');
  });
});

describe('the subset of the description', () => {
  it('has all routes, and no other', () => {
    const subset = JSON.parse(readFileSync(SUBSET, 'utf8')) as Subset;
    const described = routes.filter(({ undescribed }) => !undescribed).map(operationOf);
    expect(Object.keys(subset.operations).toSorted()).toEqual(described.toSorted());
  });
});
