import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Environment } from '../src/environment.js';

/** action.yml as a runner reads it. */

interface Action {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { description: string }>;
  runs: Record<string, string>;
}

export const action: Action = parse(readFileSync('action.yml', 'utf8'));

/** What expressions stand for, by what is between the braces. */
export type Contexts = Record<string, string>;

const RUNNER: Contexts = {
  'github.token': 'ghs_0123456789',
  'github.repository': 'octo/demo',
  'job.status': 'success',
  'job.check_run_id': '38291',
};

/** The environment of a step that sets these inputs, and leaves the rest to their defaults. */
export function stepWith(
  inputs: Record<string, string>,
  contexts: Contexts = {},
  [name, event]: [name: string, event: object] = ['schedule', {}],
): Environment {
  const known = { ...RUNNER, ...contexts };
  const values = Object.entries(action.inputs).map(([input, { default: fallback = '' }]) => [
    `INPUT_${input.toUpperCase()}`,
    evaluated(inputs[input] ?? fallback, known),
  ]);
  return { env: { ...Object.fromEntries(values), GITHUB_ACTOR: 'octocat', GITHUB_EVENT_NAME: name }, event };
}

function evaluated(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const value = contexts[expression];
    if (value === undefined) throw new Error(`nobody knows what ${expression} stands for`);
    return value;
  });
}
