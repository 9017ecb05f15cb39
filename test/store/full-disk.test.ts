import fs, { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { logOf, openLog } from './log-support.ts';
import { put } from './support.ts';

/** Lets this many more bytes be written, then fails with ENOSPC. */
function fillDiskAfter(bytes: number): void {
  const write = fs.writeSync;
  let left = bytes;
  vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, buffer: Buffer, offset: number) => {
    if (left === 0)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const count = write(fd, buffer, offset, Math.min(left, buffer.length - offset));
    left -= count;
    return count;
  }) as typeof fs.writeSync);
  syncBuiltinESMExports();
  onTestFinished(freeDisk);
}

function freeDisk(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

describe('a full disk', () => {
  it('refuses the commit and leaves the log ready for the next one', () => {
    const { path, log } = logOf(2);
    const before = readFileSync(path);
    fillDiskAfter(20);

    expect(() => log.append(2, put('org_2', 'Refused'))).toThrow(/default\.log: ENOSPC/);
    expect(readFileSync(path)).toEqual(before);
    freeDisk();
    log.append(2, put('org_2', 'Taken'));

    expect(openLog(path).read(2)).toEqual([put('org_2', 'Taken')]);
  });

  it('keeps the whole log when dropping old commits fails', () => {
    const { path, log } = logOf(4);
    fillDiskAfter(20);

    expect(() => log.dropBefore(2)).toThrow(/default\.log: ENOSPC/);
    freeDisk();
    log.append(4, put('org_4', 'Acme', 4));

    expect(existsSync(`${path}.tmp`)).toBe(false);
    expect(openLog(path).read(0)).toEqual([0, 1, 2, 3, 4].map((n) => put(`org_${n}`, 'Acme', n)));
  });
});
