import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { Low, Memory, type Adapter } from 'lowdb';
import { checksumText, crc32 } from '@understudy/text/checksum';
import { isObject } from '@understudy/text/json';
import { StoreError, type Flaw, flawInCollections, isPosition, type Collections } from './change-log.ts';
import { makePrivate, PRIVATE_FILE, syncFolderOf } from './private-files.ts';
import { damagedAt, parseJson } from './stored-json.ts';

/** All rows of an environment after the commits before `position`. */
export type Snapshot = { position: number; marks: unknown; collections: Collections };

/** `data` is null if there is no snapshot. */
export type SnapshotDb = Low<Snapshot | null>;

const FORMAT = 1;
const HEADER = 'understudy';
const CHUNK_LENGTH = 64 * 1024;

/** The checksum is known when all else is written. Its place is at the start, where somebody who edits the file sees it. */
const NO_CHECKSUM = '00000000';
const BEFORE_CHECKSUM = `{\n  "${HEADER}": {"crc32":"`;
const AFTER_CHECKSUM = BEFORE_CHECKSUM.length + NO_CHECKSUM.length;

export const createSnapshotDb = (file: SnapshotFile): SnapshotDb => new Low<Snapshot | null>(file, null);
export const createMemoryDb = (): SnapshotDb => new Low(new Memory<Snapshot | null>(), null);

/** A lowdb adapter for one JSON file: readable, editable while Understudy is stopped, replaced as a whole. */
export class SnapshotFile implements Adapter<Snapshot | null> {
  readonly #path: string;
  readonly #isSynced: boolean;
  #bytes = 0;

  /** `isSynced`: writes survive a loss of power. */
  constructor(path: string, isSynced: boolean) {
    this.#path = path;
    this.#isSynced = isSynced;
    makePrivate(path);
  }

  /** Size of the file as last read or written. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Somebody has deleted the file since it was last read or written. */
  get isLost(): boolean {
    return this.#bytes > 0 && !existsSync(this.#path);
  }

  async read(): Promise<Snapshot | null> {
    try {
      const bytes = await readFile(this.#path);
      this.#bytes = bytes.length;
      const content = parseJson({ path: this.#path, line: 1, bytes }, flawInFile);
      if (hasChecksum(content) && !fitsChecksum(bytes)) throw this.#changed();
      return toSnapshot(content);
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw StoreError.from(this.#path, thrown);
    }
  }

  #changed(): StoreError {
    const place = { path: this.#path, line: 2, column: BEFORE_CHECKSUM.indexOf('"crc32"') - 1 };
    return damagedAt(
      place,
      'the file does not fit its checksum, so it is damaged or somebody has edited it',
      {
        cure: 'remove "crc32" and its value if the edit is yours',
      },
    );
  }

  async write(snapshot: Snapshot | null): Promise<void> {
    if (snapshot === null) return;
    const tmp = `${this.#path}.tmp`;
    try {
      await rm(tmp, { force: true }).catch(() => {}); // an old file may be readable for others
      const bytes = await writeFileAt(tmp, snapshot);
      await rename(tmp, this.#path);
      if (this.#isSynced) syncFolderOf(this.#path);
      this.#bytes = bytes;
    } catch (thrown) {
      await rm(tmp, { force: true }).catch(() => {}); // the next write overwrites what stays
      throw StoreError.from(this.#path, thrown);
    }
  }
}

async function writeFileAt(path: string, snapshot: Snapshot): Promise<number> {
  const handle = await open(path, 'w', PRIVATE_FILE);
  try {
    const bytes = await writeChunks(handle, snapshot);
    await handle.datasync();
    return bytes;
  } finally {
    await handle.close();
  }
}

// Each write goes through the thread pool, so calls are served between two chunks.
async function writeChunks(handle: FileHandle, snapshot: Snapshot): Promise<number> {
  let written = 0;
  let crc = 0;
  for (const chunk of chunksOf(snapshotText(snapshot))) {
    const bytes = Buffer.from(chunk);
    await handle.writeFile(bytes);
    written += bytes.length;
    crc = crc32(bytes, crc);
  }
  await handle.write(checksumText(crc), BEFORE_CHECKSUM.length);
  return written;
}

function* chunksOf(pieces: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function* snapshotText({ position, marks, collections }: Snapshot): Generator<string> {
  const header = JSON.stringify({ crc32: NO_CHECKSUM, format: FORMAT, position, marks });
  yield `{\n  "${HEADER}": ${header}`;
  for (const [name, rows] of Object.entries(collections)) {
    if (name === HEADER) throw new Error(`"${HEADER}" cannot be the name of a collection`);
    yield `,\n  ${JSON.stringify(name)}: [`;
    for (const [index, row] of rows.entries()) yield `${index ? ',' : ''}\n    ${JSON.stringify(row)}`;
    yield rows.length ? '\n  ]' : ']';
  }
  yield '\n}\n';
}

const hasChecksum = (content: unknown): boolean => 'crc32' in (content as { [HEADER]: object })[HEADER];

function fitsChecksum(bytes: Buffer): boolean {
  const [head, rest] = [bytes.subarray(0, AFTER_CHECKSUM), bytes.subarray(AFTER_CHECKSUM)];
  const crc = crc32(rest, crc32(BEFORE_CHECKSUM + NO_CHECKSUM));
  return head.equals(Buffer.from(BEFORE_CHECKSUM + checksumText(crc)));
}

const HEADER_MEMBERS = new Set(['crc32', 'format', 'position', 'marks']);

function flawInFile(content: unknown): Flaw | undefined {
  if (!isObject(content)) return { path: [], problem: 'not an object' };
  const { [HEADER]: header, ...collections } = content;
  if (!isObject(header))
    return { path: [HEADER], problem: `"${HEADER}" with format and position is missing` };
  if (header.format !== FORMAT) {
    const problem = `format ${JSON.stringify(header.format)} is not known here, only ${FORMAT}`;
    return { path: [HEADER, 'format'], problem };
  }
  if (!isPosition(header.position))
    return { path: [HEADER, 'position'], problem: 'position is not a whole number' };
  const other = Object.keys(header).find((name) => !HEADER_MEMBERS.has(name));
  if (other !== undefined)
    return { path: [HEADER, other], problem: `${JSON.stringify(other)} is not known in "${HEADER}"` };
  return flawInCollections(collections);
}

function toSnapshot(content: unknown): Snapshot {
  const { [HEADER]: header, ...collections } = content as {
    [HEADER]: Omit<Snapshot, 'collections'>;
  } & Collections;
  return { position: header.position, marks: header.marks, collections };
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
}
