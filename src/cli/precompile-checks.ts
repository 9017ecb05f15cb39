import { writeFileSync } from 'node:fs';
import { readContract } from '../contract/documents.ts';
import { jsonTypeIn, type CompiledContract, type Operation } from '../contract/compiled.ts';
import {
  isKnownModule,
  requestKey,
  type CheckIndex,
  type SchemaCheck,
} from '../contract/precompiled-checks.ts';
import { ValidationLibrary } from '../contract/validation-library.ts';
import { isPlain, responseKey } from '../contract/validators.ts';
import { boundErrors } from '../contract/violations.ts';
import { COLLECTIONS, TABLES } from '../state/schema.ts';

// Run by the build: compiles the checks of all requests and of responses with JSON. A process that starts then needs no
// compiler of schemas. The functions only say whether a value is good; those of rows say all that is wrong as well.

/** Code that the compiler has written. */
interface Code {
  toString(): string;
}
/** What the compiler keeps of a function; `scopeValues` are the values that its code names. */
interface Source {
  validateName: Code;
  validateCode: Code;
  scopeValues: Record<string, Iterable<ScopeName>>;
  evaluated?: Code;
}
interface ScopeName extends Code {
  value: { ref: unknown; code?: Code };
}

const FIRST_ERROR = { allErrors: false, messages: false, code: { source: true } };
const ALL_ERRORS = { allErrors: true, code: { source: true } };

/** The schemas of rows, of which users' scenarios, fixtures and calls have many. */
const ROWS = ['State', ...COLLECTIONS.map((name) => TABLES[name].schema)];

class CheckFile {
  readonly #sources: string[] = [];
  readonly #numbers = new Map<Source, number | undefined>();
  readonly #index: Omit<CheckIndex, 'digest' | 'ends'> = { requests: {}, responses: {}, schemas: {} };

  addRequest(key: string, checks: readonly SchemaCheck[]): void {
    const numbers = checks.map((check) => this.#numberOf(check)).filter((number) => number !== undefined);
    if (numbers.length === 2) this.#index.requests[key] = numbers; // parameters and body
  }

  addResponse(key: string, check: SchemaCheck | undefined): void {
    const number = check && this.#numberOf(check);
    if (number !== undefined) this.#index.responses[key] = number;
  }

  addSchema(name: string, check: SchemaCheck): void {
    const number = this.#numberOf(check);
    if (number !== undefined) this.#index.schemas[name] = number;
  }

  write(name: string, digest: string): void {
    let end = 0;
    const ends = this.#sources.map(({ length }) => (end += length));
    const index: CheckIndex = { digest, ...this.#index, ends };
    writeFileSync(new URL(`${name}.checks.json`, import.meta.url), JSON.stringify(index));
    writeFileSync(new URL(`${name}.checks.txt`, import.meta.url), this.#sources.join(''));
  }

  /** Undefined if the function needs a value that cannot be written, such as itself. The library checks it then. */
  #numberOf(check: SchemaCheck): number | undefined {
    const source = check.source as Source;
    if (this.#numbers.has(source)) return this.#numbers.get(source);
    this.#numbers.set(source, undefined);
    const text = this.#write(source);
    if (text === undefined) return undefined;
    const number = this.#sources.push(text) - 1;
    this.#numbers.set(source, number);
    return number;
  }

  #write({ validateName, validateCode, scopeValues, evaluated }: Source): string | undefined {
    const code = boundErrors(String(validateCode));
    const values: string[] = [];
    for (const name of Object.values(scopeValues).flatMap((names) => [...names])) {
      if (!new RegExp(`\\b${String(name)}\\b`).test(code)) continue;
      const value = this.#valueOf(name);
      if (value === undefined) return undefined;
      values.push(`const ${String(name)}=${value};`);
    }
    const facts = evaluated ? `${String(validateName)}.evaluated=${String(evaluated)};` : '';
    return asAscii(`"use strict";${values.join('')}${code}${facts}return ${String(validateName)};`);
  }

  #valueOf({ value: { ref, code } }: ScopeName): string | undefined {
    if (code) return areKnown(String(code)) ? String(code) : undefined;
    const number = typeof ref === 'function' ? this.#numberOf(ref as SchemaCheck) : undefined;
    return number === undefined ? undefined : `check(${number})`;
  }
}

const areKnown = (code: string) =>
  [...code.matchAll(/\brequire\("([^"]+)"\)/g)].every(([, name]) => isKnownModule(name!));

/** Positions count bytes. */
const asAscii = (code: string) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function precompile(contract: CompiledContract): CheckFile {
  const library = new ValidationLibrary(contract, FIRST_ERROR);
  const file = new CheckFile();
  for (const operation of [...contract.operations, ...contract.messages]) {
    if (isPlain(operation)) addRequests(operation, library, file);
    for (const [status, declared] of Object.entries(operation.responses)) {
      const key = responseKey(operation, Number(status), declared);
      const isWanted = Number(status) < 400 || key.startsWith('schema:');
      if (isWanted && jsonTypeIn(declared.content))
        file.addResponse(key, library.response(operation, Number(status), declared).check);
    }
  }
  return file;
}

function addRows(contract: CompiledContract, file: CheckFile): void {
  const library = new ValidationLibrary(contract, ALL_ERRORS);
  for (const name of ROWS.filter((each) => Object.hasOwn(contract.schemas, each)))
    file.addSchema(name, library.schema(name));
}

function addRequests(operation: Operation, library: ValidationLibrary, file: CheckFile): void {
  for (const contentType of Object.keys(operation.requestBody?.content ?? { '': {} })) {
    const request = { ...operation, url: '/', contentType, params: {}, query: {}, headers: {}, body: {} };
    library.request(operation, request); // compiles its checks
    file.addRequest(requestKey(operation, contentType), library.requestChecks(operation, request));
  }
}

for (const name of ['openapi', 'control'] as const) {
  const contract = readContract(name);
  const file = precompile(contract);
  if (name === 'control') addRows(contract, file);
  file.write(name, contract.digest);
}
