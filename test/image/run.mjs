// Builds the image and tests what starts: with Docker from its own bases. Without Docker, a superuser of Debian builds the
// same Dockerfile with buildah on stand-ins for the bases: Debian's packages, and Node from npm.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const has = (command, ...args) => spawnSync(command, args).status === 0;

/** Fails with the output of the command, which is long and of no interest otherwise. */
function run(command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status === 0) return stdout.trim();
  console.error(`${command} ${args.join(' ')}\n${error ?? `${stdout ?? ''}${stderr ?? ''}`}`);
  throw new Error(`${command} ended with ${status}`);
}

/** The bases that the Dockerfile names, such as `node:24.21.0-bookworm-slim`. */
function basesOfDockerfile() {
  const file = readFileSync('Dockerfile', 'utf8');
  const base = (name) => new RegExp(`^ARG ${name}=(.*)$`, 'm').exec(file)[1];
  const [, node] = /^node:([\d.]+)-/.exec(base('NODE_IMAGE'));
  const [, suite] = /^debian:(\w+)-slim$/.exec(base('RUNTIME_IMAGE'));
  return { node, suite };
}

/** Writes the contexts of both stand-ins: the root file system of the suite, and Node with npm, in `usr/local`. */
function makeBases(folder) {
  const { node, suite } = basesOfDockerfile();
  const docs = ['path-exclude=/usr/share/doc/*', 'path-include=/usr/share/doc/*/copyright'];
  const slim = [...docs, ...['man', 'locale', 'info'].map((name) => `path-exclude=/usr/share/${name}/*`)];
  const options = ['--quiet', '--variant=minbase', ...slim.map((each) => `--dpkgopt=${each}`)];
  run('mmdebstrap', [...options, suite, join(folder, 'root.tar')]);

  const program = `node-linux-${process.arch}`;
  const packages = join(folder, 'packages');
  mkdirSync(packages);
  writeFileSync(join(packages, 'package.json'), '{}');
  run('npm', ['install', '--ignore-scripts', '--no-save', `${program}@${node}`], { cwd: packages });
  const local = join(folder, 'node', 'usr', 'local');
  for (const part of ['bin/node', 'LICENSE'])
    cpSync(join(packages, 'node_modules', program, part), join(local, part), { recursive: true });
  const npm = join(local, 'lib', 'node_modules', 'npm');
  cpSync(dirname(dirname(process.env.npm_execpath)), npm, { recursive: true, dereference: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  copySettings(join(folder, 'node'));
}

/** npm in the first stage asks the registry that npm asks here. */
function copySettings(root) {
  const asked = (name) => run('npm', ['config', 'get', name]);
  const lines = [`registry=${asked('registry')}`];
  const authorities = asked('cafile');
  if (authorities !== 'null') {
    cpSync(authorities, join(root, 'etc', 'npm-authorities.pem'), { dereference: true });
    lines.push('cafile=/etc/npm-authorities.pem');
  }
  mkdirSync(join(root, 'usr', 'local', 'etc'));
  writeFileSync(join(root, 'usr', 'local', 'etc', 'npmrc'), `${lines.join('\n')}\n`);
}

const STAND_INS = 'FROM scratch AS runtime\nADD root.tar /\nFROM runtime\nCOPY node /\n';

function buildWithBuildah(folder) {
  const storage = join(folder, 'storage');
  const options = ['--root', storage, '--runroot', `${storage}-run`];
  const build = (...args) =>
    run('buildah', [
      ...options,
      'build',
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--pull-never',
      ...args,
    ]);
  makeBases(folder);
  writeFileSync(join(folder, 'Dockerfile'), STAND_INS);
  build('--target', 'runtime', '--tag', 'stand-in-runtime', folder);
  build('--tag', 'stand-in-node', folder);
  const bases = ['NODE_IMAGE=stand-in-node', 'RUNTIME_IMAGE=stand-in-runtime'];
  build(...bases.flatMap((each) => ['--build-arg', each]), '--tag', 'understudy', '.');
  return storage;
}

/** Buildah leaves the file systems of its containers mounted. Those inside others go first. */
function unmountBelow(folder) {
  const places = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((place) => place.startsWith(`${folder}/`));
  for (const place of places.toReversed()) spawnSync('umount', ['--lazy', place]);
}

function test(variables = {}) {
  const args = ['vitest', 'run', '--project', 'slow', 'test/image'];
  const env = { ...process.env, ...variables };
  process.exitCode = spawnSync('npx', args, { stdio: 'inherit', env }).status ?? 1;
}

if (has('docker', 'version')) {
  run('docker', ['build', '--tag', 'understudy', '.']);
  test();
} else if (process.getuid?.() === 0 && has('buildah', '--version') && has('mmdebstrap', '--version')) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-image-'));
  try {
    test({ IMAGE_TEST_STORAGE: buildWithBuildah(folder) });
  } finally {
    unmountBelow(folder);
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  console.log(
    'SKIPPED: the image was not built, because it needs Docker, or root with buildah and mmdebstrap',
  );
}
