// Runs the steps of a generator, without those whose files are as their last run left them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from './replace-folder.mjs';

export class Steps {
  #file;
  #shared;
  #known;

  /** `file` keeps the digests. `shared`: files and folders that every step reads, such as the scripts themselves. */
  constructor(file, shared) {
    this.#file = file;
    this.#shared = shared;
    this.#known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  }

  /** The path of a file for what one step leaves for another. */
  between = (name) => join(dirname(this.#file), name);

  /** `make` reads `reads`, files and folders, and writes `writes`. It may return the paths of more that it has read. */
  async run(name, { reads, writes }, make) {
    const known = this.#known[name];
    if (known && Object.entries(known).every(([path, digest]) => digestOf(path) === digest)) return;
    const before = digestsOf([process.execPath, ...this.#shared, ...reads]);
    const found = (await make()) ?? [];
    this.#known[name] = { ...before, ...digestsOf([...found, ...writes]) };
    replaceFile(this.#file, JSON.stringify(this.#known));
  }
}

const digestsOf = (paths) => Object.fromEntries(paths.map((path) => [path, digestOf(path)]));

/** Of the names and contents of all its files, if it is a folder. */
function digestOf(path) {
  // The program that runs this is large: its version says enough.
  if (path === process.execPath) return process.version;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return 'none';
  const hash = createHash('sha256');
  if (!stats.isDirectory()) return hash.update(readFileSync(path)).digest('base64url');
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('base64url');
}
