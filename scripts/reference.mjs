// The viewer of the API reference. Its package brings 430 others (767 MB) that its own bundle already contains, so the
// build takes that one package from the registry and nothing else. It is kept below node_modules/.cache.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const VERSION = '9.0.25';
const PACKAGE = `@stoplight/elements@${VERSION}`;
const INTEGRITY =
  'sha512-rDbNsgSCNo74lyV57cBzym+8F68/R2j7UPq4r3w5qK608vX8APNJhTq+2MkbTjsM3bUhFIoRdI225tlI85KpCA==';
const CACHE = 'node_modules/.cache/understudy-reference';
const NOTICES = 'src/dashboard/reference/NOTICES.txt';
const FILES = { script: 'web-components.min.js', style: 'styles.min.css' };

/** Writes the viewer's files; resolves to their names, which hold their hashes. */
export function writeViewer(assets) {
  const files = filesIn(gunzipSync(readTarball()));
  const named = Object.entries(FILES).map(([kind, path]) => {
    const content = files.get(`package/${path}`);
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase();
    const name = `viewer-${hash}.${kind === 'script' ? 'js' : 'css'}`;
    writeFileSync(join(assets, name), content);
    return [kind, name];
  });
  const notices = `${readNotices()}\n${files.get(`package/${FILES.script}.LICENSE.txt`)}`;
  return { ...Object.fromEntries(named), notices };
}

/** Uses the copy of an earlier build, or lets npm fetch it. */
function readTarball() {
  const kept = join(CACHE, `${VERSION}.tgz`);
  if (!existsSync(kept)) fetchTarball(kept);
  const bytes = readFileSync(kept);
  const digest = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (digest === INTEGRITY) return bytes;
  rmSync(kept);
  throw new Error(`${PACKAGE} is not what scripts/reference.mjs expects: its digest is ${digest}`);
}

function fetchTarball(kept) {
  const folder = join(CACHE, String(process.pid));
  mkdirSync(folder, { recursive: true });
  const options = { encoding: 'utf8', shell: process.platform === 'win32' };
  const wanted = ['pack', PACKAGE, '--pack-destination', folder, '--prefer-offline', '--silent'];
  const name = execFileSync('npm', wanted, options).trim();
  renameSync(join(folder, name), kept);
  rmSync(folder, { recursive: true });
}

function readNotices() {
  const text = readFileSync(NOTICES, 'utf8');
  if (text.includes(PACKAGE.replace(/@(?=\d)/, ' '))) return text;
  throw new Error(`${NOTICES} is not of ${PACKAGE}: see scripts/reference-notices.mjs`);
}

const BLOCK = 512;

/** The files of a tar archive, by path. */
function filesIn(tar) {
  const files = new Map();
  for (let at = 0; tar[at] > 0;) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = parseInt(tar.toString('latin1', at + 124, at + 136), 8);
    files.set(name, tar.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
