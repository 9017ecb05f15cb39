import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { FileLog } from '../../src/store/file-log.ts';
import { StoreError } from '../../src/store/change-log.ts';
import { logOf, openLog } from './log-support.ts';
import { failOnWarning, makeFolder, put } from './support.ts';

describe('a change log file', () => {
  it('has one readable JSON line for each commit', () => {
    const { path } = logOf(2);

    const [first, second, rest] = readFileSync(path, 'utf8').split('\n');

    const crc32 = expect.stringMatching(/^[0-9a-f]{8}$/);
    expect(JSON.parse(first ?? '')).toEqual({ position: 0, ...put('org_0', 'Acme', 0), crc32 });
    expect(JSON.parse(second ?? '')).toEqual({ position: 1, ...put('org_1', 'Acme', 1), crc32 });
    expect(rest).toBe('');
  });

  it('returns the appended commits from any position, before and after it is reopened', () => {
    const { path, log } = logOf(3);
    log.append(3, { base: { users: [{ id: 'usr_1' }] }, changes: [], marks: { next: 'ü\n"' } });
    log.close();

    const again = openLog(path);
    const opened = again.read(2);
    again.append(4, { base: 'fixture', changes: [], marks: null });

    const third = put('org_2', 'Acme', 2);
    const fourth = { base: { users: [{ id: 'usr_1' }] }, changes: [], marks: { next: 'ü\n"' } };
    const fifth = { base: 'fixture', changes: [], marks: null };
    expect(opened).toEqual([third, fourth]);
    expect(again.read(2)).toEqual([third, fourth, fifth]);
    expect(again.read(5)).toEqual([]);
    expect(again.end).toBe(5);
  });

  it('counts its bytes', () => {
    const { path, log } = logOf(3);
    log.dropBefore(1);
    log.append(3, put('org_3', 'Müller'));

    expect(log.bytes).toBe(readFileSync(path).length);
    expect(openLog(path).bytes).toBe(log.bytes);
  });

  it('refuses a commit at any position but the next', () => {
    const { path, log } = logOf(2);
    const before = readFileSync(path);

    expect(() => log.append(1, put('org_9', 'Late'))).toThrow(
      /default\.log: commit 1 is out of turn, the next one is 2/,
    );
    expect(() => log.append(3, put('org_9', 'Early'))).toThrow(StoreError);
    expect(readFileSync(path)).toEqual(before);
  });

  it('drops old commits and continues after them', () => {
    const { path, log } = logOf(5);

    log.dropBefore(3);
    log.append(5, put('org_5', 'Acme', 5));

    const kept = [3, 4, 5].map((n) => put(`org_${n}`, 'Acme', n));
    expect(log.read(3)).toEqual(kept);
    expect(openLog(path).read(3)).toEqual(kept);
    expect(existsSync(`${path}.tmp`)).toBe(false);
  });

  it('fails when dropped commits are read', () => {
    const { log } = logOf(5);
    log.dropBefore(3);

    expect(() => log.read(2)).toThrow(
      /default\.log:1:1: the log begins at commit 3, but the snapshot ends at commit 2/,
    );
  });
});

describe('a damaged change log', () => {
  it('drops an incomplete last line and warns', () => {
    const { path, log } = logOf(2);
    log.close();
    const whole = readFileSync(path);
    appendFileSync(path, '{"position":2,"changes":[{"coll');
    const warn = vi.fn();

    const again = openLog(path, warn);

    expect(again.end).toBe(2);
    expect(readFileSync(path)).toEqual(whole);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/default\.log:3: the last line was not finished/)],
    ]);
  });

  it('is truncated at the last newline even when the incomplete line is valid JSON', () => {
    const { path, log } = logOf(2);
    log.close();
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    const warn = vi.fn();

    expect(openLog(path, warn).end).toBe(1);
    expect(warn).toHaveBeenCalledOnce();
  });

  const good = JSON.stringify({ position: 1, changes: [], marks: null });
  it.each([
    ['a line that is not JSON', good.replace(']', ''), /default\.log:2:26: not valid JSON, unexpected ","/],
    ['an empty line', '', /default\.log:2:1: not valid JSON, it ends too early/],
    ['a missing line', good.replace('1', '2'), /default\.log:2:13: commit 2 follows commit 0/],
    ['a duplicate line', good.replace('1', '0'), /default\.log:2:13: commit 0 follows commit 0/],
    ['a line without changes', '{"position":1}', /default\.log:2:1: commit without a list of changes/],
    [
      'a change without its row',
      '{"position":1,"changes":[{"collection":"users","id":"u"}]}',
      /:2:26: change without/,
    ],
    [
      'a base with a broken row',
      '{"position":1,"changes":[],"base":{"users":[{}]}}',
      /:2:45: row without an id/,
    ],
  ])('fails to open and is not changed: %s', (_case, second, message) => {
    const path = join(makeFolder(), 'default.log');
    writeFileSync(path, `${JSON.stringify({ position: 0, changes: [], marks: null })}\n`);
    appendFileSync(path, `${second}\n${JSON.stringify({ position: 2, changes: [] })}\n{"torn`);
    const before = readFileSync(path);

    expect(() => FileLog.open({ path, warn: failOnWarning })).toThrow(message);
    expect(() => FileLog.open({ path, warn: failOnWarning })).toThrow(StoreError);
    expect(readFileSync(path)).toEqual(before);
  });

  it('fails to open with bytes that are not UTF-8', () => {
    const path = join(makeFolder(), 'default.log');
    const bytes = Buffer.from(`${JSON.stringify({ position: 0, ...put('org_1', 'Acme') })}\n`);
    bytes[bytes.lastIndexOf('Acme')] = 0xff;
    writeFileSync(path, bytes);

    expect(() => FileLog.open({ path, warn: failOnWarning })).toThrow(/default\.log:1:\d+: not UTF-8 text/);
  });
});
