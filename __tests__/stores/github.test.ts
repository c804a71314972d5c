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

describeStore("GitHub, on an emulator that isn't ours,", async () => {
  const emulator = await startEmulator();
  return { open: openerOf(emulator.url, emulator.repository), close: () => emulator.close() };
});
