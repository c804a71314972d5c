import { performance } from 'node:perf_hooks';
import { describe, expect, it } from '@jest/globals';
import { judge } from './check.js';
import { loadEngine, realSource } from './engine.js';
import { play } from './history.js';
import { MUTANTS, mutate } from './mutants.js';

/** The real engine on a simulated host: as many histories as fit, and every weakened engine found out. */

const BUDGET = 30_000;
/** A mutant that lives longer is not held by anything. */
const SEEDS_FOR_A_MUTANT = 1_000;
async function violationsOf(seed: number, engine = loadEngine(realSource)): Promise<string[]> {
  const history = await play({ seed, engine: await engine });
  const { violations } = judge(history);
  return violations.length ? [`seed ${seed}: ${violations[0]}`, ...history.story] : [];
}

describe('the engine', () => {
  it('has one owner at most in every history, whatever happens', async () => {
    const engine = loadEngine(realSource);
    const until = performance.now() + BUDGET;
    let seed = 0;
    while (performance.now() < until) expect(await violationsOf(++seed, engine)).toEqual([]);
    expect(seed).toBeGreaterThan(100);
  }, 300_000);

  it('does the same again from the same seed', async () => {
    const engine = await loadEngine(realSource);
    const [one, two] = [await play({ seed: 7, engine }), await play({ seed: 7, engine })];
    expect(two.story).toEqual(one.story);
    expect(one.writes.length + one.told.length).toBeGreaterThan(0);
  });
});

describe('an engine without a rule is found out', () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    '%s',
    async (_, mutant) => {
      const { engine, remove } = await mutate(mutant);
      let found = 0;
      const from = mutant.from ?? 1;
      for (let seed = from; !found && seed < from + SEEDS_FOR_A_MUTANT; seed++) {
        const history = await play({ seed, engine, ...(mutant.store && { mutation: mutant.store }) });
        if (judge(history).violations.length) found = seed;
      }
      remove();
      expect(found).toBeGreaterThan(0);
    },
    300_000,
  );
});
