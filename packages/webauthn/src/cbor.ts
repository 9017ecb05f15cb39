import { refused } from './refusal.ts';

/** What authenticators send (CTAP 2.1, message encoding): no tags, no floating point, no indefinite lengths. */
export type CborValue = number | string | boolean | null | Buffer | CborValue[] | CborMap;
export type CborMap = Map<number | string, CborValue>;

/** An attestation statement nests three deep. */
const MAX_DEPTH = 8;
const MAX_ITEMS = 512;

/** Reads the first value of the bytes, and where it ends. `what` names the bytes in errors. */
export function readCbor(bytes: Buffer, what: string, start = 0): { value: CborValue; end: number } {
  const reader = new CborReader(bytes, what, start);
  const value = reader.value(0);
  return { value, end: reader.at };
}

/** Reads bytes that are one map and nothing else. */
export function readCborMap(bytes: Buffer, what: string): CborMap {
  const { value, end } = readCbor(bytes, what);
  if (!(value instanceof Map)) throw refused(`${what} is not a CBOR map`);
  if (end !== bytes.length) throw refused(`${what} has ${bytes.length - end} bytes after its end`);
  return value;
}

class CborReader {
  readonly #bytes: Buffer;
  readonly #what: string;
  #items = 0;
  at: number;

  constructor(bytes: Buffer, what: string, start: number) {
    this.#bytes = bytes;
    this.#what = what;
    this.at = start;
  }

  value(depth: number): CborValue {
    this.#items += 1;
    if (depth > MAX_DEPTH) throw this.#refusal(`nests more than ${MAX_DEPTH} levels`);
    if (this.#items > MAX_ITEMS) throw this.#refusal(`has more than ${MAX_ITEMS} values`);
    const initial = this.#take(1)[0]!;
    const [kind, info] = [initial >> 5, initial & 31];
    if (kind === 7) return this.#simple(info);
    const length = this.#argument(info);
    switch (kind) {
      case 0:
        return length;
      case 1:
        return -1 - length;
      case 2:
        return this.#take(length);
      case 3:
        return this.#text(length);
      case 4:
        return this.#array(length, depth);
      case 5:
        return this.#map(length, depth);
      default:
        throw this.#refusal('has a tag, which authenticators do not send');
    }
  }

  #take(length: number): Buffer {
    const left = this.#bytes.length - this.at;
    if (length > left) throw this.#refusal(`ends too early: ${length} bytes are wanted, ${left} are left`);
    return this.#bytes.subarray(this.at, (this.at += length));
  }

  /** Lengths have the shortest form, so that every value has one encoding. */
  #argument(info: number): number {
    if (info < 24) return info;
    if (info > 27) throw this.#refusal('has an indefinite or unknown length');
    const size = 2 ** (info - 24);
    const written = this.#take(size);
    const value = size === 8 ? Number(written.readBigUInt64BE()) : written.readUIntBE(0, size);
    const least = size === 1 ? 24 : 2 ** (size * 4);
    if (value < least) throw this.#refusal('has a length or a number that is not in its shortest form');
    if (!Number.isSafeInteger(value)) throw this.#refusal('has a number that is too large');
    return value;
  }

  #text(length: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.#take(length));
    } catch (thrown) {
      if (thrown instanceof TypeError) throw this.#refusal('has a text that is not UTF-8');
      throw thrown;
    }
  }

  #array(length: number, depth: number): CborValue[] {
    const values: CborValue[] = [];
    while (values.length < length) values.push(this.value(depth + 1));
    return values;
  }

  #map(length: number, depth: number): CborMap {
    const map: CborMap = new Map();
    for (let read = 0; read < length; read += 1) {
      const key = this.value(depth + 1);
      if (typeof key !== 'number' && typeof key !== 'string')
        throw this.#refusal('has a map whose key is neither a number nor a text');
      if (map.has(key)) throw this.#refusal(`has a map with two values for ${key}`);
      map.set(key, this.value(depth + 1));
    }
    return map;
  }

  #simple(info: number): boolean | null {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    throw this.#refusal('has a floating-point number or an unknown simple value');
  }

  #refusal(why: string) {
    return refused(`${this.#what} ${why}`);
  }
}

/** Writes a value in its shortest form; entries of maps keep their order. */
export function writeCbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'boolean') return head(7, value ? 21 : 20);
  if (value === null) return head(7, 22);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(writeCbor)]);
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(writeCbor)]);
}

function head(kind: number, value: number): Buffer {
  const sizes = [1, 2, 4].filter((size) => value < 2 ** (size * 8));
  if (value < 24) return Buffer.from([(kind << 5) | value]);
  const size = sizes[0] ?? 8;
  const bytes = Buffer.alloc(1 + size);
  bytes[0] = (kind << 5) | (24 + Math.log2(size));
  if (size === 8) bytes.writeBigUInt64BE(BigInt(value), 1);
  else bytes.writeUIntBE(value, 1, size);
  return bytes;
}
