import { createHash, randomBytes } from 'node:crypto';

const EPOCH = Date.parse('2024-01-01T00:00:00Z');
/**
 * 69 days after the epoch. Earlier ids would have fewer than the 17 digits that the SDKs' validation rules demand.
 */
const FIRST_TICK = 600_000_000n;
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export interface GeneratorMarks {
  last: string;
  random: [number, number, number, number];
}

/**
 * Ids, codes, secrets and random numbers of one environment, all from its seed. Ids have the Sonyflake format of the
 * vendor's ids: 10 ms ticks since 2024 in the high bits, an 8-bit sequence, a 16-bit machine id.
 */
export class Generator {
  #machine: bigint;
  readonly #generation: number;
  #last = 0n;
  #random: [number, number, number, number];

  /**
   * `generation`: how many environments had the name before. Ids and numbers do not depend on it; texts, UUIDs and keys
   * do, because whoever has one of a dropped environment must not get into the next one.
   */
  constructor(seed: string, generation = 0) {
    this.#generation = generation;
    const digest = createHash('sha256').update(seed).digest();
    this.#machine = BigInt(digest.readUInt16BE(0));
    this.#random = [
      digest.readUInt32BE(2),
      digest.readUInt32BE(6),
      digest.readUInt32BE(10),
      digest.readUInt32BE(14),
    ];
  }

  /** A new id. Within one instant the sequence counts up and uses later ticks when it is full. */
  next(prefix: string, now: number): string {
    const tick = BigInt(Math.max(0, Math.floor((now - EPOCH) / 10)));
    const fresh = ((tick < FIRST_TICK ? FIRST_TICK : tick) << 24n) | this.#machine;
    const following = this.#last + (1n << 16n);
    this.#last = fresh > following ? fresh : following;
    return `${prefix}_${this.#last}`;
  }

  /** Like `next`, for an id that lets whoever has it continue something, such as a sign-in. */
  nextKey(prefix: string, now: number): string {
    const id = this.next(prefix, now);
    if (this.#generation === 0) return id;
    const digest = createHash('sha256').update(this.#ofGeneration(id)).digest();
    return `${prefix}_${(digest.readBigUInt64BE() >> 2n) | (1n << 62n)}`;
  }

  /** Uniform in [0, 1), from the sfc32 generator. */
  draw(): number {
    let [a, b, c, d] = this.#random;
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    this.#random = [a, b, c, d];
    return (sum >>> 0) / 4_294_967_296;
  }

  text(length: number): string {
    const text = Array.from({ length }, () => ALPHANUMERIC[Math.floor(this.draw() * 62)]).join('');
    return this.#generation === 0 ? text : new Generator(this.#ofGeneration(text)).text(length);
  }

  /** Formatted as a version 4 UUID. */
  uuid(): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.draw() * 16));
    digits[12] = 4;
    digits[16] = 8 + (digits[16]! % 4);
    const hex = digits.map((digit) => digit.toString(16)).join('');
    if (this.#generation > 0) return new Generator(this.#ofGeneration(hex)).uuid();
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  integer(): number {
    return Math.floor(this.draw() * 4_294_967_296);
  }

  /** Returns a function that restores the present state. */
  checkpoint(): () => void {
    const [last, random] = [this.#last, this.#random];
    return () => {
      this.#last = last;
      this.#random = random;
    };
  }

  /** Gives what this one would give. */
  copy(): Generator {
    const copy = new Generator('', this.#generation);
    copy.#machine = this.#machine;
    copy.restore(this.marks());
    return copy;
  }

  marks(): GeneratorMarks {
    return { last: String(this.#last), random: [...this.#random] };
  }

  restore(marks: GeneratorMarks): void {
    this.#last = BigInt(marks.last);
    this.#random = [...marks.random];
  }

  #ofGeneration(drawn: string): string {
    return `generation ${this.#generation} ${drawn}`;
  }
}

/** The same source gives the same id. */
export function messageId(source: string): string {
  const number = createHash('sha256').update(source).digest().readBigUInt64BE(0);
  return `msg_${(number % 10n ** 17n) + 10n ** 17n}`;
}

/** Truly random, so answers of an environment must not contain it. */
export const uniqueId = () => randomBytes(8).toString('hex');

export interface IdLookup {
  has(id: string): boolean;
}

/** Ids, codes and random numbers of one unit of work, which `undo` takes back. Most units draw nothing. */
export class Draws {
  readonly #shared: Generator;
  #rewind: (() => void) | undefined;
  readonly #tables: readonly IdLookup[];
  readonly #now: number;

  constructor(generator: Generator, tables: readonly IdLookup[], now: number) {
    this.#shared = generator;
    this.#tables = tables;
    this.#now = now;
  }

  /** Testers may write rows with any id, so existing ids are skipped. */
  id(prefix: string): string {
    return this.#free(() => this.#generator.next(prefix, this.#now));
  }

  /** Like `id`, for an id that lets whoever has it continue something, such as a sign-in. */
  key(prefix: string): string {
    return this.#free(() => this.#generator.nextKey(prefix, this.#now));
  }

  text(length: number): string {
    return this.#generator.text(length);
  }

  uuid(): string {
    return this.#generator.uuid();
  }

  integer(): number {
    return this.#generator.integer();
  }

  undo(): void {
    this.#rewind?.();
  }

  #free(next: () => string): string {
    const id = next();
    return this.#tables.some((table) => table.has(id)) ? this.#free(next) : id;
  }

  get #generator(): Generator {
    this.#rewind ??= this.#shared.checkpoint();
    return this.#shared;
  }
}
