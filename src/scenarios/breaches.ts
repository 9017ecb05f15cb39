import type { Operation, Schema } from '../contract/compiled.ts';
import { isObject } from '@understudy/text/json';
import { placeholderFault } from '../state/placeholders.ts';
import { type Complaints, MAX_LISTED } from './complaints.ts';
import { type Path, formatPath, readPointer, valueAt } from './path.ts';
import type { Steps } from './steps.ts';
import type { Contract } from '../contract/contract.ts';
import { MAX_ERRORS, type Complaint } from '../contract/violations.ts';
import type { FieldViolation } from '../contract/errors.ts';
import { COLLECTIONS, TABLES } from '../state/schema.ts';
import type { Collection } from '../state/env.ts';
import { oneOf, suggest } from '@understudy/text/suggestion';

/** How a part of a rule breaks the contract of one operation. */
export interface ContractBreach {
  path: Path;
  reason: string;
  part?: 'key';
}

/** Complains once of each breach and names the operations that share it, each once even if it has several paths. */
export function* complainOfBreaches(
  operations: readonly Operation[],
  find: (operation: Operation) => readonly ContractBreach[],
  at: Path,
  complaints: Complaints,
): Steps<void> {
  const found = new Map<string, { breach: ContractBreach; first: Map<string, Operation> }>();
  for (const operation of operations) {
    yield;
    for (const breach of find(operation)) {
      const key = JSON.stringify([breach.path, breach.reason]);
      const known = found.get(key) ?? { breach, first: new Map<string, Operation>() };
      if (!known.first.has(operation.base)) known.first.set(operation.base, operation);
      found.set(key, known);
    }
  }
  for (const { breach, first } of found.values()) {
    const { path, reason, part } = breach;
    complaints.add([...at, ...path], `${listed([...first.values()].map(nameOf))}: ${reason}`, part);
  }
}

/** A breach of further paths alone is named with the first of them. */
const nameOf = ({ id, base, method, path }: Operation) => (id === base ? id : `${base} (${method} ${path})`);

const listed = (names: readonly string[]) =>
  names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ');

/** Why a value cannot be stored. */
export interface RowBreach {
  path: Path;
  message: string;
  /** The JSON Schema keyword, or `unknown_field`. */
  constraint: string;
}

/** Why a row does not fit the collection. */
export function rowBreaches(row: unknown, collection: Collection, control: Contract): RowBreach[] {
  return [
    ...breachesOf(row, TABLES[collection].schema, control, () => TABLES[collection].noun),
    ...templateBreaches(row, collection),
  ];
}

/** The members of rows that are templates of answers, or hold some. */
const TEMPLATES: { readonly [C in Collection]?: readonly string[] } = {
  tools: ['response', 'answers'],
  providers: ['records'],
  proxy_responses: ['body'],
};

const templateBreaches = (row: unknown, collection: Collection): RowBreach[] =>
  (TEMPLATES[collection] ?? []).flatMap((member) => {
    const message = placeholderFault(isObject(row) ? row[member] : undefined);
    return message === undefined ? [] : [{ path: [member], message, constraint: 'placeholder' }];
  });

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
  const others = complaints.filter(
    ({ errorCode }) => errorCode !== 'if' && (errorCode !== 'additionalProperties' || unknown.length === 0),
  );
  // Only complaints that are shown need a clear message.
  const clear = others.slice(0, MAX_LISTED).map((each) => breachIn(each, value, schema, control));
  const rest = others.slice(MAX_LISTED).map(({ path, message, errorCode = '' }) => ({
    path: [path],
    message,
    constraint: errorCode,
  }));
  return [...unknown, ...clear, ...rest];
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

/** A member that a schema does not name, with the names that it has there. */
interface UnknownMember {
  path: Path;
  known: readonly string[];
}

/** The first of them, as many as a check of a schema finds errors. */
export function unknownMembers(
  value: unknown,
  written: Schema,
  contract: Contract,
  path: Path = [],
): UnknownMember[] {
  const found: UnknownMember[] = [];
  collectUnknown(value, written, path, { contract, found });
  return found;
}

interface UnknownSearch {
  contract: Contract;
  found: UnknownMember[];
}

function collectUnknown(value: unknown, written: Schema, path: Path, search: UnknownSearch): void {
  const { contract, found } = search;
  if (typeof value !== 'object' || value === null || found.length >= MAX_ERRORS) return;
  const schema = follow(written, contract);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      collectUnknown(item, schema.items ?? {}, [...path, index], search);
    return;
  }
  if (schema['x-free-json']) return;
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, name];
    const shape = memberOf(schema, name);
    if (shape) collectUnknown(inner, shape, at, search);
    else if (schema.additionalProperties === false && found.length < MAX_ERRORS)
      found.push({ path: at, known: Object.keys(schema.properties ?? {}) });
  }
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
