// Replaces files and folders that others may be reading: they see either the old version or the new one.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces one folder with another. If two processes do so at once, the last one wins. */
export function replaceFolder(folder, replacement) {
  const old = `${replacement}-old`;
  for (;;) {
    rename(folder, old, ['ENOENT']);
    const isReplaced = rename(replacement, folder, ['ENOTEMPTY', 'EEXIST', 'EPERM']);
    rmSync(old, { recursive: true, force: true });
    if (isReplaced) return;
  }
}

export function replaceFile(file, content) {
  const written = `${file}-${process.pid}`;
  whileReplaced(() => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(written, content);
    renameSync(written, file);
  });
}

/** Tries again if another process has just replaced the folder. */
export function whileReplaced(work) {
  for (let left = 10; ; left -= 1) {
    try {
      return work();
    } catch (thrown) {
      if (thrown.code !== 'ENOENT' || left === 0) throw thrown;
    }
  }
}

/** Returns false for errors with this code, and throws all others. */
function rename(from, to, codes) {
  try {
    renameSync(from, to);
    return true;
  } catch (thrown) {
    if (codes.includes(thrown.code)) return false;
    throw thrown;
  }
}
