// Keeps the generated parts of README.md: the first workflow from examples/, inputs and outputs from
// action.yml, outcomes from the built engine. `--write` writes them; without it, a README that is behind
// makes this fail.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ENDINGS } from '../build/src/engine/outcome.js';

const action = parse(readFileSync('action.yml', 'utf8'));
const parts = { workflow: workflow(), inputs: inputs(), outputs: outputs(), outcomes: outcomes() };

const readme = readFileSync('README.md', 'utf8');
let current = readme;
for (const [name, lines] of Object.entries(parts)) current = replace(current, name, lines);

if (process.argv.includes('--write')) {
  writeFileSync('README.md', current);
} else if (current !== readme) {
  console.error('README.md is behind what it is made from: run `npm run docs`');
  process.exitCode = 1;
}

function workflow() {
  return `\`\`\`yaml\n${readFileSync('examples/fix-issue.yml', 'utf8')}\`\`\``;
}

function inputs() {
  const rows = Object.entries(action.inputs).map(([name, { default: fallback, required, description }]) => {
    const otherwise = required ? 'required' : fallback ? `\`${fallback}\`` : '';
    return [`\`${name}\``, otherwise, description];
  });
  return table(['Input', 'Default', 'Meaning'], rows);
}

function outputs() {
  const rows = Object.entries(action.outputs).map(([name, { description }]) => [`\`${name}\``, description]);
  return table(['Output', 'Meaning'], rows);
}

/** Outcomes that end alike share a row. */
function outcomes() {
  const rows = new Map();
  for (const [outcome, { owned, step, exit }] of Object.entries(ENDINGS)) {
    const byConflict = step === 'by-conflict';
    const ending = [
      owned ? '`true`' : 'empty',
      byConflict ? 'as `on-conflict` says' : step,
      byConflict ? `${exit}; 0 with \`skip\`` : String(exit),
    ];
    const [names] = rows.get(ending.join()) ?? [];
    rows.set(ending.join(), [`${names ? `${names}, ` : ''}\`${outcome}\``, ...ending]);
  }
  return table(['Outcome', '`claimed`, `owned`', 'Step', 'Exit code'], [...rows.values()]);
}

function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** Puts lines between their two markers. */
function replace(text, name, lines) {
  const [begin, end] = [`<!-- ${name}: made by npm run docs -->`, `<!-- end of ${name} -->`];
  const [before, rest = ''] = text.split(begin);
  const [, after] = rest.split(end);
  if (after === undefined) throw new Error(`README.md lacks "${begin}" and "${end}" after it`);
  return `${before}${begin}\n${lines}\n${end}${after}`;
}
