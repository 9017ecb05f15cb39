import type { Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Complaint } from '../contract/violations.ts';
import type { FieldViolation } from '../errors.ts';
import { COLLECTIONS, TABLES, type Collection } from '../environment/rows/schema.ts';
import { schemaAt, unknownMembers } from './members.ts';
import { MOST_TOLD } from './complaints.ts';
import { oneOf, suggest } from '../text/suggestion.ts';
import { formatPath, readPointer, type Path } from './path.ts';

/** What keeps a value from being stored, by its path in there. */
export interface Breach {
  path: Path;
  message: string;
  /** The keyword of JSON Schema that it breaks, or `unknown_field`. */
  constraint: string;
}

/** What keeps a row from being one of the collection. */
export function rowBreaches(row: unknown, collection: Collection, control: Contract): Breach[] {
  return breachesOf(row, TABLES[collection].schema, control, () => TABLES[collection].noun);
}

/** The same of rows by collection. */
export function stateBreaches(state: unknown, control: Contract): Breach[] {
  const nounOf = ([name]: Path) => TABLES[COLLECTIONS.find((each) => each === name)!].noun;
  return breachesOf(state, 'State', control, nounOf);
}

/** As answers have them. */
export const violationsIn = (breaches: readonly Breach[]): FieldViolation[] =>
  breaches.map(({ path, message, constraint }) => ({
    field: formatPath(path),
    description: message,
    constraint,
  }));

/** Members that rows of that noun have not, with the nearest that they have. */
export const strangersIn = (
  value: unknown,
  schema: Schema,
  control: Contract,
  nounOf: (path: Path) => string,
): Breach[] =>
  unknownMembers(value, schema, control).map(({ path, known }, index) => {
    const name = String(path.at(-1));
    // More than are told have no hint.
    const hint = index < MOST_TOLD ? suggest(name, known) : '';
    return {
      path,
      message: `a row of ${nounOf(path)} has no member ${name}${hint}`,
      constraint: 'unknown_field',
    };
  });

/** The validator's complaint, where its own words would not help in better ones. */
export function breachIn(
  { path: pointer, message, errorCode = '' }: Complaint,
  value: unknown,
  root: Schema,
  control: Contract,
): Breach {
  const path = readPointer(pointer, value);
  const schema = schemaAt(path, root, control);
  const said = wordingOf(errorCode, schema, valueAt(path, value)) ?? message;
  return { path, message: said, constraint: errorCode };
}

function breachesOf(
  value: unknown,
  name: string,
  control: Contract,
  nounOf: (path: Path) => string,
): Breach[] {
  const complaints = control.checkSchema(name, value);
  if (complaints.length === 0) return [];
  const schema = control.schemaNamed(name)!;
  const strangers = strangersIn(value, schema, control, nounOf);
  const listed = complaints.filter(
    ({ errorCode }) => errorCode !== 'if' && (errorCode !== 'additionalProperties' || strangers.length === 0),
  );
  return [...strangers, ...listed.map((complaint) => breachIn(complaint, value, schema, control))];
}

function wordingOf(keyword: string, schema: Schema, given: unknown): string | undefined {
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
