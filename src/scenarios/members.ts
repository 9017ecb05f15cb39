import type { Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Path } from './path.ts';

/** A member that a schema does not name, with the names that it has there. */
export interface UnknownMember {
  path: Path;
  known: readonly string[];
}

export function unknownMembers(
  value: unknown,
  written: Schema,
  contract: Contract,
  path: Path = [],
): UnknownMember[] {
  const schema = follow(written, contract);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      unknownMembers(item, schema.items ?? {}, contract, [...path, index]),
    );
  }
  if (typeof value !== 'object' || value === null || schema['x-free-json']) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name];
    const shape = memberOf(schema, name);
    if (shape) return unknownMembers(inner, shape, contract, at);
    return schema.additionalProperties === false
      ? [{ path: at, known: Object.keys(schema.properties ?? {}) }]
      : [];
  });
}

/** The schema at a path; an empty schema if nothing is defined there. */
export function schemaAt(path: Path, written: Schema, contract: Contract): Schema {
  return path.reduce<Schema>(
    (schema, step) => {
      const next = typeof step === 'number' ? schema.items : memberOf(schema, step);
      return follow(next ?? {}, contract);
    },
    follow(written, contract),
  );
}

function memberOf(
  { properties = {}, additionalProperties: other }: Schema,
  name: string,
): Schema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof other === 'object' ? other : undefined;
}

const follow = (schema: Schema, contract: Contract): Schema =>
  schema.$ref ? (contract.schemaNamed(schema.$ref.slice('schema:'.length)) ?? {}) : schema;
