import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  writeFileSync,
  type Dirent,
  type Stats,
  existsSync,
} from 'node:fs';
import { extname, join, resolve, sep, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface NamedFiles {
  /** Files by name without extension. */
  readonly files: ReadonlyMap<string, string>;
  /** Why a file with this name cannot be used. */
  readonly unusable: ReadonlyMap<string, string>;
}

export interface NamedFileRules {
  extensions: readonly string[];
  /** Endings of files with another purpose. */
  except?: readonly string[];
  /** Links may lead out of the folder, because only users of this machine can name these files. */
  linksMayLeave?: boolean;
}

/**
 * The files of a folder, sorted by name. Links out of the folder are excluded, because over HTTP a name must only
 * reach the folder.
 */
export function namedFilesOf(folder: string, rules: NamedFileRules): NamedFiles {
  const { extensions, except = [], linksMayLeave = false } = rules;
  const files = new Map<string, string>();
  const unusable = new Map<string, string>();
  for (const entry of entriesOf(folder)) {
    const extension = extname(entry.name);
    if (!extensions.includes(extension) || except.some((ending) => entry.name.endsWith(ending))) continue;
    const name = entry.name.slice(0, -extension.length);
    const flaw = linksMayLeave && entry.isSymbolicLink() ? undefined : flawOf(entry, folder);
    if (flaw === undefined) files.set(name, join(folder, entry.name));
    else unusable.set(name, `${join(folder, entry.name)} is ${flaw}`);
  }
  return { files, unusable };
}

export const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const entriesOf = (folder: string): Dirent[] =>
  isFolder(folder)
    ? readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    : [];

function flawOf(entry: Dirent, folder: string): string | undefined {
  if (entry.isFile()) return undefined;
  if (!entry.isSymbolicLink()) return 'not a regular file';
  return leadsInside(join(folder, entry.name), folder)
    ? undefined
    : 'a link that leads out of its folder or to no file: replace the link by a copy of the file';
}

function leadsInside(link: string, folder: string): boolean {
  try {
    return realpathSync(resolve(link)).startsWith(realpathSync(folder) + sep);
  } catch {
    return false; // a broken or circular link
  }
}

/** Why a file cannot be read, in one line. */
export class FileError extends Error {
  /** Without the path. */
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.reason = reason;
  }
}

export const MAX_FILE_BYTES = 200_000_000;
const CHUNK = 65_536;

/**
 * Reads a text file. Throws FileError for missing files, for devices, pipes and folders, which are never opened, and
 * for files over 200 MB.
 */
export function readRegularFile(path: string): string {
  try {
    refuseIrregular(path, statSync(path));
    // Opening a pipe would wait for a writer, if a pipe replaced the file meanwhile.
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(fd);
      refuseIrregular(path, stats);
      return readAll(path, fd, stats.size).toString('utf8');
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    if (thrown instanceof FileError) throw thrown;
    throw new FileError(path, reasonOf(thrown as NodeJS.ErrnoException));
  }
}

/** Files in /proc report size 0, so only the bytes read count. */
function readAll(path: string, fd: number, size: number): Buffer {
  let bytes = Buffer.allocUnsafe(size + CHUNK);
  let length = 0;
  for (;;) {
    const count = readSync(fd, bytes, length, bytes.length - length, null);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
    if (length > MAX_FILE_BYTES) throw tooLarge(path);
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
  }
}

function refuseIrregular(path: string, stats: Stats): void {
  const kind = irregularKind(stats);
  if (kind !== undefined) throw new FileError(path, `it is ${kind}, not a regular file`);
  if (stats.size > MAX_FILE_BYTES) throw tooLarge(path);
}

function irregularKind(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

const tooLarge = (path: string) =>
  new FileError(path, `it is larger than ${MAX_FILE_BYTES / 1_000_000} MB, the most that is read`);

/** Throws FileError if the file cannot be written. */
export function writeTextFile(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (thrown) {
    throw new FileError(path, (thrown as Error).message);
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'no such file';
  return code === 'EACCES' ? 'this process has no permission to read it' : message;
}

/** The folder of the published package, for bundles in dist/ and for src/, which has a package.json of its own. */
export const PACKAGE_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'fixtures', 'default.json')) ? folder : rootAbove(dirname(folder));
}
