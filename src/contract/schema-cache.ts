import type { Operation, Schema } from './compiled.ts';

/** A compiler for schemas that refer to others. */
export interface SchemaTaker {
  addSchema(schema: Schema, name: string): void;
}

const NAMES = /"\$ref":"schema:([^"]+)"/g;

/** Passes named schemas to the compilers at their first use, so that the start pays for none. */
export class SchemaCache {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #takers: readonly SchemaTaker[];
  readonly #supplied = new Set<string | Operation>();

  constructor(schemas: Readonly<Record<string, Schema>>, takers: readonly SchemaTaker[]) {
    this.#schemas = schemas;
    this.#takers = takers;
  }

  supply(operation: Operation): void {
    if (this.#supplied.has(operation)) return;
    this.#supplied.add(operation);
    this.#supplyAll(operation);
  }

  supplyNamed(name: string): void {
    const schema = this.#schemas[name];
    if (!schema || this.#supplied.has(name)) return;
    this.#supplied.add(name);
    for (const taker of this.#takers) taker.addSchema(schema, `schema:${name}`);
    this.#supplyAll(schema);
  }

  #supplyAll(naming: object): void {
    for (const [, name] of JSON.stringify(naming).matchAll(NAMES)) this.supplyNamed(name!);
  }
}
