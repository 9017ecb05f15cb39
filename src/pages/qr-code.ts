import { html, type Html } from './html.ts';

/** A dark module is true. */
type Modules = readonly (readonly boolean[])[];

/** For each version, of error correction level M (ISO/IEC 18004, table 9). */
const CORRECTION_BYTES = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17];

/** Of light modules around the code. */
const MARGIN = 4;

/** A picture of a QR code; undefined for a text that is too long for one that people can scan. */
export function qrCode(text: string, label: string): Html | undefined {
  const modules = qrModules(text);
  if (!modules) return undefined;
  const size = String(modules.length + 2 * MARGIN);
  const path = modules.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : [])),
  );
  return html`<svg
    role="img"
    aria-label="${label}"
    width="200"
    height="200"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path.join('')}" fill="#000" />
  </svg>`;
}

/** The modules of a code with level M; undefined if the text is too long. */
export function qrModules(text: string): Modules | undefined {
  const bytes = Buffer.from(text);
  for (let version = 1; version <= BLOCKS.length; version += 1)
    if (headBits(version) + bytes.length * 8 <= dataBytes(version) * 8)
      return new Drawing(version).draw(interleaved(encoded(bytes, version), version));
  return undefined;
}

const headBits = (version: number): number => 4 + lengthBits(version);
const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

/** Bytes of data and correction. */
function allBytes(version: number): number {
  const marks = alignments(version).length;
  const aligned = version === 1 ? 0 : (25 * marks - 10) * marks - 55;
  const bits = (16 * version + 128) * version + 64 - aligned - (version < 7 ? 0 : 36);
  return Math.floor(bits / 8);
}

const dataBytes = (version: number): number =>
  allBytes(version) - BLOCKS[version - 1]! * CORRECTION_BYTES[version - 1]!;

/** Where marks are that help to straighten a picture. */
function alignments(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const size = 4 * version + 17;
  const step = Math.ceil((size - 13) / (2 * count - 2)) * 2;
  const others = Array.from({ length: count - 1 }, (_, index) => size - 7 - index * step);
  return [6, ...others.toReversed()];
}

/** Mode, length and bytes, filled up to the length of the version. */
function encoded(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const add = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  const capacity = dataBytes(version);
  add(0b0100, 4);
  add(bytes.length, lengthBits(version));
  for (const byte of bytes) add(byte, 8);
  add(0, Math.min(4, capacity * 8 - bits.length));
  add(0, (8 - (bits.length % 8)) % 8);
  for (let filler = 0; bits.length < capacity * 8; filler += 1) add(filler % 2 === 0 ? 0xec : 0x11, 8);
  return Array.from({ length: capacity }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
}

/** The blocks of data, each with its correction, column by column. The last blocks may have a byte more. */
function interleaved(data: readonly number[], version: number): number[] {
  const [count, correction] = [BLOCKS[version - 1]!, CORRECTION_BYTES[version - 1]!];
  const short = Math.floor(data.length / count);
  const firstLong = count - (data.length % count);
  const divisor = generator(correction);
  const blocks = Array.from({ length: count }, (_, index) => {
    const start = index * short + Math.max(0, index - firstLong);
    return data.slice(start, start + short + (index < firstLong ? 0 : 1));
  });
  const corrections = blocks.map((block) => remainder(block, divisor));
  const columns = (lists: readonly number[][], length: number) =>
    Array.from({ length }, (_, column) => lists.flatMap((list) => list[column] ?? [])).flat();
  return [...columns(blocks, short + 1), ...columns(corrections, correction)];
}

/** In the field of 256 elements with the polynomial 0x11d. */
function product(a: number, b: number): number {
  let result = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    result = (result << 1) ^ ((result >>> 7) * 0x11d);
    result ^= ((b >>> bit) & 1) * a;
  }
  return result;
}

/** The polynomial whose roots are the first powers of two, without its leading 1. */
function generator(degree: number): number[] {
  const result = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let at = 0; at < degree; at += 1) result[at] = product(result[at]!, root) ^ (result[at + 1] ?? 0);
    root = product(root, 2);
  }
  return result;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const result = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ result.shift()!;
    result.push(0);
    for (const [at, coefficient] of divisor.entries()) result[at]! ^= product(coefficient, factor);
  }
  return result;
}

