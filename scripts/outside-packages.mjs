// Runs `npm test` in folders that have packages of their own, which a plain `npm ci` does not install.
// usage: node scripts/outside-packages.mjs FOLDER…
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

for (const folder of process.argv.slice(2)) {
  npm('ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel', 'error');
  link(folder);
  npm('test', '--prefix', folder);
}

/** The folder imports the build of this checkout under the name that users install. */
function link(folder) {
  const at = join(folder, 'node_modules', 'understudy-server');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  if (!existsSync(at)) symlinkSync(resolve('.'), at, 'junction');
}

function npm(...args) {
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}
