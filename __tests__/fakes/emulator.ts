import { createServer } from 'node:net';
import { createEmulator } from 'emulate';

/** A GitHub that others wrote, in this process, with a repository of one commit and issues 1 to `issues`. */
export async function startEmulator(issues = 1) {
  const seed = {
    tokens: { 'test-token': { login: 'claim-bot', scopes: ['repo'] } },
    github: {
      users: [{ login: 'claim-bot' }],
      repos: [{ owner: 'claim-bot', name: 'demo', auto_init: true, default_branch: 'main' }],
    },
  };
  const { url, close } = await createEmulator({ service: 'github', port: await freePort(), seed });
  const repository = 'claim-bot/demo';
  for (let number = 1; number <= issues; number++) {
    await fetch(`${url}/repos/${repository}/issues`, {
      method: 'POST',
      headers: { authorization: 'token test-token', 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Issue ${number}` }),
    });
  }
  return { url, repository, close };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
