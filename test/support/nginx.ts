import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { eventually, follow, makeFolder } from './process.ts';

const NGINX = '/usr/sbin/nginx';
/** Debian has streams in a package of their own. */
const MODULES = 'include /etc/nginx/modules-enabled/*.conf;';

/** Whether nginx with streams is installed. */
export const HAS_NGINX = existsSync(NGINX) && accepts(`${MODULES} events {} stream {}`);

function accepts(configuration: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-nginx-'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${join(folder, 'pid')}; ${configuration}`);
  const { status } = spawnSync(NGINX, ['-t', '-q', '-c', file, '-e', 'stderr']);
  rmSync(folder, { recursive: true });
  return status === 0;
}

/** Checks the configuration and starts nginx with it; resolves when it accepts connections. */
export async function startNginx(configuration: string, url: string): Promise<void> {
  const folder = makeFolder();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration.replace(/^pid .*$/m, `pid ${join(folder, 'pid')};`));
  const common = ['-c', file, '-e', 'stderr'];
  const checked = spawnSync(NGINX, [...common, '-t'], { encoding: 'utf8' });
  if (checked.status !== 0) throw new Error(checked.stderr);
  const { child, output, exited } = follow(spawn(NGINX, [...common, '-g', 'daemon off;']));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const isUp = () =>
    fetch(url, { method: 'HEAD' }).then(
      () => true,
      () => child.exitCode !== null,
    );
  await eventually(isUp, (up) => up);
  if (child.exitCode !== null) throw new Error(output.stderr);
}
