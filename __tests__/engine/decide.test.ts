import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Command, decide } from '../../src/engine/decide.js';
import { DEFAULT_LEASE } from '../../src/engine/policy.js';
import {
  type ClaimIdentity,
  expiresAt,
  isFresh,
  isHeld,
  isMine,
  type Setting,
  sinceOf,
} from '../../src/engine/state.js';
import { entries, NOON, processOfRun, standing } from '../fakes/entries.js';

const mine: Required<ClaimIdentity> = {
  chain: 'bbbbbbbbbbbbbbbb',
  holder: 'reviewer-b/871/1/bbbbbbbbbbbbbbbb',
};
const theirs: Required<ClaimIdentity> = {
  chain: 'aaaaaaaaaaaaaaaa',
  holder: 'reviewer-a/870/1/aaaaaaaaaaaaaaaa',
};
const setting: Setting = { key: 'item-12', process: processOfRun(871) };
const ofTheirs: Setting = { ...setting, process: processOfRun(870) };
const toClaim: Command & { type: 'claim' } = {
  type: 'claim',
  identity: mine,
  agent: 'reviewer-b',
  lease: DEFAULT_LEASE,
  maxTakeovers: 3,
};
const minutes = (count: number) => count * 60_000;

describe('a claim', () => {
  it('of a log without entries begins generation 1', () => {
    expect(decide(undefined, toClaim, setting, NOON)).toMatchObject({
      outcome: 'claimed',
      entry: {
        event: 'claimed',
        generation: 1,
        ...mine,
        agent: 'reviewer-b',
        ttl: 600_000,
        renewDeadline: 300_000,
      },
    });
  });

  it('of a released key counts on, never again from 1', () => {
    const tail = standing(7, NOON, { event: 'released', ending: 'released', generation: 3 });
    expect(decide(tail, toClaim, setting, NOON)).toMatchObject({
      outcome: 'claimed',
      entry: { generation: 4 },
    });
  });

  it.each([
    [minutes(0), 'held'],
    [minutes(10) - 1, 'held'],
    [minutes(10), 'taken-over'],
    [minutes(60), 'taken-over'],
  ])('of a held key %d ms after its stamp: %s', (age, outcome) => {
    expect(decide(standing(3, NOON), toClaim, setting, NOON + age).outcome).toBe(outcome);
  });

  // the ttl in the entry binds every reader, whatever the reader's own is.
  it("goes by the holder's ttl, not by the taker's", () => {
    const impatient: Command = { ...toClaim, lease: { ttl: 4_000, renewDeadline: 2_000, maxHold: 60_000 } };
    expect(decide(standing(3, NOON), impatient, setting, NOON + minutes(9)).outcome).toBe('held');
    const short = standing(3, NOON, { ttl: 180_000, renewDeadline: 90_000 });
    expect(decide(short, toClaim, setting, NOON + minutes(3)).outcome).toBe('taken-over');
  });

  it('takes over as a new holder of the next generation with a lease of its own', () => {
    const decision = decide(standing(3, NOON), toClaim, setting, NOON + minutes(10));
    expect(decision).toMatchObject({
      entry: { event: 'taken-over', generation: 2, ...mine, process: setting.process },
    });
    // Fault 8: no old heartbeat, no old tenure is inherited.
    expect(decision).not.toHaveProperty('entry.since');
  });

  it('goes on when the same job presents the claim id', () => {
    const tail = standing(3, NOON, { generation: 5, since: NOON - minutes(9), text: 'old words' });
    const same = { ...setting, process: processOfRun(870) };
    const decision = decide(tail, { ...toClaim, presented: theirs.chain }, same, NOON);
    expect(decision).toMatchObject({
      outcome: 'reentered',
      entry: { event: 'renewed', generation: 5, ...theirs, agent: 'reviewer-a', since: NOON - minutes(9) },
    });
    expect(decision).not.toHaveProperty('entry.text');
  });

  // a claim id given to two jobs.
  it('of another job that presents the claim id is held', () => {
    expect(decide(standing(3, NOON), { ...toClaim, presented: theirs.chain }, setting, NOON).outcome).toBe(
      'held',
    );
  });

  // Fault 13: an attempt 2 isn't the same run, and a matrix leg isn't the same job.
  it.each([
    ['another attempt', { run: 'https://github.com/octo/demo/actions/runs/870/attempts/2', job: '1' }],
    ['another leg', processOfRun(870, '2')],
  ])('by %s of the same run is held', (_, process) => {
    const presenting: Command = { ...toClaim, presented: theirs.chain };
    expect(decide(standing(3, NOON), presenting, { ...setting, process }, NOON).outcome).toBe('held');
  });
});

