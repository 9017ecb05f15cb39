import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Collections } from '../../src/store/change-log.ts';
import { DroppedNames } from '../../src/store/dropped-names.ts';
import { openFolder } from '../../src/store/store.ts';
import { crc32, slowCrc32 } from '@understudy/text/checksum';
import { boot } from '../support/boot.ts';
import { gone, makeFolder, openStore, put, rowsOf } from './support.ts';

const acme = { id: 'org_1', display_name: 'Acme' };

/** The rows, or the message that refuses them. */
async function opened(folder: string): Promise<Collections | string> {
  const store = await openFolder(folder, { warn: () => {} });
  try {
    return rowsOf(await store.open('default'));
  } catch (thrown) {
    return (thrown as Error).message;
  } finally {
    await store.close();
  }
}

/** A folder with a snapshot, and a log of three commits after it. */
async function stored() {
  const folder = makeFolder();
  const store = await openStore(folder);
  const env = await store.open('default');
  await env.fold({ marks: { clock: 1 }, collections: { organizations: [acme] } });
  env.append(put('org_2', 'Globex "ü"', { clock: 2 }));
  env.append(gone('org_1', {}));
  const before = rowsOf({ snapshot: undefined, commits: [put('org_2', 'Globex "ü"')] });
  env.append(put('org_3', 'Initech'));
  await store.close();
  return { folder, before };
}

const flip = (bytes: Buffer, bit: number): Buffer => {
  const flipped = Buffer.from(bytes);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
};

describe('one wrong bit', () => {
  it.each(['default.json', 'default.log'])(
    'in %s stops the start, or is in a line that counts as torn',
    async (file) => {
      const { folder, before } = await stored();
      const path = join(folder, file);
      const bytes = readFileSync(path);
      const lastLine = bytes.lastIndexOf('\n', -2) + 1;
      const bit = fc.integer({ min: 0, max: bytes.length * 8 - 1 });

      await fc.assert(
        fc.asyncProperty(bit, async (at) => {
          writeFileSync(path, flip(bytes, at));
          const found = await opened(folder);
          if (typeof found === 'string') {
            expect(found).toMatch(/default\.(json|log):\d+:\d+: /);
            expect(found).toContain(path);
            expect(readFileSync(path)).toEqual(flip(bytes, at));
          } else {
            expect(file).toBe('default.log');
            expect(at >> 3).toBeGreaterThanOrEqual(lastLine);
            expect(found).toEqual(before);
          }
        }),
        { numRuns: 400 },
      );
    },
    60_000,
  );

  it('in the checksum of the first line is found', async () => {
    const { folder } = await stored();
    const path = join(folder, 'default.log');
    const bytes = readFileSync(path);
    const digit = bytes.indexOf('"crc32":"') + '"crc32":"'.length;
    writeFileSync(path, flip(bytes, digit * 8 + 6));

    expect(await opened(folder)).toMatch(/default\.log:1:1: the checksum is damaged/);
  });

  it('in the line break after the last line is no torn line', async () => {
    const { folder } = await stored();
    const path = join(folder, 'default.log');
    const bytes = readFileSync(path);
    writeFileSync(path, flip(bytes, bytes.length * 8 - 3));

    expect(await opened(folder)).toMatch(
      /default\.log:4:1: the line does not end with a line break; restore the file from a backup, or remove this line/,
    );
  });
});

describe('one wrong bit in the list of dropped names', () => {
  it('stops the start, unless the line counts as torn', () => {
    const folder = makeFolder();
    const names = () => new DroppedNames(folder, { isSynced: false, admit: () => {} });
    const first = names();
    first.add('worker', 1);
    first.add('other', 12);
    first.close();
    const path = join(folder, 'dropped-names');
    const bytes = readFileSync(path);
    expect([names().generation('worker'), names().generation('other')]).toEqual([1, 12]);

    for (let bit = 0; bit < (bytes.length - 1) * 8; bit += 1) {
      writeFileSync(path, flip(bytes, bit));
      expect(() => names().generation('worker')).toThrow(`${path}:`);
    }
  });
});

describe('files of an earlier version', () => {
  const line = (position: number, name: string) =>
    `${JSON.stringify({ position, ...put(`org_${position}`, name) })}\n`;

  it('are read, and have checksums after the next write', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'default.json'), '{"understudy":{"format":1,"position":1,"marks":null}}');
    writeFileSync(join(folder, 'default.log'), line(0, 'Old') + line(1, 'Acme'));
    const store = await openStore(folder);
    const env = await store.open('default');

    const rows = rowsOf(env);
    await store.close();

    expect(rows).toEqual({ organizations: [acme] });
    const lines = readFileSync(join(folder, 'default.log'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    for (const each of lines) expect(each).toMatch(/,"crc32":"[0-9a-f]{8}"\}$/);
    expect(await opened(folder)).toEqual(rows);
  });
});

describe('a missing snapshot', () => {
  it.each([
    ['with commits after it', true],
    ['without', false],
  ])('stops the start, as a gap in the log does, %s', async (_, hasCommits) => {
    const data = makeFolder();
    const first = await boot({ data });
    if (hasCommits) await first.api.post('/api/v1/organizations').send({ display_name: 'Late' }).expect(201);
    await first.understudy.close();
    if (hasCommits) {
      const store = await openStore(data);
      (await store.open('default')).append(put('org_2', 'Globex'));
      await store.close();
    }
    rmSync(join(data, 'default.json'));
    const size = statSync(join(data, 'default.log')).size;

    await expect(boot({ data })).rejects.toThrow(
      /default\.log:1:1: the log begins at commit \d+, but there is no snapshot/,
    );

    expect(statSync(join(data, 'default.log')).size).toBe(size);
  });
});

describe('the checksum', () => {
  it('is the same with and without zlib', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, before) => {
        expect(slowCrc32(text, before)).toBe(crc32(text, before));
      }),
    );
  });
});
