import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A machine without the toolchain or without its registry cannot run a door. */
export class NotInstallable extends Error {}

const FIVE_MINUTES = 300_000;

/** Packages of PyPI, such as `pysaml2==7.5.4`. Returns the folder of their programs, `python` among them. */
export function installFromPyPi(packages) {
  return installOnce(
    'pypi',
    packages,
    (folder) => {
      execFileSync('python3', ['-m', 'venv', folder], QUIET);
      execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', ...packages], QUIET);
    },
    'bin',
  );
}

/** Packages of npm, such as `@node-saml/node-saml@5.1.0`. Returns a folder whose modules can import them. */
export function installFromNpm(packages) {
  return installOnce('npm', packages, (folder) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const flags = ['--no-audit', '--no-fund', '--loglevel', 'error'];
    execFileSync('npm', ['install', ...flags, ...packages], { ...QUIET, cwd: folder });
  });
}

const QUIET = { stdio: 'pipe', timeout: FIVE_MINUTES };

/** Installs once per machine, outside the repository. */
function installOnce(registry, packages, install, programs = '') {
  const digest = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `understudy-doors-${registry}-${digest}`);
  const ready = join(folder, 'ready');
  if (existsSync(ready)) return join(folder, programs);
  rmSync(folder, { recursive: true, force: true });
  try {
    install(folder);
  } catch (thrown) {
    const reason = String(thrown.stderr || thrown.message)
      .trim()
      .split('\n')
      .at(-1);
    throw new NotInstallable(`${packages.join(' ')} cannot be installed: ${reason}`, { cause: thrown });
  }
  writeFileSync(ready, '');
  return join(folder, programs);
}
