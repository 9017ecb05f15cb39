import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { findNodeAtLocation, parseTree, type ParseError } from 'jsonc-parser';
import { Low, Memory, type Adapter } from 'lowdb';
import {
  StoreError,
  type Flaw,
  type Path,
  flawInCollections,
  isPosition,
  type Collections,
} from './change-log.ts';
import { isObject } from '../text/json.ts';
import { makePrivate, PRIVATE_FILE, syncFolderOf } from './private-files.ts';

/** The offset of the first invalid character; undefined: the JSON is valid. V8's messages do not always say. */
export function findDamage(text: string): number | undefined {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  return errors.length > 0 ? Math.min(...errors.map(({ offset }) => offset)) : undefined;
}

/** The offset of the value at the path, or of the deepest value above it. */
export function findValue(text: string, path: Path): number {
  const root = parseTree(text)!;
  const above = path.map((_, index) => findNodeAtLocation(root, path.slice(0, index + 1)));
  return above.findLast((node) => node !== undefined)?.offset ?? root.offset;
}

/** JSON text from disk: a whole file, or one line. */
interface JsonSource {
  path: string;
  line: number;
  bytes: Buffer;
}

/** Parses and freezes the value; the error says where in the file a flaw is. */
export function parseJson(source: JsonSource, flawIn: (value: unknown) => Flaw | undefined): unknown {
  const text = source.bytes.toString('utf8');
  if (!isUtf8(source.bytes)) throw damaged(source, text, text.indexOf('\uFFFD'), 'not UTF-8 text');
  const value = parse(source, text);
  const flaw = flawIn(value);
  if (flaw) throw damaged(source, text, findValue(text, flaw.path), flaw.problem);
  return freeze(value);
}

function parse(source: JsonSource, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const offset = findDamage(text) ?? 0;
    const found = offset < text.length ? `unexpected ${JSON.stringify(text[offset])}` : 'it ends too early';
    throw damaged(source, text, offset, `not valid JSON, ${found}`, cause);
  }
}

function damaged(
  source: JsonSource,
  text: string,
  offset: number,
  problem: string,
  cause?: unknown,
): StoreError {
  const before = text.slice(0, offset).split('\n');
  const line = source.line + before.length - 1;
  const column = (before.at(-1) ?? '').length + 1;
  return new StoreError(`${source.path}:${line}:${column}: ${problem}; the file was left as it is`, {
    cause,
  });
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}

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
