// The main script of the single executable: it unpacks the package, and runs it. Files that the program loads at their first
// use, such as the parts of the bundle and the pages of the dashboard, are files there as they are in the package.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getAsset } from 'node:sea';
import { brotliDecompressSync } from 'node:zlib';

/** Set by the build: the version of the package, and a digest of its files. */
declare const CONTENT: string;

/** The first line of the archive says which files follow, and how many bytes each of them has. */
type Entry = readonly [file: string, size: number];

const folder = packageFolder();
createRequire(join(folder, 'package.json'))('./dist/understudy.js');

/** A folder of the user's own, so that nobody else may write to it, and a later start finds what an earlier one unpacked. */
function packageFolder(): string {
  const place = join(cacheFolder(), 'understudy', CONTENT);
  if (existsSync(place)) return place;
  try {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    return unpackTo(place);
  } catch {
    const own = mkdtempSync(join(tmpdir(), 'understudy-'));
    process.once('exit', () => rmSync(own, { recursive: true, force: true }));
    return unpackTo(join(own, 'package'));
  }
}

function cacheFolder(): string {
  const { LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (process.platform === 'win32') return LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : join(homedir(), '.cache');
}

/** Another process that starts at the same time sees all files or none. */
function unpackTo(place: string): string {
  const draft = mkdtempSync(`${place}-`);
  try {
    const bytes = brotliDecompressSync(Buffer.from(getAsset('package')));
    let at = bytes.indexOf('\n') + 1;
    for (const [file, size] of JSON.parse(bytes.toString('utf8', 0, at)) as Entry[]) {
      mkdirSync(dirname(join(draft, file)), { recursive: true });
      writeFileSync(join(draft, file), bytes.subarray(at, (at += size)));
    }
    renameSync(draft, place);
  } catch (thrown) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(place)) throw thrown;
  }
  return place;
}
