import { setTimeout as sleep } from 'node:timers/promises';

/** Stands for what an agent does under its claim: as many steps as it is told, each reported when done. */

const steps = Number(process.argv[2]);

// Whoever started it is gone, or it has said all: either way there is nothing left to do.
process.once('disconnect', () => process.exit());
for (let done = 1; done <= steps; done++) {
  await sleep(150);
  process.send?.(done);
}
process.disconnect?.();
