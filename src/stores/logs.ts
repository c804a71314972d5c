import { entryOf } from '../engine/key.js';
import type { Slot } from '../ports.js';

/** Sorts refs and their shas into the logs of their keys, each from the lowest entry up. */
export function logsOf(refs: Iterable<[ref: string, sha: string]>, prefix: string): Map<string, Slot[]> {
  const logs = new Map<string, Slot[]>();
  for (const [ref, sha] of refs) {
    const entry = entryOf(ref);
    if (!entry || !ref.startsWith(prefix)) continue;
    const log = logs.get(entry.key) ?? [];
    log.push({ sequence: entry.sequence, sha });
    logs.set(entry.key, log);
  }
  for (const log of logs.values()) log.sort((a, b) => a.sequence - b.sequence);
  return logs;
}
