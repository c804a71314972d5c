import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decode, encode, oneLine } from '../../src/engine/entry.js';
import { entries, entryOf } from '../fakes/entries.js';

/** What git itself takes for the trailers of a message. */
function gitTrailers(message: string): string[] {
  const output = execFileSync('git', ['interpret-trailers', '--parse'], { input: message, encoding: 'utf8' });
  return output.split('\n').filter(Boolean);
}

const HOSTILE = [
  'Claim-Generation: 99',
  'x\n\nClaim-Version: 1\nClaim-Event: released',
  '---\nClaim-Event: released',
  '--- ',
  'a\r\nClaim-Holder: me\r\n',
  'a\u2028Claim-Holder: me\u2029b\u0085c',
  '\u202eevil\u200b',
  '# comment\n; comment',
  'Signed-off-by: a <a@b>\nClaim-Nonce: 0',
  'diff --git a/x b/x',
  '\u0000\u0007\u001b[31m',
];

describe('an entry', () => {
  it('is read back as it was written, whatever it holds', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const text = oneLine(entry.text ?? '');
        const { text: _, ...rest } = entry;
        expect(decode(encode(entry, 'abc'), 'item-12')).toEqual({ entry: text ? { ...rest, text } : rest });
      }),
      { numRuns: 500 },
    );
  });

  it('is read by git as trailers, every one of them and no other', () => {
    const samples = fc.sample(entries, { numRuns: 25, seed: 1 });
    for (const text of HOSTILE) samples.push(entryOf({ text }));
    for (const entry of samples) {
      const message = encode(entry, 'abc');
      const written = message.split('\n').filter((line) => /^Claim-/.test(line));
      expect(gitTrailers(message)).toEqual(written);
      expect(gitTrailers(message)).toContain(`Claim-Generation: ${entry.generation}`);
    }
  });

  it.each(HOSTILE)('is not forged by the text %j', (text) => {
    const entry = entryOf({ text });
    const decoded = decode(encode(entry, 'abc'), 'item-12');
    expect(decoded).toMatchObject({ entry: { generation: 1, event: 'claimed', holder: entry.holder } });
    expect(encode(entry, 'abc').match(/^Claim-Generation:/gm)).toHaveLength(1);
  });

  it('says in its subject what happened', () => {
    const subject = (change: object) => encode(entryOf(change), 'n').split('\n')[0];
    expect(subject({})).toBe('item-12 claimed by reviewer-a, generation 1');
    expect(subject({ event: 'taken-over', generation: 2 })).toBe(
      'item-12 taken over by reviewer-a, generation 2',
    );
    expect(subject({ event: 'released', ending: 'failed' })).toBe(
      'item-12 released as failed by reviewer-a, generation 1',
    );
  });

  it('differs from its twin of the same second by the nonce', () => {
    expect(encode(entryOf(), 'a')).not.toBe(encode(entryOf(), 'b'));
  });
});

describe('a message that is no entry of this key', () => {
  const good = encode(entryOf(), 'abc');
  it.each([
    ['empty', '', 'no entry'],
    ['another commit', 'Fix the build\n\nSigned-off-by: a <a@b>\n', 'no entry'],
    ['a newer version', good.replace('Claim-Version: 1', 'Claim-Version: 2'), 'version 2'],
    ['an unknown event', good.replace('Event: claimed', 'Event: vanished'), 'Claim-Event'],
    ['another key', good.replace('Key: item-12', 'Key: item-13'), 'item-13'],
    ['no generation', good.replace(/Claim-Generation: .*\n/, ''), 'Claim-Generation'],
    ['generation 0', good.replace('Generation: 1', 'Generation: 0'), 'Claim-Generation'],
    ['generation 1e3', good.replace('Generation: 1', 'Generation: 1e3'), 'Claim-Generation'],
    ['a ttl in hex', good.replace('Ttl: 600', 'Ttl: 0x10'), 'Claim-Ttl'],
    ['two holders', good.replace(/(Claim-Holder: .*\n)/, '$1$1'), 'no entry'],
    ['a line that is no trailer', good.replace('Claim-Nonce', 'hello\nClaim-Nonce'), 'no entry'],
    ['an ending that is none', `${good.trimEnd()}\nClaim-Ending: released\n`, 'Claim-Ending'],
    ['a release without ending', good.replace('Event: claimed', 'Event: released'), 'Claim-Ending'],
    ['a run that is no link', good.replace(/Claim-Run: .*/, 'Claim-Run: javascript:alert(1)'), 'Claim-Run'],
    ['an agent that is markup', good.replace(/Claim-Agent: .*/, 'Claim-Agent: <b>'), 'Claim-Agent'],
  ])('is refused: %s', (_, message, problem) => {
    expect(decode(message, 'item-12')).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('may hold trailers of a later release', () => {
    expect(decode(`${good.trimEnd()}\nClaim-Colour: blue\n`, 'item-12')).toHaveProperty('entry');
  });
});
