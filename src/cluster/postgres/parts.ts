import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { Row } from '../../store/change-log.ts';
import type { EnvironmentState } from '../../store/storage.ts';
import type { Database } from './database.ts';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

const PART_ROWS = 2000;
/** Parts that one statement reads. */
const PARTS_AT_ONCE = 8;

/** Consecutive rows. A collection may go on in the next part; part 0 also has the marks. */
interface StatePart {
  marks?: unknown;
  collections: Record<string, Row[]>;
}

/**
 * Stores a state in several rows. `insert`: gets the key, the number of the part and its body, and returns no row if the
 * environment is lost; then this returns false.
 */
export async function writeParts(
  database: Database,
  insert: string,
  key: readonly (string | number)[],
  state: EnvironmentState,
): Promise<boolean> {
  let part = 0;
  for (const content of partsOf(state)) {
    const body = await pack(JSON.stringify(content), { level: constants.Z_BEST_SPEED });
    const added = await database.query(insert, [...key, part, body]);
    if (added.length === 0) return false;
    part += 1;
  }
  return true;
}

/** `select`: gets the key, and the numbers of the first part and of the one after the last. */
export async function readParts(
  database: Database,
  select: string,
  key: readonly (string | number)[],
): Promise<EnvironmentState> {
  const collections: Record<string, Row[]> = {};
  let marks: unknown;
  for (let part = 0, isLast = false; !isLast; part += PARTS_AT_ONCE) {
    const found = await database.query<{ body: Buffer }>(select, [...key, part, part + PARTS_AT_ONCE]);
    for (const { body } of found) {
      const content = JSON.parse(String(await unpack(body))) as StatePart;
      marks ??= content.marks;
      for (const [collection, rows] of Object.entries(content.collections)) {
        const all = (collections[collection] ??= []);
        for (const row of rows) all.push(row);
      }
    }
    isLast = found.length < PARTS_AT_ONCE;
  }
  return { marks, collections };
}

function* partsOf({ marks, collections }: EnvironmentState): Generator<StatePart> {
  let part: StatePart = { marks, collections: {} };
  let room = PART_ROWS;
  for (const [collection, rows] of Object.entries(collections))
    for (let index = 0; index === 0 || index < rows.length;) {
      const taken = rows.slice(index, index + room);
      part.collections[collection] = taken;
      index += Math.max(1, taken.length);
      room -= taken.length;
      if (room > 0) continue;
      yield part;
      [part, room] = [{ collections: {} }, PART_ROWS];
    }
  yield part;
}
