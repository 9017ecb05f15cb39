import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';

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
