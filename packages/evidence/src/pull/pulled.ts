import type { Schema } from '@understudy/core/contract/compiled';
import type { Contract } from '@understudy/core/contract/contract';
import { schemaAt } from '@understudy/core/scenarios/breaches';
import { TABLES } from '@understudy/core/state/schema';
import type { Collection } from '@understudy/core/state/env';
import { isObject } from '@understudy/text/json';

export type PulledRow = { id: string } & Record<string, unknown>;

/** The rows that a pull has found so far. */
export class Pulled {
  readonly #control: Contract;
  readonly #rows = new Map<Collection, Map<string, PulledRow>>();

  constructor(control: Contract) {
    this.#control = control;
  }

  rows(collection: Collection): PulledRow[] {
    return [...(this.#rows.get(collection)?.values() ?? [])];
  }

  find(collection: Collection, id: string): PulledRow | undefined {
    return this.#rows.get(collection)?.get(id);
  }

  findBy(collection: Collection, member: string, value: unknown): PulledRow | undefined {
    return this.rows(collection).find((row) => row[member] === value);
  }

  /** Takes from the value what rows of the collection have. What is known of the row stays. */
  add(collection: Collection, value: { id: string } & Record<string, unknown>): void {
    const rows = this.#rows.get(collection) ?? new Map<string, PulledRow>();
    this.#rows.set(collection, rows);
    const schema = this.#control.schemaNamed(TABLES[collection].schema) ?? {};
    const taken = take(value, schema, this.#control) as PulledRow;
    rows.set(value.id, { ...rows.get(value.id), ...taken });
  }
}

/** Without members that the schema does not have, and without those that say nothing. */
function take(value: unknown, schema: Schema, control: Contract): unknown {
  if (Array.isArray(value)) {
    const items = schemaAt([0], schema, control);
    return value.map((each) => take(each, items, control));
  }
  if (isObject(value)) {
    const { properties = {}, required = [], additionalProperties = true } = schema;
    const isOpen = additionalProperties !== false;
    const members = Object.entries(value).flatMap(([name, member]) => {
      if (!isOpen && !Object.hasOwn(properties, name)) return [];
      const shape = schemaAt([name], schema, control);
      const taken = take(member, shape, control);
      return (isOpen && !Object.hasOwn(properties, name)) ||
        says(taken, shape, required.includes(name) || name === MEANT_WHEN_EMPTY)
        ? [[name, taken] as const]
        : [];
    });
    return Object.fromEntries(members);
  }
  const isNumber = schema.type === 'integer' && typeof value === 'string' && /^-?[0-9]+$/.test(value);
  return isNumber ? Number(value) : value;
}

/** A connection without domains is another than one with those of its organization. */
const MEANT_WHEN_EMPTY = 'domain_ids';

/** Proto JSON shows an absent member as an empty one, and an enum that is not set by its first word. */
function says(value: unknown, { enum: words }: Schema, isRequired: boolean): boolean {
  if (value === undefined || value === null || value === '0001-01-01T00:00:00Z') return false;
  if (words && !words.includes(value)) return false;
  if (isRequired) return true;
  if (value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
