import { styleText } from 'node:util';

/** What a person sees: one line per event, in columns, with few colours and only where they are wanted. */

export type Tone = 'good' | 'wait' | 'bad' | 'plain';

export interface Line {
  who: string;
  does: string;
  /** The ref's sequence, eight digits. */
  entry?: string;
  outcome: string;
  tone?: Tone;
}

const WIDTH = 100;
const GAP = '  ';
const TIME = 5;
const WHO = 7;
const DOES = 9;
const ENTRY = 8;
const INDENT = TIME + WHO + DOES + ENTRY + 4 * GAP.length;
const COLOURS = { good: 'green', wait: 'yellow', bad: 'red' } as const;

/** Not for a pipe; and `hasColors` knows NO_COLOR and dumb terminals. */
const coloured = process.stdout.isTTY === true && process.stdout.hasColors();

export class Timeline {
  readonly #start = performance.now();

  open(title: string): void {
    this.say(styled('bold', title));
    this.say('');
    this.say(styled('dim', columns('time', 'who', 'does', 'entry', 'outcome')));
  }

  act(title: string, sentence: string): void {
    this.say('');
    this.say(`${styled('bold', `${title}:`)} ${sentence}`);
  }

  tell({ who, does, entry = '', outcome, tone = 'plain' }: Line): void {
    const time = `${((performance.now() - this.#start) / 1_000).toFixed(1)}s`;
    const [first = '', ...rest] = wrapped(outcome, WIDTH - INDENT);
    const shown = (text: string) => (tone === 'plain' ? text : styled(COLOURS[tone], text));
    this.say(columns(time, who, does, entry, shown(first)));
    for (const line of rest) this.say(`${' '.repeat(INDENT)}${shown(line)}`);
  }

  /** Something with its details below. */
  item(what: string, details: string): void {
    this.say(what);
    this.say(styled('dim', `${' '.repeat(ENTRY)}${GAP}${details}`));
  }

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}

function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return coloured ? styleText(style, text) : text;
}

function columns(time: string, who: string, does: string, entry: string, outcome: string): string {
  return [time.padStart(TIME), who.padEnd(WHO), does.padEnd(DOES), entry.padEnd(ENTRY), outcome].join(GAP);
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
