import { isUtf8 } from 'node:buffer';
import { findDamage, findValue } from './json-scanner.ts';
import type { Flaw } from './shape.ts';
import { StoreError } from './store-error.ts';

/** JSON text as found on disk: a whole file, or one line of it. */
export interface JsonSource {
  path: string;
  line: number;
  bytes: Buffer;
}

/** The parsed value, deeply frozen; a flaw in it is reported where it stands in the file. */
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
