import { isUtf8 } from 'node:buffer';
import { findNodeAtLocation, parseTree, type ParseError } from 'jsonc-parser';
import { StoreError, type Flaw, type Path } from './change-log.ts';

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

/** JSON that was read from the disk: the bytes of a whole file, or of one line of it. */
export interface JsonSource {
  path: string;
  line: number;
  bytes: Buffer;
}

/** Parses and freezes the value. Throws a StoreError, whose message has path, line and column, if the JSON has a flaw. */
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
  const place = { path: source.path, line: source.line + before.length - 1 };
  return damagedAt({ ...place, column: (before.at(-1) ?? '').length + 1 }, problem, { cause });
}

interface DamagedPlace {
  path: string;
  line: number;
  column: number;
}

/** The error for a damaged file. `cure` says what the user can do without a backup. */
export function damagedAt(
  { path, line, column }: DamagedPlace,
  problem: string,
  { cure, cause }: { cure?: string; cause?: unknown } = {},
): StoreError {
  const cures = `restore the file from a backup${cure ? `, or ${cure}` : ''}`;
  return new StoreError(`${path}:${line}:${column}: ${problem}; ${cures}; the file was left as it is`, {
    cause,
  });
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
