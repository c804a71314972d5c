import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type Inputs, loadInputs } from '../src/inputs.js';
import { OUTPUTS } from '../src/outputs.js';
import { action, type Contexts, stepWith } from './action-yml.js';

/** Every workflow that people may copy, from examples/ and README.md, does what it seems to do. */

interface Step {
  id?: string;
  if?: string;
  uses?: string;
  with?: Record<string, string>;
}
interface Job {
  steps: Step[];
  'timeout-minutes': number;
}
interface Workflow {
  on: Record<string, { inputs?: Record<string, { default?: string; options?: string[] }> } | null>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const OURS = 'claim-action/claim-action@v1';

/** What the events of the workflows bring along. */
const EVENTS: Record<string, object> = {
  issues: { issue: { number: 12 } },
  pull_request_target: { pull_request: { number: 12 } },
  schedule: {},
  workflow_dispatch: {},
};

const texts: [name: string, text: string][] = [
  ...readdirSync('examples')
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name): [string, string] => [`examples/${name}`, readFileSync(`examples/${name}`, 'utf8')]),
  ...[...readFileSync('README.md', 'utf8').matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)].map(
    ([, text = ''], index): [string, string] => [`README.md, workflow ${index + 1}`, text],
  ),
];

const ours = ({ steps }: Job) => steps.filter(({ uses }) => uses === OURS);

/** What the workflow's own inputs and steps stand for, as far as this action's inputs may use them. */
function contextsOf({ on }: Workflow, { steps }: Job): Contexts {
  const inputs = Object.entries(on['workflow_dispatch']?.inputs ?? {});
  const ids = steps.flatMap(({ id }) => id ?? []);
  return {
    ...Object.fromEntries(inputs.map(([name, input]) => [`inputs.${name}`, input.default ?? ''])),
    ...Object.fromEntries(ids.map((id) => [`steps.${id}.outputs.claim-id`, 'item-12@0123456789abcdef'])),
  };
}

/** The inputs of this action's steps in a job, as the code reads them, once per event of the workflow. */
function loaded(workflow: Workflow, job: Job): Inputs[] {
  return Object.keys(workflow.on).flatMap((name) => {
    const event = EVENTS[name];
    if (!event) throw new Error(`nobody knows what the event ${name} brings along`);
    return ours(job).map((step) =>
      loadInputs(stepWith(step.with ?? {}, contextsOf(workflow, job), [name, event])),
    );
  });
}

it('there are workflows in examples/ and in README.md', () => {
  expect(texts.filter(([name]) => name.startsWith('examples/')).length).toBeGreaterThanOrEqual(2);
  expect(texts.filter(([name]) => name.startsWith('README.md')).length).toBeGreaterThanOrEqual(1);
});

describe.each(texts)('%s', (_, text) => {
  const workflow: Workflow = parse(text);
  const jobs = Object.values(workflow.jobs);

  it('uses this action, by the name and version that it is published under', () => {
    const uses = jobs.flatMap(({ steps }) => steps.flatMap((step) => step.uses ?? []));
    expect(uses).toContain(OURS);
    expect(uses.filter((action) => action.includes('claim-action') && action !== OURS)).toEqual([]);
  });

  it('sets inputs that action.yml has', () => {
    const set = jobs.flatMap((job) => ours(job).flatMap((step) => Object.keys(step.with ?? {})));
    expect(set.filter((input) => !(input in action.inputs))).toEqual([]);
  });

  it('sets them to values that the code accepts, on each of its events', () => {
    for (const job of jobs) expect(loaded(workflow, job).length).toBeGreaterThan(0);
  });

  it('reads outputs that action.yml has', () => {
    for (const job of jobs) {
      const ids = ours(job).map(({ id }) => id);
      const read = [...JSON.stringify(job).matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)];
      const missing = read.filter(
        ([, id, output]) => ids.includes(id) && !OUTPUTS.some((name) => name === output),
      );
      expect(missing.map(([whole]) => whole)).toEqual([]);
    }
  });

  it('asks for the permissions that a claim takes', () => {
    const { contents, issues, 'pull-requests': pulls } = workflow.permissions;
    expect(contents).toBe('write');
    const items = jobs
      .flatMap((job) => loaded(workflow, job))
      .filter((inputs) => inputs.mode === 'claim' && 'number' in inputs.target);
    if (items.length > 0) expect([issues, pulls]).toContainEqual(expect.stringMatching(/^(read|write)$/));
  });

  it('does nothing without the claim: each step after a claim that may be skipped has an if', () => {
    for (const { steps } of jobs) {
      const claim = steps.findIndex(({ with: inputs }) => inputs?.['on-conflict'] === 'skip');
      const guard = `steps.${steps[claim]?.id}.outputs.claimed == 'true'`;
      const after = claim < 0 ? [] : steps.slice(claim + 1);
      expect(after.filter((step) => step.if !== guard)).toEqual([]);
    }
  });

  it('holds the claim as long as the job runs: by its ttl, or by renewals', () => {
    for (const job of jobs) {
      const inputs = loaded(workflow, job);
      const renewed = inputs.some(({ mode }) => mode === 'heartbeat');
      const ttls = inputs.flatMap((input) => (input.mode === 'claim' ? input.lease.ttl : []));
      const longest = renewed ? 0 : job['timeout-minutes'] * 60_000;
      expect(Math.min(...ttls)).toBeGreaterThan(longest);
    }
  });

  it('verifies after it claimed', () => {
    for (const job of jobs) {
      const modes = loaded(workflow, job).map(({ mode }) => mode);
      if (modes.includes('claim')) expect(modes).toContain('verify');
    }
  });
});
