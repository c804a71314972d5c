import { spawn } from 'node:child_process';
import { devNull } from 'node:os';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * The environment of every git process here: nothing of the user's configuration, and nothing of a
 * repository that the tests happen to run in (a git hook sets `GIT_DIR`). The messages are read, so
 * they have to be English.
 */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

/** Runs git on a repository to its end, whatever the exit code. */
export function run(directory: string, args: string[], input: string | Buffer = ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [`--git-dir=${directory}`, ...args], { env: ENVIRONMENT });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
    // A git that gives up early doesn't read to the end; its exit code tells.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Runs git where only success makes sense; returns what it printed. */
export async function must(directory: string, args: string[], input?: string | Buffer): Promise<string> {
  const { code, stdout, stderr } = await run(directory, args, input);
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
  return stdout;
}
