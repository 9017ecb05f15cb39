import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { Low, Memory, type Adapter } from 'lowdb';
import { isObject } from '../text/json.ts';
import { flawInCollections, isPosition, StoreError, type Collections, type Flaw } from './change-log.ts';
import { parseJson } from './json-scanner.ts';
import { makePrivate, PRIVATE_FILE, syncFolderOf } from './private-files.ts';

/** All rows of an environment after the commits before `position`. */
export type Snapshot = { position: number; marks: unknown; collections: Collections };

/** `data` is null if there is no snapshot. */
export type SnapshotDb = Low<Snapshot | null>;

const FORMAT = 1;
const HEADER = 'understudy';
const CHUNK_LENGTH = 64 * 1024;

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
      return toSnapshot(parseJson({ path: this.#path, line: 1, bytes }, flawInFile));
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw StoreError.from(this.#path, thrown);
    }
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
  let chunk = '';
  for (const piece of snapshotText(snapshot)) {
    chunk += piece;
    if (chunk.length < CHUNK_LENGTH) continue;
    await handle.writeFile(chunk);
    written += Buffer.byteLength(chunk);
    chunk = '';
  }
  await handle.writeFile(chunk);
  return written + Buffer.byteLength(chunk);
}

function* snapshotText({ position, marks, collections }: Snapshot): Generator<string> {
  yield `{\n  "${HEADER}": ${JSON.stringify({ format: FORMAT, position, marks })}`;
  for (const [name, rows] of Object.entries(collections)) {
    if (name === HEADER) throw new Error(`"${HEADER}" cannot be the name of a collection`);
    yield `,\n  ${JSON.stringify(name)}: [`;
    for (const [index, row] of rows.entries()) yield `${index ? ',' : ''}\n    ${JSON.stringify(row)}`;
    yield rows.length ? '\n  ]' : ']';
  }
  yield '\n}\n';
}

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
