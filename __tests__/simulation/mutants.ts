import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Engine, loadEngine, realSource } from './engine.js';
import type { StoreMutation } from './host.js';

/**
 * Weakened engines: the real one with a rule taken out, by a change of its built text. The simulation
 * must find out each of them; one that it can't find is a rule that nothing holds.
 */

export interface Mutant {
  name: string;
  /** File, what stands there, what stands there instead. */
  changes?: [file: string, from: string, to: string][];
  store?: StoreMutation;
  /** The first seed to try; for what shows so rarely that the hunt begins near a seed that is known. */
  from?: number;
}

const TRANSACT = 'protocol/transact.js';
const CREATE = 'protocol/create.js';
const OBSERVE = 'protocol/observe.js';
const DECIDE = 'engine/decide.js';
const STATE = 'engine/state.js';
const TRIM = 'modes/trim.js';
const NOW =
  '{ date: entry.stamp, sentAt: protocol.clock.monotonic(), receivedAt: protocol.clock.monotonic() }';

const noSlotCheck: [string, string, string] = [TRANSACT, 'created.date - base.date > SLOT_AGE', 'false'];

export const MUTANTS: Mutant[] = [
  {
    name: 'the handle is saved after the creation (rule 1)',
    changes: [[TRANSACT, "save({ type: 'pending', entry, date: base.date });", '']],
  },
  {
    name: 'created is proof, whatever its age (rule 2)',
    changes: [[TRANSACT, 'if (isFresh(own, latest(time, protocol.clock)))', 'if (true)']],
  },
  {
    name: 'a slot is trusted for ever, and a layer holds creations back for an hour (rules 2, 3)',
    changes: [noSlotCheck],
    store: { heldBack: true },
  },
  {
    name: 'a view is as young as the commit that was read after its list (rule 2)',
    changes: [[TRANSACT, 'date: listed.date', 'date: time.date']],
    from: 2_060,
  },
  {
    name: 'an unclear answer is won (rule 3)',
    changes: [
      [
        CREATE,
        "if (answer.type === 'unclear')",
        `if (answer.type === 'unclear') return { stands: true, time: ${NOW} };\nif (false)`,
      ],
    ],
  },
  {
    name: 'an unclear answer is lost (rule 3)',
    changes: [
      [CREATE, 'return mine && counts', 'return false'],
      [TRANSACT, 'presented: entry.chain', 'presented: command.presented'],
    ],
  },
  {
    name: 'force is applied again after a lost race (rule 4)',
    changes: [
      [
        TRANSACT,
        'const decision = decide(base.tail, command,',
        'command = aim(transaction.command, base.tail); const decision = decide(base.tail, command,',
      ],
    ],
  },
  {
    name: 'a list that lags is believed (rule 5)',
    changes: [
      [OBSERVE, 'if (!top && floor === 0)', 'if (!top)'],
      [OBSERVE, 'if (top && top.sequence >= floor)', 'if (top)'],
    ],
  },
  {
    name: 'deletes with a hole (rule 6)',
    changes: [
      [
        'modes/cleanup.js',
        'await protocol.store.remove(key, run);',
        'await protocol.store.remove(key, run.slice(1));',
      ],
    ],
  },
  {
    name: 'deletes from the top down (rule 6)',
    changes: [
      [
        'modes/cleanup.js',
        'await protocol.store.remove(key, run);',
        'for (const slot of [...run].reverse()) { await protocol.store.remove(key, [slot]); await protocol.clock.sleep(30_000); }',
      ],
    ],
  },
  {
    name: 'deletes the newest entry too (rule 6)',
    changes: [[TRIM, 'return run;', 'return [...slots];']],
  },
  {
    name: 'anybody releases (rule 7)',
    changes: [
      [
        DECIDE,
        "if (!tail || !isMine(tail.entry, identity, setting.process)) {\n        return { type: 'refuse', outcome: 'not-held'",
        "if (!tail) {\n        return { type: 'refuse', outcome: 'not-held'",
      ],
    ],
  },
  {
    name: 'a takeover at the renew deadline (rule 7)',
    changes: [
      [STATE, 'return tail.stamp + tail.entry.ttl;', 'return tail.stamp + tail.entry.renewDeadline;'],
    ],
  },
  {
    name: 'the loser of a slot among processes of one holder gives up (rule 8)',
    changes: [
      [
        TRANSACT,
        'base = baseOf(protocol, created.seen);',
        "base = baseOf(protocol, created.seen); if (command.type === 'renew') return refused({ type: 'refuse', outcome: 'lost', reason: 'taken-over' }, base, setting.key);",
      ],
    ],
  },
  {
    name: 'a closed key is free at once (rule 9)',
    changes: [[DECIDE, 'notBefore: expiresAt(tail)', 'notBefore: 0']],
  },
  {
    name: 'done is followed by a claim (rule 10)',
    changes: [
      [DECIDE, "if (entry.event === 'done')\n        return { type: 'refuse', outcome: 'done' };", ''],
    ],
  },
  {
    name: 'verify without age (rule 13)',
    changes: [[STATE, 'return now - own.stamp < own.entry.renewDeadline;', 'return true;']],
  },
  {
    name: 'the login is the identity',
    changes: [
      [
        STATE,
        'if (!isHeld(entry) || entry.chain !== chain || !sameProcess(entry.process, process))\n        return false;',
        'return isHeld(entry);',
      ],
    ],
  },
  {
    name: 'the generation begins at 1 again',
    changes: [['engine/tenure.js', '(standing?.entry.generation ?? tail?.sequence ?? 0) + 1', '1']],
  },
  { name: 'an old ref is moved instead of a new one created', store: { moves: true } },
];

/** The engine of a mutant; throws if the text that it changes is not there any more. */
export async function mutate({ name, changes = [] }: Mutant): Promise<{ engine: Engine; remove(): void }> {
  if (changes.length === 0) return { engine: await loadEngine(realSource), remove: () => {} };
  const folder = new URL(
    `../../mutants/${name.replace(/[^a-z0-9]+/gi, '-')}-${process.pid}/`,
    import.meta.url,
  );
  cpSync(fileURLToPath(realSource), fileURLToPath(folder), { recursive: true });
  for (const [file, from, to] of changes) {
    const path = fileURLToPath(new URL(file, folder));
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  const engine = await loadEngine(folder);
  return { engine, remove: () => rmSync(fileURLToPath(folder), { recursive: true, force: true }) };
}
