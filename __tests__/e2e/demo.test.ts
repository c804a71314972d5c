import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

test('the demo plays its story to a good end', async () => {
  const child = spawn(process.execPath, ['build/examples/demo/demo.js'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [code, shown, problem] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);

  expect({ code, problem }).toEqual({ code: 0, problem: '' });
  expect(shown.match(/^ *\d+\.\ds {2}run 90[1-5] {2}claim .* claimed: generation 1$/gm)).toHaveLength(1);
  expect(shown.match(/ claimed: generation 2, taken over from review-bot /g)).toHaveLength(1);
  expect(shown.match(/ verify .* claim lost \(exit 4\): held by review-bot .*generation 2$/gm)).toHaveLength(
    1,
  );
  expect(shown).toMatch(/^1 winner of 5, 1 takeover after the crash: 2 holders, one after the other\.$/m);
  expect(shown).toMatch(/^\d+ requests in all; the key is free again\.$/m);

  expect(shown.split('\n').filter((line) => line.length > 100)).toEqual([]);
  // Plain where it is piped.
  expect(shown).not.toContain('\x1b');
});
