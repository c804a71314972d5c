// Builds dist/ from build/: app.js holds everything, bundled once by ncc; the entries stay the few
// lines that they are in src and import it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const entries = ['main', 'post'];

rmSync('dist', { recursive: true, force: true });
execFileSync(
  process.execPath,
  [
    'node_modules/@vercel/ncc/dist/ncc/cli.js',
    'build',
    'build/src/app.js',
    '--out',
    'dist',
    '--target',
    'es2022',
    '--license',
    'licenses.txt',
    '--no-cache',
    '--quiet',
  ],
  { stdio: 'inherit' },
);
renameSync('dist/index.js', 'dist/app.js');
strip('dist/app.js');
for (const entry of entries) {
  copyFileSync(`build/src/${entry}.js`, `dist/${entry}.js`);
  strip(`dist/${entry}.js`);
}

/** Source maps aren't shipped, so the comments that point at them aren't either. */
function strip(file) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^\/\/# sourceMappingURL=.*\n?/gm, ''));
}