/** The square, while it is drawn. */
class Drawing {
  readonly #size: number;
  readonly #version: number;
  readonly #dark: boolean[][];
  /** Modules that hold no data. */
  readonly #isFixed: boolean[][];

  constructor(version: number) {
    this.#version = version;
    this.#size = 4 * version + 17;
    const square = () =>
      Array.from({ length: this.#size }, () => Array.from({ length: this.#size }, () => false));
    this.#dark = square();
    this.#isFixed = square();
  }

  draw(bytes: readonly number[]): Modules {
    this.#drawMarks();
    this.#drawFormat();
    this.#drawVersion();
    this.#drawData(bytes);
    return this.#dark;
  }

  #fix(x: number, y: number, dark: boolean): void {
    if (x < 0 || y < 0 || x >= this.#size || y >= this.#size) return;
    this.#dark[y]![x] = dark;
    this.#isFixed[y]![x] = true;
  }

  #drawMarks(): void {
    const last = this.#size - 4;
    for (let at = 0; at < this.#size; at += 1) {
      this.#fix(6, at, at % 2 === 0);
      this.#fix(at, 6, at % 2 === 0);
    }
    for (const [x, y] of [
      [3, 3],
      [last, 3],
      [3, last],
    ] as const)
      this.#drawRings(x, y, 4, [2, 4]);
    const places = alignments(this.#version);
    for (const x of places) for (const y of places) if (!this.#isCorner(x, y)) this.#drawRings(x, y, 2, [1]);
  }

  #isCorner(x: number, y: number): boolean {
    const far = this.#size - 7;
    return (x === 6 && y === 6) || (x === 6 && y === far) || (x === far && y === 6);
  }

  /** `light`: the distances from the middle that are light. */
  #drawRings(x: number, y: number, radius: number, light: readonly number[]): void {
    for (let dy = -radius; dy <= radius; dy += 1)
      for (let dx = -radius; dx <= radius; dx += 1) {
        const distance = Math.max(Math.abs(dx), Math.abs(dy));
        this.#fix(x + dx, y + dy, !light.includes(distance));
      }
  }

  /** Level M and mask 0, with a correction of their own, twice. */
  #drawFormat(): void {
    const bits = withCorrection(0, 10, 0x537) ^ 0x5412;
    const isDark = (bit: number) => ((bits >>> bit) & 1) === 1;
    const last = this.#size - 1;
    for (let bit = 0; bit < 15; bit += 1) {
      const [x, y] = bit < 8 ? [8, bit < 6 ? bit : bit + 1] : [bit === 8 ? 7 : 14 - bit, 8];
      this.#fix(x, y, isDark(bit));
      if (bit < 8) this.#fix(last - bit, 8, isDark(bit));
      else this.#fix(8, last - 14 + bit, isDark(bit));
    }
    this.#fix(8, last - 7, true);
  }

  #drawVersion(): void {
    if (this.#version < 7) return;
    const bits = withCorrection(this.#version, 12, 0x1f25);
    for (let bit = 0; bit < 18; bit += 1) {
      const [a, b] = [this.#size - 11 + (bit % 3), Math.floor(bit / 3)];
      this.#fix(a, b, ((bits >>> bit) & 1) === 1);
      this.#fix(b, a, ((bits >>> bit) & 1) === 1);
    }
  }

  /** Up and down in columns of two. Mask 0 turns every other module over, so that no area is of one colour. */
  #drawData(bytes: readonly number[]): void {
    let at = 0;
    for (let column = this.#size - 1; column >= 1; column -= 2) {
      if (column === 6) column = 5;
      for (let step = 0; step < this.#size; step += 1)
        for (const x of [column, column - 1]) {
          const y = ((column + 1) & 2) === 0 ? this.#size - 1 - step : step;
          if (this.#isFixed[y]![x]) continue;
          const bit = ((bytes[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1;
          this.#dark[y]![x] = (bit === 1) !== ((x + y) % 2 === 0);
          at += 1;
        }
    }
  }
}

/** A number with the bits by which a reader corrects it. */
function withCorrection(value: number, length: number, divisor: number): number {
  let rest = value;
  for (let step = 0; step < length; step += 1) rest = (rest << 1) ^ ((rest >>> (length - 1)) * divisor);
  return (value << length) | rest;
}
