import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ENDINGS } from '../src/engine/outcome.js';
import { Job } from './e2e/runner.js';
import { type GitHubServer, startServer } from './server/server.js';

/** What README.md says is so: its tables are complete, and its commands do what it promises. */

const readme = readFileSync('README.md', 'utf8');

function section(heading: string): string {
  return readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

/** The shell commands of a section, block by block. */
function commandsOf(heading: string): string[] {
  return [...section(heading).matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

describe('the generated parts of README.md', () => {
  let folder: string;
  const generate = (...options: string[]) =>
    spawnSync(process.execPath, [resolve('.ci/readme.js'), ...options], { cwd: folder, encoding: 'utf8' });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'readme-'));
    for (const source of ['action.yml', 'examples']) {
      cpSync(source, join(folder, source), { recursive: true });
    }
    writeFileSync(join(folder, 'README.md'), readme);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are those of action.yml, of the engine and of examples/', () => {
    expect(generate()).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['the workflow', 'mode: verify # red'],
    ['an input', 'What a claim step does when it gets no claim'],
    ['an output', 'One line for people.'],
    ['an outcome', '`lost` | empty | red'],
  ])('are refused when %s is another, in one line, and mended by --write', (_, words) => {
    const stale = readme.replace(words, 'something else');
    expect(stale).not.toBe(readme);
    writeFileSync(join(folder, 'README.md'), stale);

    const { status, stderr } = generate();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^README\.md is behind [^\n]*npm run docs[^\n]*\n$/);

    expect(generate('--write').status).toBe(0);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(readme);
  });
});

it('README.md says of every outcome what to do', () => {
  const answered = section('When something goes wrong')
    .split('\n')
    .flatMap((line) => line.split(' | ')[0]?.match(/(?<=`)[a-z-]+(?=`)/g) ?? []);
  expect(answered.sort()).toEqual(Object.keys(ENDINGS).sort());
});

it('README.md links to files and headings that exist', () => {
  const anchors = [...readme.matchAll(/^#+ (.*)$/gm)].map(
    ([, heading = '']) => `#${heading.toLowerCase().replace(/ /g, '-')}`,
  );
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => (link.startsWith('#') ? !anchors.includes(link) : !existsSync(link)));
  expect(broken).toEqual([]);
});

describe('the git commands of README.md', () => {
  let server: GitHubServer;
  let clone: string;
  const jobs: Job[] = [];

  beforeAll(async () => {
    server = await startServer();
    server.addIssue({ number: 12 });
    clone = mkdtempSync(join(tmpdir(), 'clone-'));
    execFileSync('git', ['clone', '--quiet', server.directory, clone]);
    execFileSync('git', ['-C', clone, 'config', 'user.name', 'Octo Cat']);
    execFileSync('git', ['-C', clone, 'config', 'user.email', 'octo@example.com']);
  });
  afterAll(async () => {
    for (const job of jobs) job.close();
    rmSync(clone, { recursive: true, force: true });
    await server.close();
  });

  const start = (run: number) => {
    const job = new Job(server, { run, job: String(run) });
    jobs.push(job);
    return job;
  };
  const type = (commands: string) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: clone,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  it('show the log of a key, and free it and forget it by hand', async () => {
    const [log = ''] = commandsOf('How it works');
    const [free = '', forget = ''] = commandsOf('Freeing a claim by hand');
    const [first, second, third] = [start(1), start(2), start(3)];
    await first.step({ mode: 'claim', item: '12', agent: 'first' });
    const { outputs } = await first.step({ mode: 'heartbeat' });

    const shown = type(log.replace(/refs\/claims\/item-12\/\d{8}/, outputs['ref'] ?? ''));
    expect(shown.status).toBe(0);
    expect(shown.stdout).toContain('refs/claims/item-12/00000002\n');
    expect(shown.stdout).toMatch(/^item-12 renewed by first, generation 1\n[\s\S]*^Claim-Event: claimed\n/m);

    expect(type(free).status).toBe(0);
    const lost = await first.step({ mode: 'verify' });
    expect(lost.outputs).toMatchObject({ outcome: 'lost', reason: 'released' });
    const won = await second.step({ mode: 'claim', item: '12', agent: 'second' });
    expect(won.outputs).toMatchObject({ outcome: 'claimed', generation: '2' });
    await first.post();
    expect((await second.step({ mode: 'verify' })).outputs).toMatchObject({ outcome: 'owned' });

    expect(type(`git fetch --quiet origin 'refs/claims/*:refs/claims/*'\n${forget}`).status).toBe(0);
    expect([...(await server.refs('refs/claims/')).keys()]).toEqual([]);
    const anew = await third.step({ mode: 'claim', item: '12' });
    expect(anew.outputs).toMatchObject({ outcome: 'claimed', generation: '1' });
  });

  it("do not free a claim that has gone on meanwhile: the next entry is somebody else's", async () => {
    const [free = ''] = commandsOf('Freeing a claim by hand');
    const job = start(4);
    await job.step({ mode: 'claim', key: 'deploy/prod' });
    // The same commands for another key, and a renewal between the look and the push.
    const [look = '', push = ''] = free.replace('item-12', 'deploy/prod').split(/^(?=git push)/m);
    writeFileSync(join(clone, 'look.sh'), `${look}\necho "$next $entry"`);
    const [next = '', entry = ''] = type('. ./look.sh').stdout.trim().split(' ');
    const { outputs } = await job.step({ mode: 'heartbeat' });
    expect(outputs['ref']).toBe(next);

    const pushed = type(`next=${next} entry=${entry}\n${push}`);
    expect(pushed.status).not.toBe(0);
    expect((await job.step({ mode: 'verify' })).outputs).toMatchObject({ outcome: 'owned', generation: '1' });
  });
});
