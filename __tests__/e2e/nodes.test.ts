import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { startServer } from '../server/server.js';
import { Job } from './runner.js';

/** The committed bundle on the other versions of Node that runners bring; .ci/run installs them. */

describe.each([22, 24])('Node %d', (major) => {
  const node = `.ci/nodes/node_modules/node${major}/bin/node`;
  // Only CI has to have them: whoever runs the tests on a machine of his own has his own Node.
  const required = process.env['CI'] === 'true' && process.platform === 'linux' && process.arch === 'x64';
  const run = existsSync(node) || required ? it : it.skip;

  run('claims, proves, renews, is refused and gives back', async () => {
    expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(new RegExp(`^v${major}\\.`));
    const server = await startServer();
    server.addIssue({ number: 7 });
    const [job, other] = [new Job(server, { run: 1, node }), new Job(server, { run: 2, node })];
    const claimed = await job.step({ mode: 'claim', item: '7' });
    expect(claimed).toMatchObject({ code: 0, outputs: { outcome: 'claimed' } });
    expect(claimed.log).not.toMatch(/warning|deprecat/i);
    expect(await job.step({ mode: 'verify' })).toMatchObject({ code: 0, outputs: { outcome: 'owned' } });
    expect(await job.step({ mode: 'heartbeat' })).toMatchObject({ code: 0, outputs: { outcome: 'renewed' } });
    expect(await other.step({ mode: 'claim', item: '7' })).toMatchObject({
      code: 4,
      outputs: { outcome: 'held' },
    });
    for (const post of await job.post()) expect(post).toMatchObject({ code: 0, errors: [], warnings: [] });
    expect(await other.step({ mode: 'claim', item: '7' })).toMatchObject({
      code: 0,
      outputs: { generation: '2' },
    });
    job.close();
    other.close();
    await server.close();
  });
});
