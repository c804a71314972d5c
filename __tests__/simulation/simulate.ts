import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { judge } from './check.js';
import { loadEngine, realSource } from './engine.js';
import { play } from './history.js';
import { MUTANTS, mutate } from './mutants.js';

/** `npm run simulate -- --seeds 100000 [--from 1] [--mutants] [--show SEED]`: a long hunt. */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    show: { type: 'string' },
    mutants: { type: 'boolean', default: false },
  },
});
const [from, count] = [Number(values.from), Number(values.seeds)];

if (values.show !== undefined) await show(Number(values.show));
else if (values.mutants) await huntMutants();
else await hunt();

/** One history, as a person would tell it. */
async function show(seed: number): Promise<void> {
  const history = await play({ seed, engine: await loadEngine(realSource) });
  console.log(history.story.join('\n'));
  const { violations } = judge(history);
  console.log(violations.length ? violations.join('\n') : 'nothing wrong');
  process.exitCode = violations.length ? 1 : 0;
}

async function hunt(): Promise<void> {
  const engine = await loadEngine(realSource);
  const began = performance.now();
  const sums = { writes: 0, late: 0, forced: 0, bad: 0 };
  for (let index = 0; index < count; index++) {
    const seed = from + index;
    const { violations, writes, excused } = judge(await play({ seed, engine }));
    sums.writes += writes;
    sums.late += excused.late;
    sums.forced += excused.forced;
    if (violations.length) {
      sums.bad += 1;
      console.log(`\nseed ${seed}: ${violations.join('; ')}`);
    }
    if (index % 100 === 99 || index === count - 1) progress(index + 1, (performance.now() - began) / 1_000);
  }
  console.log(
    `\n${count} histories, ${sums.bad} with a violation; ${sums.writes} writes, of them ${sums.late} too late after their proof and ${sums.forced} after a force, which no lock can prevent`,
  );
  process.exitCode = sums.bad ? 1 : 0;
}

function progress(done: number, seconds: number): void {
  if (!process.stdout.isTTY && done !== count && done % 10_000) return;
  const width = 40;
  const filled = Math.round((width * done) / count);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(width - filled)}`;
  process.stdout.write(
    `${process.stdout.isTTY ? '\r' : ''}[${bar}] ${done}/${count}, ${Math.round(done / seconds)} histories a second${process.stdout.isTTY ? '' : '\n'}`,
  );
}

async function huntMutants(): Promise<void> {
  for (const mutant of MUTANTS) {
    const { engine, remove } = await mutate(mutant);
    let told = `not caught in ${count} seeds`;
    const first = mutant.from ?? from;
    for (let seed = first; seed < first + count; seed++) {
      const history = await play({ seed, engine, ...(mutant.store && { mutation: mutant.store }) });
      const { violations } = judge(history);
      if (violations.length === 0) continue;
      told = `seed ${String(seed).padStart(4)}, ${history.story.length} lines: ${violations[0]}`;
      break;
    }
    remove();
    console.log(`${mutant.name.padEnd(90)} ${told}`);
    if (told.startsWith('not')) process.exitCode = 1;
  }
}
