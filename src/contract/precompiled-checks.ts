import { openSync, readSync } from 'node:fs';
import equal from 'ajv/dist/runtime/equal.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
import type { Operation } from './compiled.ts';
import type { AjvError } from './violations.ts';

/** `source` is what the compiler wrote. It is kept only if the option `code.source` is set. */
export type SchemaCheck = ((value: unknown) => boolean) & { errors?: AjvError[] | null; source?: unknown };

/** What the file of the functions' sources holds. */
export interface CheckIndex {
  /** The digest of the contract that the functions are compiled from. */
  digest: string;
  /** Numbers of the functions that check parameters and body, by operation and media type. */
  requests: Record<string, readonly number[]>;
  /** By status, or by schema. */
  responses: Record<string, number>;
  /** By the name of a schema. These functions find all errors. */
  schemas: Record<string, number>;
  /** Where the source of each function ends. */
  ends: readonly number[];
}

/** A time as this program writes it. */
const OWN_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const TIME = fullFormats['date-time'] as { validate(text: string): boolean };

/** The formats that the documents use. Most times are written by this program, and the library's check takes ten times as long. */
export const FORMATS = {
  ...fullFormats,
  'date-time': { ...TIME, validate: (text: string) => OWN_TIME.test(text) || TIME.validate(text) },
} as const;

/** Bundlers and test runners differ in what the default import of these CommonJS modules is. */
const withDefault = (module: { default?: unknown }) => ({ default: module.default ?? module });

/** What compiled checks load. */
const MODULES: Readonly<Record<string, object>> = {
  'ajv/dist/runtime/equal': withDefault(equal),
  'ajv/dist/runtime/ucs2length': withDefault(ucs2length),
  'ajv-formats/dist/formats': { fullFormats: FORMATS },
};

export const isKnownModule = (name: string): boolean => name in MODULES;

export const requestKey = ({ id }: Operation, contentType: string): string => `${id} ${contentType}`;

/**
 * The checks that the build has compiled from one document. Each becomes a function at its first use. With Node 20, a
 * start and three calls take 251 ms of processor time with them, and 278 ms without.
 */
export class PrecompiledChecks {
  readonly #index: CheckIndex;
  /** The open file of the sources. To read it whole would take 4 ms of the start, and 4 MB of memory. */
  readonly #file: number;
  readonly #functions = new Map<number, SchemaCheck>();

  constructor(index: CheckIndex, path: string) {
    this.#index = index;
    this.#file = openSync(path, 'r');
  }

  get digest(): string {
    return this.#index.digest;
  }

  request(operation: Operation, contentType: string): readonly SchemaCheck[] | undefined {
    return this.#index.requests[requestKey(operation, contentType)]?.map(this.#function);
  }

  response(key: string): SchemaCheck | undefined {
    const number = this.#index.responses[key];
    return number === undefined ? undefined : this.#function(number);
  }

  schema(name: string): SchemaCheck | undefined {
    const number = this.#index.schemas[name];
    return number === undefined ? undefined : this.#function(number);
  }

  readonly #function = (number: number): SchemaCheck => {
    const known = this.#functions.get(number);
    if (known) return known;
    const { ends } = this.#index;
    const start = ends[number - 1] ?? 0;
    const source = Buffer.alloc(ends[number]! - start);
    readSync(this.#file, source, 0, source.length, start);
    // oxlint-disable-next-line no-implied-eval -- the build has written this text
    const make = new Function('require', 'check', source.toString('latin1')) as Maker;
    const made = make((name) => MODULES[name], this.#function);
    this.#functions.set(number, made);
    return made;
  };
}

type Maker = (require: (name: string) => unknown, check: (number: number) => SchemaCheck) => SchemaCheck;
