import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';

/** Stored rows hold secrets, so only the owner may read them. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * Creates the folder and its missing parents. `mkdirSync` with `recursive` never returns if the parent takes no
 * entries, as in /proc. Returns false if the folder existed.
 */
export function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, PRIVATE_FOLDER);
  } catch (thrown) {
    if (isFolder(folder)) return false;
    const parent = dirname(folder);
    if (codeOf(thrown) !== 'ENOENT' || parent === folder) throw thrown;
    makeFolder(parent);
    mkdirSync(folder, PRIVATE_FOLDER);
  }
  return true;
}

/** Makes git ignore the folder, because its files hold secrets. A disk that refuses the file changes nothing else. */
export function ignoreInGit(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (thrown) {
    if (!refusesWrites(thrown) && codeOf(thrown) !== 'EEXIST') throw thrown;
  }
}

/** Removes the permissions of everybody but the owner, where that is possible. */
export function makePrivate(path: string): void {
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, PRIVATE_FILE);
  } catch {
    // The file does not exist, belongs to somebody else, or the disk is read-only.
  }
}

/** Makes a created or renamed file survive a loss of power. */
export function syncFolderOf(path: string): void {
  if (platform() === 'win32') return; // folders cannot be opened there
  const fd = openSync(dirname(path), 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const REFUSALS = ['EACCES', 'EDQUOT', 'EFBIG', 'EIO', 'EMFILE', 'ENFILE', 'ENOSPC', 'EPERM', 'EROFS'];

/** Whether writing failed in a way that still allows reading. */
export const refusesWrites = (thrown: unknown): boolean => REFUSALS.includes(codeOf(thrown) ?? '');

export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
