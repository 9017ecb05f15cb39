// Makes one executable file of Node and the built package, for the platform that runs this.
//
//   node scripts/executable.mjs [FILE]
//
// `NODE_FOR_EXECUTABLE` names another Node than the one that runs this. executable-node.mjs says which Node it must be.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { BuildError, builderAt } from './executable-node.mjs';

/** What a start reads, as in the image. */
const PARTS = ['dist', 'docs', 'fixtures', 'probes', 'scenarios', 'LICENSE', 'package.json'];
const LEFT_OUT =
  /\.(map|d\.c?ts|cache|svg|png)$|^dist\/(testing|jest|vitest|playwright|testcontainers|global-setup)\./;

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
const node = process.env.NODE_FOR_EXECUTABLE ?? process.execPath;
const isWindows = process.platform === 'win32';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

try {
  await makeExecutable();
} catch (thrown) {
  if (!(thrown instanceof BuildError)) throw thrown;
  console.error(`build:executable: ${thrown.message}`);
  process.exitCode = 1;
}

async function makeExecutable() {
  const builder = builderAt(node);
  if (!existsSync('dist/understudy.js')) throw new BuildError('dist/ is missing. Run npm run build first');
  const out = resolve(process.argv[2] ?? join('executable', nameFor(builder)));
  const work = mkdtempSync(join(tmpdir(), 'understudy-executable-'));
  try {
    copyPackage(work, builder);
    execFileSync(node, [resolve('scripts/code-cache.mjs'), join(work, 'dist', 'understudy.js')], {
      stdio: ['ignore', 'inherit', 'ignore'],
    });
    await writeExecutable(work, out);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Such as `understudy-linux-x64-musl`: the names of a release. */
function nameFor({ platform, arch }) {
  const isMusl = platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `understudy-${platform}-${arch}${isMusl ? '-musl' : ''}${platform === 'win32' ? '.exe' : ''}`;
}

function copyPackage(folder, { license }) {
  const isWanted = (file) => !LEFT_OUT.test(file.replaceAll('\\', '/'));
  for (const part of PARTS) cpSync(part, join(folder, part), { recursive: true, filter: isWanted });
  cpSync(license, join(folder, 'dist', 'NODE-LICENSE.txt'));
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

/** The files one after the other, after a line with their names and sizes. */
function archiveOf(folder) {
  const files = filesIn(folder).map((file) => [file.replaceAll('\\', '/'), readFileSync(join(folder, file))]);
  const index = JSON.stringify(files.map(([file, bytes]) => [file, bytes.length]));
  const whole = Buffer.concat([Buffer.from(`${index}\n`), ...files.map(([, bytes]) => bytes)]);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(whole, { params });
}

async function writeExecutable(work, out) {
  const archive = archiveOf(work);
  const at = (name) => join(work, name);
  writeFileSync(at('package.bin'), archive);
  await build({
    entryPoints: ['src/start/executable.ts'],
    outfile: at('main.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    define: { CONTENT: JSON.stringify(`${version}-${digest(archive).slice(0, 16)}`) },
  });
  const config = { main: at('main.cjs'), output: out, disableExperimentalSEAWarning: true };
  writeFileSync(at('sea.json'), JSON.stringify({ ...config, assets: { package: at('package.bin') } }));
  mkdirSync(dirname(out), { recursive: true });
  execFileSync(node, ['--build-sea', at('sea.json')], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', out]);
  if (!isWindows) chmodSync(out, 0o755);
  const sum = digest(readFileSync(out));
  writeFileSync(`${out}.sha256`, `${sum}  ${basename(out)}\n`);
  console.log(`${out}: ${sum}`);
}
