import type { Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Complaint } from '../contract/violations.ts';
import type { FieldViolation } from '../errors.ts';
import { COLLECTIONS, TABLES, type Collection } from '../environment/rows/schema.ts';
import { schemaAt, unknownMembers } from './members.ts';
import { MAX_LISTED } from './complaints.ts';
import { oneOf, suggest } from '../text/suggestion.ts';
import { formatPath, readPointer, type Path } from './path.ts';

/** Why a value cannot be stored. */
export interface RowBreach {
  path: Path;
  message: string;
  /** The JSON Schema keyword, or `unknown_field`. */
  constraint: string;
}

/** Why a row does not fit the collection. */
export function rowBreaches(row: unknown, collection: Collection, control: Contract): RowBreach[] {
  return breachesOf(row, TABLES[collection].schema, control, () => TABLES[collection].noun);
}

/** Why rows by collection do not fit. */
export function stateBreaches(state: unknown, control: Contract): RowBreach[] {
  const nounOf = ([name]: Path) => TABLES[COLLECTIONS.find((each) => each === name)!].noun;
  return breachesOf(state, 'State', control, nounOf);
}

export const violationsIn = (breaches: readonly RowBreach[]): FieldViolation[] =>
  breaches.map(({ path, message, constraint }) => ({
    field: formatPath(path),
    description: message,
    constraint,
  }));

/** Members that the schema does not have, each with the most similar known name. */
export const unknownRowMembers = (
  value: unknown,
  schema: Schema,
  control: Contract,
  nounOf: (path: Path) => string,
): RowBreach[] =>
  unknownMembers(value, schema, control).map(({ path, known }, index) => {
    const name = String(path.at(-1));
    // Only complaints that are shown need a hint.
    const hint = index < MAX_LISTED ? suggest(name, known) : '';
    return {
      path,
      message: `a row of ${nounOf(path)} has no member ${name}${hint}`,
      constraint: 'unknown_field',
    };
  });

/** A breach with a clearer message than the validator's, where there is one. */
export function breachIn(
  { path: pointer, message, errorCode = '' }: Complaint,
  value: unknown,
  root: Schema,
  control: Contract,
): RowBreach {
  const path = readPointer(pointer, value);
  const schema = schemaAt(path, root, control);
  const text = clearerMessage(errorCode, schema, valueAt(path, value)) ?? message;
  return { path, message: text, constraint: errorCode };
}

function breachesOf(
  value: unknown,
  name: string,
  control: Contract,
  nounOf: (path: Path) => string,
): RowBreach[] {
  const complaints = control.checkSchema(name, value);
  if (complaints.length === 0) return [];
  const schema = control.schemaNamed(name)!;
  const unknown = unknownRowMembers(value, schema, control, nounOf);
  const listed = complaints.filter(
    ({ errorCode }) => errorCode !== 'if' && (errorCode !== 'additionalProperties' || unknown.length === 0),
  );
  return [...unknown, ...listed.map((complaint) => breachIn(complaint, value, schema, control))];
}

function clearerMessage(keyword: string, schema: Schema, given: unknown): string | undefined {
  if (keyword === 'enum' && schema.enum) return oneOf(schema.enum, given);
  if (keyword === 'format' && schema.format === 'date-time')
    return 'must be a time, such as 2026-03-01T09:00:00Z, now, now-14d or now+1h';
  if (keyword !== 'pattern') return undefined;
  if (schema['x-wanted']) return `must be ${schema['x-wanted']}`;
  const [, prefix, digits] = /^\^([a-z0-9]+_)(\[0-9\]\+\$)?$/.exec(schema.pattern ?? '') ?? [];
  if (prefix === undefined) return undefined;
  return digits ? `must be ${prefix} and digits` : `must begin with ${prefix}`;
}

const valueAt = (path: Path, value: unknown): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], value);
