import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/**
 * What may know what in src. The arrows go one way: entries → app → modes → protocol → engine and
 * ports; stores, trackers and github → ports and engine.
 */

interface Layer {
  /** The layers that it may import, besides itself. */
  knows: string[];
  /** The packages that it may import; `node:` stands for all built-ins. */
  packages: string[];
}

/** By the first name under src, without its ending. What isn't listed has no place yet. */
const LAYERS: Record<string, Layer> = {
  main: { knows: ['app'], packages: [] },
  post: { knows: ['app'], packages: [] },
  app: {
    knows: [
      ...['engine', 'environment', 'github', 'handles', 'inputs', 'modes', 'outputs', 'ports', 'stores'],
      ...['summary', 'tracker'],
    ],
    packages: ['node:', '@actions/core'],
  },
  inputs: { knows: ['engine', 'environment', 'input-words', 'modes', 'ports'], packages: ['ms', 'zod'] },
  'input-words': { knows: ['engine'], packages: ['ms', 'zod'] },
  gantt: { knows: ['engine'], packages: [] },
  environment: { knows: ['engine', 'ports'], packages: ['node:', 'zod'] },
  handles: { knows: ['engine', 'ports'], packages: ['node:', 'zod'] },
  outputs: { knows: ['engine', 'github', 'modes'], packages: ['@actions/core'] },
  summary: { knows: ['engine', 'gantt', 'modes'], packages: ['@actions/core'] },
  modes: { knows: ['engine', 'ports', 'protocol'], packages: ['ms'] },
  protocol: { knows: ['engine', 'ports'], packages: [] },
  stores: { knows: ['engine', 'github', 'ports'], packages: ['node:', 'zod'] },
  tracker: { knows: ['engine', 'github', 'ports'], packages: ['zod'] },
  github: {
    knows: ['engine', 'ports'],
    packages: [
      ...['@actions/github', '@octokit/core', '@octokit/plugin-retry', '@octokit/plugin-throttling'],
      ...['@octokit/request-error', 'bottleneck'],
    ],
  },
  ports: { knows: ['engine'], packages: [] },
  engine: { knows: [], packages: ['zod'] },
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'))
  .sort();
const sources = files.map((file) => ({ file, text: readFileSync(`src/${file}`, 'utf8') }));

/** All that a file imports or re-exports, types and `import()` included. */
function importsOf(text: string): string[] {
  const statement =
    /^\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]/gm;
  return [...text.matchAll(statement)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '');
}

function layerOf(file: string): string {
  return (file.split('/')[0] ?? '').replace(/\.(?:d\.)?ts$/, '');
}

/** What a file imports and may not, as lines for a person. */
function problemsOf(file: string, text: string): string[] {
  const layer = LAYERS[layerOf(file)];
  if (!layer) return [`src/${file} has no place in the table of layers`];
  return importsOf(text).flatMap((specifier) => {
    const allowed = specifier.startsWith('.')
      ? mayKnow(file, layer, posix.join(posix.dirname(file), specifier))
      : layer.packages.some((name) => specifier === name || specifier.startsWith(under(name)));
    return allowed ? [] : [`src/${file} imports ${specifier}`];
  });
}

function mayKnow(file: string, { knows }: Layer, target: string): boolean {
  const name = layerOf(target.replace(/\.js$/, '.ts'));
  return name === layerOf(file) || knows.includes(name);
}

/** What the names of a package's own files begin with. */
function under(name: string): string {
  return name === 'node:' ? name : `${name}/`;
}

describe('the layers of src', () => {
  it('each import only what is below them', () => {
    expect(sources.flatMap(({ file, text }) => problemsOf(file, text))).toEqual([]);
  });

  it('are all there: the table names no file or folder that is gone', () => {
    const there = new Set(files.map(layerOf));
    expect(Object.keys(LAYERS).filter((name) => !there.has(name))).toEqual([]);
  });

  it('form no circle', () => {
    const below = (name: string, path: string[]): string[] =>
      path.includes(name)
        ? [[...path, name].join(' → ')]
        : (LAYERS[name]?.knows ?? []).flatMap((next) => below(next, [...path, name]));
    expect(Object.keys(LAYERS).flatMap((name) => below(name, []))).toEqual([]);
  });

  it.each([
    ['engine/decide.ts', "import type { Slot } from '../ports.js';"],
    ['engine/decide.ts', "import { randomBytes } from 'node:crypto';"],
    ['engine/decide.ts', "const { request } = await import('@octokit/request');"],
    ['engine/decide.ts', "export * from '../modes/words.js';"],
    ['ports.ts', "import { z } from 'zod';"],
    ['protocol/create.ts', "import { GitHubStore } from '../stores/github/store.js';"],
    ['modes/claim.ts', "import * as core from '@actions/core';"],
    ['modes/claim.ts', "import { summarize } from '../summary.js';"],
    ['modes/claim.ts', "import {\n  observe,\n  type View,\n} from '../stores/memory.js';"],
    ['stores/github/store.ts', "import { getOctokit } from '@actions/github';"],
    ['tracker/github/tracker.ts', "import { transact } from '../../protocol/transact.js';"],
    ['github/client.ts', "import * as core from '@actions/core';"],
    ['main.ts', "import './modes/claim.js';"],
    ['helpers/misc.ts', ''],
  ])('would be broken by %s with %s', (file, text) => {
    expect(problemsOf(file, text)).toHaveLength(1);
  });
});

describe('a source file', () => {
  it('imports files that exist, by the names that they have once built', () => {
    const missing = sources.flatMap(({ file, text }) =>
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .filter(
          (specifier) =>
            !specifier.endsWith('.js') ||
            !existsSync(`src/${posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts')}`),
        )
        .map((specifier) => `src/${file} imports ${specifier}`),
    );
    expect(missing).toEqual([]);
  });

  it.each(['main.ts', 'post.ts'])('that is an entry is short: %s', (entry) => {
    const text = sources.find(({ file }) => file === entry)?.text ?? '';
    expect(text).toContain("'./app.js'");
    expect(text.split('\n').length).toBeLessThan(20);
  });

  it("never asks for this machine's time of day: the host's is the one that counts", () => {
    const asking = /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)/;
    expect(sources.filter(({ text }) => asking.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('describes the world to the engine by types only: ports.ts has nothing that runs', () => {
    const text = sources.find(({ file }) => file === 'ports.ts')?.text ?? '';
    expect(text).toContain('export interface ClaimStore');
    expect(text.match(/^(?:import (?!type)|export (?!interface|type)).*/gm)).toBeNull();
  });
});
