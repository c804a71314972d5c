import type { ClaimError } from '../../src/engine/outcome.js';
import type { claim } from '../../src/modes/claim.js';
import type { cleanup } from '../../src/modes/cleanup.js';
import type { heartbeat, verify } from '../../src/modes/prove.js';
import type { free, release } from '../../src/modes/release.js';
import type { superseded } from '../../src/modes/trim.js';

/** The real engine and modes, as they are or with one rule taken out. */
export interface Engine {
  claim: typeof claim;
  verify: typeof verify;
  heartbeat: typeof heartbeat;
  release: typeof release;
  free: typeof free;
  cleanup: typeof cleanup;
  superseded: typeof superseded;
  ClaimError: typeof ClaimError;
}

/** Loads an engine from a folder that is built like src. */
export async function loadEngine(src: URL): Promise<Engine> {
  const parts: object[] = [];
  // One after another: the module loader of the test runner trips over graphs that it links side by side.
  for (const path of [
    'engine/outcome',
    'modes/claim',
    'modes/prove',
    'modes/release',
    'modes/cleanup',
    'modes/trim',
  ]) {
    parts.push(await import(new URL(`${path}.js`, src).href));
  }
  return Object.assign({}, ...parts) as Engine;
}

/** The engine that ships. */
export const realSource = new URL('../../src/', import.meta.url);
