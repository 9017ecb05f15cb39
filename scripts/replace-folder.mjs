// Writes what others may read at the same time: they find it whole, before or after.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Puts the one folder in the place of the other. Two processes may do so at once; the last one wins. */
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

/** Does it again if another process has just replaced the folder. */
export function whileReplaced(work) {
  for (let left = 10; ; left -= 1) {
    try {
      return work();
    } catch (thrown) {
      if (thrown.code !== 'ENOENT' || left === 0) throw thrown;
    }
  }
}

/** Whether it could be done; a failure of another code is thrown. */
function rename(from, to, codes) {
  try {
    renameSync(from, to);
    return true;
  } catch (thrown) {
    if (codes.includes(thrown.code)) return false;
    throw thrown;
  }
}
