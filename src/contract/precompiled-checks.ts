import equal from 'ajv/dist/runtime/equal.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
import type { Operation } from './compiled.ts';
import { FORMATS } from './formats.ts';
import type { SchemaCheck } from './validation-library.ts';

/** The first line of the file; the sources of the functions follow. */
export interface CheckIndex {
  /** The digest of the contract that the functions are compiled from. */
  digest: string;
  /** Numbers of the functions that check parameters and body, by operation and media type. */
  requests: Record<string, readonly number[]>;
  /** By status, or by schema. */
  responses: Record<string, number>;
  /** Where the source of each function ends. */
  ends: readonly number[];
}

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

/** The checks that the build has compiled from one document. Each becomes a function at its first use. */
export class PrecompiledChecks {
  readonly #index: CheckIndex;
  readonly #sources: string;
  readonly #functions = new Map<number, SchemaCheck>();

  constructor(index: CheckIndex, sources: string) {
    this.#index = index;
    this.#sources = sources;
  }

  static read(text: string): PrecompiledChecks {
    const end = text.indexOf('\n');
    return new PrecompiledChecks(JSON.parse(text.slice(0, end)) as CheckIndex, text.slice(end + 1));
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

  readonly #function = (number: number): SchemaCheck => {
    const known = this.#functions.get(number);
    if (known) return known;
    const { ends } = this.#index;
    const source = this.#sources.slice(ends[number - 1] ?? 0, ends[number]);
    // oxlint-disable-next-line no-implied-eval -- the build has written this text
    const make = new Function('require', 'check', source) as Maker;
    const made = make((name) => MODULES[name], this.#function);
    this.#functions.set(number, made);
    return made;
  };
}

type Maker = (require: (name: string) => unknown, check: (number: number) => SchemaCheck) => SchemaCheck;
