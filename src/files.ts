import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { extname, join, resolve, sep } from 'node:path';

/** What a folder has for a name. */
export interface NamedFiles {
  /** File by name: without its extension. */
  readonly files: ReadonlyMap<string, string>;
  /** By name, why a file that looks like one is none. */
  readonly unusable: ReadonlyMap<string, string>;
}

export interface NamedFileRules {
  extensions: readonly string[];
  /** Endings of files that have another use. */
  except?: readonly string[];
  /** Only a person on this machine can name these files, who may well have put a link there. */
  linksMayLeave?: boolean;
}

/**
 * The files of a folder that a name can stand for, in the order of their names. A link that leads out of the folder is
 * none: over HTTP a name must reach nothing but what is in the folder.
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
    : 'a link that leads out of its folder, or nowhere: put a copy of the file there';
}

function leadsInside(link: string, folder: string): boolean {
  try {
    return realpathSync(resolve(link)).startsWith(realpathSync(folder) + sep);
  } catch {
    return false; // it leads nowhere, or round in a circle
  }
}

/** Why a file can't be read: one line for a person. */
export class FileError extends Error {
  /** The same without the path. */
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.reason = reason;
  }
}

export const LARGEST_FILE = 200_000_000;
const CHUNK = 65_536;

/**
 * The text of a file. Throws FileError for what is not there, for a device, a pipe or a folder, which is never opened,
 * and for a file of more than 200 MB.
 */
export function readRegularFile(path: string): string {
  try {
    refuseIrregular(path, statSync(path));
    // Were it replaced by a pipe meanwhile, opening would wait for a writer.
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

/** Files of /proc say that they are empty, however much is in them: what counts is what comes. */
function readAll(path: string, fd: number, size: number): Buffer {
  let bytes = Buffer.allocUnsafe(size + CHUNK);
  let length = 0;
  for (;;) {
    const count = readSync(fd, bytes, length, bytes.length - length, null);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
    if (length > LARGEST_FILE) throw tooLarge(path);
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
  }
}

function refuseIrregular(path: string, stats: Stats): void {
  const kind = irregularKind(stats);
  if (kind !== undefined) throw new FileError(path, `it is ${kind}, not a regular file`);
  if (stats.size > LARGEST_FILE) throw tooLarge(path);
}

function irregularKind(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

const tooLarge = (path: string) =>
  new FileError(path, `it is larger than ${LARGEST_FILE / 1_000_000} MB, the most that is read`);

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'no such file';
  return code === 'EACCES' ? 'this process may not read it' : message;
}
