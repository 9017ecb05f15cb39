// Installs the packages of folders that have their own package.json, and runs `npm test` there.
// usage: node scripts/outside-packages.mjs FOLDER… [-- ARGUMENT…]
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const [folders, own] = [given.slice(0, end), given.slice(end + 1)];

for (const folder of folders) {
  npm('ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel', 'error');
  if (folder.startsWith('examples/')) copy(folder);
  else link(folder);
  npm('test', '--prefix', folder, '--', ...own);
}

/** Links the build of this checkout into the folder under the name of the published package. */
function link(folder) {
  const at = join(folder, 'node_modules', 'understudy-server');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  if (!existsSync(at)) symlinkSync(resolve('.'), at, 'junction');
}

/** Copies what npm would install, so that it finds the packages of the folder, such as Playwright. */
function copy(folder) {
  const at = join(folder, 'node_modules', 'understudy-server');
  rmSync(at, { recursive: true, force: true });
  const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const file of ['package.json', ...files.filter((each) => !each.startsWith('!'))])
    cpSync(file, join(at, file), { recursive: true });
}

function npm(...args) {
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}
