import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { INPUTS, loadInputs, loadPostInputs } from '../src/inputs.js';
import { OUTPUTS } from '../src/outputs.js';
import { action, stepWith } from './action-yml.js';

/** action.yml is what users see of the code: both must say the same. */

describe('action.yml', () => {
  it('has the inputs that the code reads, in the same order', () => {
    expect(Object.keys(action.inputs)).toEqual([...INPUTS]);
  });

  it('has the outputs that the code sets, in the same order', () => {
    expect(Object.keys(action.outputs)).toEqual([...OUTPUTS]);
  });

  it('says of each of them what it means', () => {
    const described = Object.entries({ ...action.inputs, ...action.outputs });
    expect(described.filter(([, { description }]) => !description?.endsWith('.'))).toEqual([]);
  });

  it.each(['claim', 'verify', 'heartbeat', 'release'])('has defaults that %s accepts', (mode) => {
    const inputs = loadInputs(stepWith({ mode, item: '12' }));
    expect(inputs).toMatchObject({
      mode,
      token: 'ghs_0123456789',
      repository: { owner: 'octo', repo: 'demo' },
      jobId: '38291',
    });
  });

  it('has the defaults that the code falls back to', () => {
    const bare = { INPUT_MODE: 'claim', INPUT_ITEM: '12', 'INPUT_GITHUB-TOKEN': 'ghs_0123456789' };
    const home = { GITHUB_REPOSITORY: 'octo/demo', GITHUB_ACTOR: 'octocat' };
    const fallback = loadInputs({ env: { ...bare, ...home, 'INPUT_JOB-ID': '38291' }, event: undefined });
    expect(loadInputs(stepWith({ mode: 'claim', item: '12' }))).toEqual(fallback);
  });

  it('gives the post step what it reads', () => {
    const inputs = loadPostInputs(stepWith({ mode: 'claim' }));
    expect(inputs).toEqual({ token: 'ghs_0123456789', jobId: '38291', jobStatus: 'success' });
  });

  it('requires mode, and nothing else', () => {
    const required = Object.entries(action.inputs).filter(([, input]) => input.required);
    expect(required.map(([name]) => name)).toEqual(['mode']);
    expect(() => loadInputs(stepWith({ item: '12' }))).toThrow(/^invalid-input: mode is missing/);
  });

  it('runs files that are there, and the post step always', () => {
    const { main = '', post = '', ...rest } = action.runs;
    expect(rest).toEqual({ using: 'node24', 'post-if': 'always()' });
    expect([main, post].filter((file) => !existsSync(file))).toEqual([]);
  });
});
