import { expect, it } from '@jest/globals';
import { createClient } from '../../src/github/client.js';
import { Meter } from '../../src/github/meter.js';
import { GitHubStore } from '../../src/stores/github/store.js';
import { realClock } from '../fakes/clock.js';
import { startEmulator } from '../fakes/emulator.js';
import { startServer } from '../server/server.js';
import { type Bed, describeStore } from './contract.js';

function openerOf(url: string, repository: string): Bed['open'] {
  const [owner = '', repo = ''] = repository.split('/');
  return () => {
    const meter = new Meter(realClock);
    const client = createClient({ token: 'test-token', baseUrl: url, meter, patience: 5_000 });
    return new GitHubStore(client, meter, { owner, repo });
  };
}

describeStore('GitHub', async () => {
  const server = await startServer();
  return { open: openerOf(server.url, server.repository), close: () => server.close() };
});

describeStore('GitHub, where the empty tree is refused,', async () => {
  const server = await startServer({ refuseEmptyTree: true });
  return { open: openerOf(server.url, server.repository), close: () => server.close() };
});

describeStore('GitHub, where GraphQL does not answer,', async () => {
  const server = await startServer({ graphql: false });
  return { open: openerOf(server.url, server.repository), close: () => server.close() };
});

describeStore("GitHub, on an emulator that isn't ours,", async () => {
  const emulator = await startEmulator();
  return { open: openerOf(emulator.url, emulator.repository), close: () => emulator.close() };
});

it('deletes all of a run in one request, or nothing if any of it has changed', async () => {
  const server = await startServer();
  const store = openerOf(server.url, server.repository)();
  for (const sequence of [1, 2, 3]) {
    await store.create('a', sequence, (await store.mint(`entry ${sequence}`, undefined, 'a')).sha);
  }
  const { slots } = await store.observe('a');
  const changed = slots.map((slot, index) => (index === 1 ? { ...slot, sha: 'f'.repeat(40) } : slot));
  await expect(store.remove('a', changed)).rejects.toMatchObject({ outcome: 'unavailable' });
  expect((await store.observe('a')).slots).toEqual(slots);
  const from = server.requests.length;
  await store.remove('a', slots);
  expect(server.requests.slice(from).map(({ path }) => path)).toEqual(['/graphql']);
  expect((await store.observe('a')).slots).toEqual([]);
  await server.close();
});