describe('a renewal', () => {
  it('of my own entry goes on, expired or not, as long as nobody took over', () => {
    for (const age of [0, minutes(30)]) {
      const decision = decide(standing(3, NOON), { type: 'renew', identity: theirs }, ofTheirs, NOON + age);
      expect(decision).toMatchObject({
        outcome: 'renewed',
        entry: { event: 'renewed', generation: 1, ...theirs, since: NOON, process: ofTheirs.process },
      });
    }
  });

  it.each([
    ['nothing', undefined, 'none'],
    ['an own release', standing(3, NOON, { event: 'released', ending: 'released', ...mine }), 'released'],
    ["another's claim", standing(3, NOON), 'taken-over'],
    ["another's release", standing(3, NOON, { event: 'released', ending: 'failed' }), 'taken-over'],
    ['another holder of the same chain', standing(3, NOON, { chain: mine.chain }), 'taken-over'],
  ])('on %s is lost: %s', (_, tail, reason) => {
    const decision = decide(tail, { type: 'renew', identity: mine }, setting, NOON);
    expect(decision).toEqual({ type: 'refuse', outcome: 'lost', reason });
  });
});

describe('a release', () => {
  it('ends the tenure as it was asked to', () => {
    const decision = decide(
      standing(3, NOON),
      { type: 'release', identity: theirs, ending: 'failed' },
      ofTheirs,
      NOON,
    );
    expect(decision).toMatchObject({
      outcome: 'released',
      entry: { event: 'released', ending: 'failed', ...theirs },
    });
  });

  // Fault 2: an older run's clean-up never frees the newer holder.
  it("of what is another's is refused", () => {
    const decision = decide(
      standing(3, NOON),
      { type: 'release', identity: mine, ending: 'released' },
      setting,
      NOON,
    );
    expect(decision).toEqual({ type: 'refuse', outcome: 'not-held', reason: 'taken-over' });
  });
});

// Rule 11: a stamp in the future would hold for ever.
it.each<[string, Command]>([
  ['claim', toClaim],
  ['renew', { type: 'renew', identity: theirs }],
  ['release', { type: 'release', identity: theirs, ending: 'released' }],
])('%s stops at an entry stamped in the future', (_, command) => {
  expect(decide(standing(3, NOON + 60_001), command, setting, NOON).outcome).toBe('unreadable-entry');
  expect(decide(standing(3, NOON + 60_000), command, setting, NOON).outcome).not.toBe('unreadable-entry');
});

describe('whatever the tail', () => {
  const tails = fc.record({ entry: entries, age: fc.integer({ min: -50, max: 1_000_000 }) });
  const commands: Command[] = [
    toClaim,
    { ...toClaim, presented: theirs.chain },
    { type: 'renew', identity: mine },
    { type: 'release', identity: mine, ending: 'released' },
  ];

  it('an append keeps the generation of its own holder, or raises it by one for a new one', () => {
    fc.assert(
      fc.property(tails, fc.constantFrom(...commands), fc.boolean(), ({ entry, age }, command, own) => {
        const tail = {
          sequence: 4,
          sha: 'x',
          stamp: NOON,
          author: 'x',
          entry: own ? { ...entry, ...mine } : entry,
        };
        const decision = decide(tail, command, setting, NOON + age * 1_000);
        if (decision.type !== 'append') return;
        const same = decision.entry.holder === tail.entry.holder && isMine(tail.entry, mine, setting.process);
        expect(decision.entry.generation).toBe(entry.generation + (same && command.type !== 'claim' ? 0 : 1));
      }),
    );
  });

  it('a held and unexpired entry of another is followed by nothing', () => {
    fc.assert(
      fc.property(tails, fc.constantFrom(...commands), ({ entry, age }, command) => {
        fc.pre(isHeld(entry) && age * 1_000 < entry.ttl);
        expect(
          decide(
            { sequence: 4, sha: 'x', stamp: NOON, author: 'x', entry },
            command,
            setting,
            NOON + age * 1_000,
          ).type,
        ).toBe('refuse');
      }),
    );
  });

  it('no entry is proof to its holder and free to another at once', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 1_000_000 }), (entry, age) => {
        fc.pre(entry.renewDeadline <= entry.ttl / 2);
        const tail = { stamp: NOON, entry };
        const now = NOON + age * 1_000;
        expect(isFresh(tail, now) && now >= expiresAt(tail)).toBe(false);
      }),
    );
  });
});

it('counts a tenure from its first entry', () => {
  expect(sinceOf(standing(1, NOON))).toBe(NOON);
  expect(sinceOf(standing(9, NOON, { since: NOON - 5_000 }))).toBe(NOON - 5_000);
});

it('knows a claim without its holder only by the job that made it', () => {
  const { entry } = standing(1, NOON);
  expect(isMine(entry, { chain: theirs.chain }, processOfRun(870))).toBe(true);
  expect(isMine(entry, { chain: theirs.chain }, processOfRun(871))).toBe(false);
  expect(isMine(entry, { chain: mine.chain }, processOfRun(870))).toBe(false);
});
