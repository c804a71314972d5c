import { MemoryHost, MemoryStore } from '../../src/stores/memory.js';
import { realClock } from '../fakes/clock.js';
import { describeStore } from './contract.js';

describeStore('memory', async () => {
  const host = new MemoryHost(Date.now);
  return { open: () => new MemoryStore(host, realClock), close: async () => {} };
});
