// Builds, unless this script has already built dist/ from the same sources with the same version of Node. With `--again`,
// it builds anyway.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that the build reads. The lock file stands for the content of packages. */
const SOURCES = [
  'catalogue',
  'docs',
  'evidence',
  'fixtures',
  'openapi',
  'packages',
  'probes',
  'scenarios',
  'scripts',
  'src',
];
const FILES = ['LICENSE', 'package.json', 'package-lock.json', 'redocly.yaml', 'tsconfig.json'];
const KEPT = 'node_modules/.cache/understudy-build';

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();

/** The build generates some of the sources, so they are read afterwards. */
function digest() {
  const hash = createHash('sha256').update(process.version);
  for (const file of [...SOURCES.flatMap(filesIn), ...FILES])
    hash.update(`${file}\0`).update(readFileSync(file));
  const built = existsSync('dist') ? filesIn('dist') : [];
  for (const file of built.filter((each) => !each.endsWith('.local.cache'))) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

const isBuilt =
  !process.argv.includes('--again') && existsSync(KEPT) && readFileSync(KEPT, 'utf8') === digest();
if (!isBuilt) {
  for (const script of ['scripts/generate.mjs', 'scripts/build.mjs'])
    execFileSync(process.execPath, [script], { stdio: 'inherit' });
  mkdirSync('node_modules/.cache', { recursive: true });
  writeFileSync(KEPT, digest());
}
