import type { Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { COLLECTIONS, TABLES } from '../state/schema.ts';
import type { Collection } from '../state/env.ts';
import { isObject } from '@understudy/text/json';
import { schemaAt } from './breaches.ts';

type Members = Readonly<Record<string, unknown>>;

interface RowAuthor {
  /** The contract that describes the rows. */
  control: Contract;
  /** The time of the environment, in milliseconds. */
  now: number;
}

/** A new row with the members that every row of the collection has and that its author may leave out. */
export function withDefaults(row: Members, collection: Collection, author: RowAuthor): Members {
  const schema = author.control.schemaNamed(TABLES[collection].schema) ?? {};
  return filled(row, schema, /_(.+)$/.exec(String(row['id']))?.[1], author);
}

/** The same for all rows of a fixture. What is no row stays, and is refused later. */
export function withDefaultsInState(state: Members, author: RowAuthor): Record<string, unknown> {
  const collections = Object.entries(state).map(([name, rows]) => {
    const collection = COLLECTIONS.find((each) => each === name);
    if (!collection || !Array.isArray(rows)) return [name, rows] as const;
    const fill = (row: unknown) => (isObject(row) ? withDefaults(row, collection, author) : row);
    return [name, rows.map(fill)] as const;
  });
  return Object.fromEntries(collections);
}

/** A required part of a row, such as the profile of a user, gets its members too. */
function filled(row: Members, schema: Schema, number: string | undefined, author: RowAuthor): Members {
  const { required = [], 'x-defaults': own = {} } = schema;
  const added = required.flatMap((name) => {
    const member = schemaAt([name], schema, author.control);
    const value =
      row[name] === undefined ? (own[name] ?? emptyValue(name, member, number, author)) : row[name];
    if (!isObject(value)) return value === row[name] ? [] : [[name, value] as const];
    const part = filled(value, member, number, author);
    const isWhole = (member.required ?? []).every((each) => Object.hasOwn(part, each));
    return isWhole ? [[name, part] as const] : [];
  });
  return added.length === 0 ? row : { ...row, ...Object.fromEntries(added) };
}

/** Undefined if the author must give the value. The id of a part has the number of its row. */
function emptyValue(
  name: string,
  { type, format, pattern, minItems = 0 }: Schema,
  number: string | undefined,
  { now }: RowAuthor,
): unknown {
  if (type === 'array' && minItems === 0) return [];
  if (type === 'object') return {};
  if (format === 'date-time' && !name.includes('expire')) return new Date(now).toISOString();
  const [, prefix] = /^\^(\w+_)$/.exec(pattern ?? '') ?? [];
  return name === 'id' && prefix && number !== undefined ? prefix + number : undefined;
}
