import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryDb, createSnapshotDb, type Snapshot, SnapshotFile } from '../../src/store/snapshot.ts';
import { StoreError } from '../../src/store/change-log.ts';
import { makeFolder } from './support.ts';

const snapshot: Snapshot = {
  position: 12,
  marks: { ids: [1, 2], clock: null },
  collections: {
    organizations: [
      { id: 'org_1', display_name: 'Acme', metadata: { plan: 'ü"\n' } },
      { id: 'org_2', display_name: 'Globex' },
    ],
    users: [],
  },
};

const TEXT = `{
  "understudy": {"format":1,"position":12,"marks":{"ids":[1,2],"clock":null}},
  "organizations": [
    {"id":"org_1","display_name":"Acme","metadata":{"plan":"ü\\"\\n"}},
    {"id":"org_2","display_name":"Globex"}
  ],
  "users": []
}
`;

function fileWith(text: string | Buffer): string {
  const path = join(makeFolder(), 'default.json');
  writeFileSync(path, text);
  return path;
}

describe('the snapshot file of an environment', () => {
  it('is readable: the header first, then a line for each row', async () => {
    const path = join(makeFolder(), 'default.json');
    const file = new SnapshotFile(path, false);
    const db = createSnapshotDb(file);

    db.data = snapshot;
    await db.write();

    const text = readFileSync(path, 'utf8');
    expect(text.replace(/"crc32":"[0-9a-f]{8}",/, '')).toBe(TEXT);
    expect(file.bytes).toBe(Buffer.byteLength(text));
    expect(existsSync(`${path}.tmp`)).toBe(false);
  });

  it('is read back as it was written, with frozen rows', async () => {
    const db = createSnapshotDb(new SnapshotFile(fileWith(TEXT), false));

    await db.read();

    expect(db.data).toEqual(snapshot);
    expect(Object.isFrozen(db.data?.collections['organizations']?.[0]?.['metadata'])).toBe(true);
  });

  it('may be reformatted by an editor', async () => {
    const db = createSnapshotDb(
      new SnapshotFile(fileWith(JSON.stringify(JSON.parse(TEXT), undefined, 4)), false),
    );

    await db.read();

    expect(db.data).toEqual(snapshot);
  });

  it('is optional', async () => {
    const db = createSnapshotDb(new SnapshotFile(join(makeFolder(), 'default.json'), false));

    await db.read();

    expect(db.data).toBeNull();
  });

  it('does not block other work while 100 000 rows are written', async () => {
    const rows = Array.from({ length: 100_000 }, (_, n) => ({
      id: `org_${n}`,
      display_name: `Organization ${n}`,
    }));
    const db = createSnapshotDb(new SnapshotFile(join(makeFolder(), 'default.json'), false));
    db.data = { ...snapshot, collections: { organizations: rows } };
    let turns = 0;
    let isWriting = true;
    const takeTurns = (): void => {
      turns++;
      if (isWriting) setImmediate(takeTurns);
    };

    takeTurns();
    await db.write();
    isWriting = false;

    expect(turns).toBeGreaterThan(50);
  });

  it('is replaced completely or not at all', async () => {
    const path = fileWith(TEXT);
    const db = createSnapshotDb(new SnapshotFile(path, false));
    db.data = { ...snapshot, collections: { organizations: [], understudy: [] } };

    await expect(db.write()).rejects.toThrow(
      /default\.json: "understudy" cannot be the name of a collection/,
    );

    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    expect(existsSync(`${path}.tmp`)).toBe(false);
  });

  it('does not exist for a store in memory', async () => {
    const db = createMemoryDb();

    db.data = snapshot;
    await db.write();
    await db.read();

    expect(db.data).toBe(snapshot);
  });
});

describe('a damaged snapshot file', () => {
  it.each([
    ['it is empty', '', '1:1: not valid JSON, it ends too early'],
    ['it is truncated', TEXT.slice(0, TEXT.indexOf('"Globex')), '5:34: not valid JSON, it ends too early'],
    [
      'a comma is missing',
      TEXT.replace('}},\n  "org', '}}\n  "org'),
      '3:3: not valid JSON, unexpected "\\""',
    ],
    [
      'there is an extra comma',
      TEXT.replace('"Globex"', '"Globex",'),
      '5:43: not valid JSON, unexpected "}"',
    ],
    ['a quote is missing', TEXT.replace('"Globex"', '"Globex'), '5:34: not valid JSON, unexpected "\\""'],
    ['something follows the end', `${TEXT}x`, '9:1: not valid JSON, unexpected "x"'],
    ['it is a list', '\n[]', '2:1: not an object'],
    ['it has no header', '{\n  "users": []\n}', '1:1: "understudy" with format and position is missing'],
    [
      'its format is newer',
      TEXT.replace('"format":1', '"format":2'),
      '2:27: format 2 is not known here, only 1',
    ],
    ['its position is not a number', TEXT.replace('12', '"12"'), '2:40: position is not a whole number'],
    ['a collection is not a list', TEXT.replace('[]', '{}'), '7:12: "users" is not a list'],
    ['a row has no id', TEXT.replace('"id":"org_2"', '"uid":"org_2"'), '5:5: row without an id'],
    [
      'two rows share an id',
      TEXT.replace('org_2', 'org_1'),
      '5:5: id "org_1" is there twice in "organizations"',
    ],
  ])('is reported with line and column, and is not changed: %s', async (_case, text, message) => {
    const path = fileWith(text);
    const db = createSnapshotDb(new SnapshotFile(path, false));

    await expect(db.read()).rejects.toThrow(
      new StoreError(`${path}:${message}; restore the file from a backup; the file was left as it is`),
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is reported with the position of bytes that are not UTF-8', async () => {
    const bytes = Buffer.from(TEXT);
    bytes[bytes.indexOf('Globex')] = 0xff;
    const path = fileWith(bytes);

    await expect(createSnapshotDb(new SnapshotFile(path, false)).read()).rejects.toThrow(
      `${path}:5:35: not UTF-8 text`,
    );
  });
});
