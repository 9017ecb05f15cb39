import type { Operation, Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { isObject } from '@understudy/text/json';
import { shortened, suggest } from '@understudy/text/suggestion';
import { MAX_COUNTED, type Complaints } from './complaints.ts';
import { type Condition, isOperators, OPERATOR_NAMES } from './condition.ts';
import { schemaAt, unknownMembers } from './breaches.ts';
import { type Path, valueAt } from './path.ts';
import { COLLECTIONS, TABLES } from '../state/schema.ts';
import { formatValueName, type ValueName, valueNamesIn } from './call-facts.ts';
import type { RowSelection } from './edits.ts';
import type { RuleContracts } from './target.ts';

/** Complains of names that none of the rule's operations has, and of operators that can never match. */
export function checkCondition(
  condition: Condition,
  at: Path,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
  complaints: Complaints,
): void {
  for (const place of ['path', 'query'] as const) {
    const wanted = condition[place];
    if (!wanted || !complaints.isClean([...at, place])) continue;
    for (const { name, message } of unknownParameters(place, wanted, operations))
      complaints.add([...at, place, name], message, 'key');
  }
  if (!condition.body || !complaints.isClean([...at, 'body'])) return;
  for (const misfit of misfitsInAll(condition.body, operations, contract)) {
    complaints.add([...at, 'body', ...misfit.path], () => messageOf(misfit), 'key');
  }
}

function messageOf({ path, noun, known, reason }: Misfit): string {
  const name = String(path.at(-1));
  if (reason !== undefined) return reason;
  return noun === 'operator'
    ? `unknown operator ${shortened(name)}${suggest(name, known())}`
    : `none of the operations has the member ${shortened(name)}${suggest(name, known())}`;
}

/** Messages about names that none of the operations has. */
const unknownInCalls = (
  { path = {}, query = {}, body }: Condition,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
): string[] => [
  ...unknownParameters('path', path, operations).map(({ message }) => message),
  ...unknownParameters('query', query, operations).map(({ message }) => message),
  ...(body === undefined ? [] : misfitsInAll(body, operations, contract).map(messageOf)),
];

function unknownParameters(place: 'path' | 'query', wanted: object, operations: readonly Operation[]) {
  const known = operations.flatMap(({ parameters }) => parameters.filter((each) => each.in === place));
  const names = [...new Set(known.map(({ name }) => name))];
  return Object.keys(wanted)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      name,
      message: `none of the operations has the ${place} parameter ${shortened(name)}${suggest(name, names)}`,
    }));
}

/** A name is unknown only if no body of the operations has it. */
function misfitsInAll(body: unknown, operations: readonly Operation[], contract: Contract): Misfit[] {
  const schemas = operations.flatMap(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
  );
  const [first = { additionalProperties: false }, ...others] = [...new Set(schemas)];
  const found: Misfit[] = [];
  for (const misfit of misfits(body, first, contract)) {
    const { path } = misfit;
    const fitting = others.findIndex((schema) => !isMisfit(body, path, schema, contract));
    // A schema that has one name mostly has the next one, too.
    if (fitting > 0) others.unshift(...others.splice(fitting, 1));
    if (fitting < 0) found.push({ ...misfit, known: knownTo(body, misfit, others, contract) });
    if (found.length >= MAX_COUNTED) break;
  }
  return found;
}

/** Whether the path or one above it is impossible in a body of this schema. */
const isMisfit = (body: unknown, path: Path, schema: Schema, contract: Contract) =>
  misfits(body, schema, contract, path).some((each) => isAbove(each.path, path));

const isAbove = (upper: Path, path: Path) => upper.every((step, index) => step === path[index]);

function knownTo(body: unknown, misfit: Misfit, others: readonly Schema[], contract: Contract) {
  let names: string[] | undefined;
  const alike = (schema: Schema) =>
    misfits(body, schema, contract, misfit.path).find(
      ({ path }) => path.length === misfit.path.length && isAbove(path, misfit.path),
    );
  const known = () =>
    (names ??= [
      ...new Set([...misfit.known(), ...others.flatMap((schema) => alike(schema)?.known() ?? [])]),
    ]);
  return known;
}

/** A name or operator that a body cannot have. */
interface Misfit {
  path: Path;
  /** Possible names. */
  known: () => readonly string[];
  /** Why the operator can never match; absent for unknown names. */
  reason?: string;
  noun: 'member' | 'operator';
}

/** The types that each operator can compare. */
const OPERATOR_TYPES: Readonly<Record<string, readonly string[]>> = {
  contains: ['string', 'array'],
  starts_with: ['string', 'integer', 'number'],
  ends_with: ['string', 'integer', 'number'],
  regex: ['string', 'integer', 'number'],
  gt: ['integer', 'number', 'string'],
  gte: ['integer', 'number', 'string'],
  lt: ['integer', 'number', 'string'],
  lte: ['integer', 'number', 'string'],
};

interface ConditionPosition {
  schema: Schema;
  contract: Contract;
  /** Relative to the condition's `body`. */
  path: Path;
  /** Restricts the check to this relative path; undefined: everything. */
  only: Path | undefined;
}

/**
 * Members that the schema does not have, and operators that do not fit a member's type. `only`: checks just this
 * path.
 */
const misfits = (wanted: unknown, written: Schema, contract: Contract, only?: Path): Misfit[] =>
  misfitsAt(wanted, { schema: written, contract, path: [], only });

function misfitsAt(wanted: unknown, place: ConditionPosition): Misfit[] {
  const schema = schemaAt([], place.schema, place.contract);
  const { path, only } = place;
  if (only?.length === 0) return [];
  const at = (name: string | number, inner: Schema): ConditionPosition => ({
    ...place,
    schema: inner,
    path: [...path, name],
    only: only?.slice(1),
  });
  if (isOperators(wanted))
    return entriesOf(wanted, only).flatMap(([name, operand]) => misfitsOf(name, operand, at(name, schema)));
  if (Array.isArray(wanted))
    return elementsOf(wanted, only).flatMap(([index, each]) =>
      misfitsAt(each, at(index, schema.items ?? {})),
    );
  if (!isObject(wanted) || schema['x-free-json']) return [];
  if (typeof schema.type === 'string' && schema.type !== 'object') {
    const names = entriesOf(wanted, only).filter(([name]) => !OPERATOR_NAMES.includes(name));
    return names.map(([name]) => ({ path: [...path, name], known: () => OPERATOR_NAMES, noun: 'operator' }));
  }
  return entriesOf(wanted, only).flatMap(([name, value]) => {
    const known = unknownMembers({ [name]: 0 }, schema, place.contract)[0]?.known;
    if (known) return [{ path: [...path, name], known: () => known, noun: 'member' as const }];
    return misfitsAt(value, at(name, schemaAt([name], schema, place.contract)));
  });
}

const entriesOf = (value: Record<string, unknown>, only: Path | undefined): [string, unknown][] =>
  only ? [[String(only[0]), value[String(only[0])]]] : Object.entries(value);

const elementsOf = (list: readonly unknown[], only: Path | undefined): [number, unknown][] =>
  only ? [[Number(only[0]), list[Number(only[0])]]] : [...list.entries()];

function misfitsOf(name: string, operand: unknown, place: ConditionPosition): Misfit[] {
  const { schema, contract, path } = place;
  const kinds = OPERATOR_TYPES[name];
  if (kinds && typeof schema.type === 'string' && !kinds.includes(schema.type)) {
    const reason = `${name} never matches ${aKind(schema.type)}`;
    return [{ path, known: () => [], noun: 'operator', reason }];
  }
  const unknownIn = (value: unknown, at: Path) =>
    unknownMembers(value, schema, contract, at).map(({ path: stray, known }) => ({
      path: stray,
      known: () => known,
      noun: 'member' as const,
    }));
  if (name === 'equals') return unknownIn(operand, path);
  if (name === 'in')
    return (operand as unknown[]).flatMap((each, index) => unknownIn(each, [...path, index]));
  if (name === 'not') return misfitsAt(operand, place);
  const items = { ...place, schema: schema.items ?? {} };
  return name === 'contains' && isObject(operand) ? misfitsAt(operand, items) : [];
}

const aKind = (type: string) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`);

/** Complains of `row` references outside an edit with `for`, and of members that the rows do not have. */
export function checkRowValues(
  edit: { readonly for?: RowSelection },
  templates: readonly Path[],
  { at, control }: EditPlace,
  complaints: Complaints,
): void {
  const collection = COLLECTIONS.find((name) => edit.for?.[name] !== undefined);
  for (const { path, name } of namesIn(edit, templates)) {
    if (name.part !== 'row') continue;
    const complain = (message: string) =>
      complaints.addToTemplate([...at, ...path], `\${${formatValueName(name)}}: ${message}`);
    if (!collection || path[0] === 'for') {
      complain('only an edit with for has a row, and only outside of the for');
      continue;
    }
    const [member = ''] = name.steps;
    const { noun, schema } = TABLES[collection];
    const [stranger] = unknownMembers({ [member]: 0 }, control.schemaNamed(schema)!, control);
    if (stranger) complain(`a row of ${noun} has no member ${member}${suggest(member, stranger.known)}`);
  }
}

interface EditPlace {
  at: Path;
  control: Contract;
}

/** Complains of references to values that no call of the rule's operations has. */
export function checkCallValues(
  value: unknown,
  at: Path,
  promised: RuleContracts,
  complaints: Complaints,
): void {
  for (const { path, name } of namesIn(value, complaints.templatesIn(at))) {
    const unknown = unknownValue(name, promised);
    if (unknown !== undefined)
      complaints.addToTemplate([...at, ...path], `\${${formatValueName(name)}}: ${unknown}`);
  }
}

function unknownValue({ part, steps }: ValueName, promised: RuleContracts): string | undefined {
  const [first = ''] = steps;
  if (part === 'row' || part === 'headers') return undefined;
  if (part === 'caller')
    return CALLER_MEMBERS.includes(first) && steps.length === 1
      ? undefined
      : `a caller has no ${steps.join('.')}${suggest(first, CALLER_MEMBERS)}`;
  if (part === 'service')
    return first === 'url' && steps.length === 1
      ? undefined
      : `a service has no ${steps.join('.')}; write service.url`;
  const wanted = steps.reduceRight<unknown>(
    (inner, step) => (/^\d+$/.test(step) ? [inner] : { [step]: inner }),
    '',
  );
  return unknownInCalls({ [part]: wanted }, promised)[0];
}

const CALLER_MEMBERS = ['client_id', 'organization_id', 'user_id', 'session_id', 'subject'];

const namesIn = (value: unknown, templates: readonly Path[]) =>
  templates.flatMap((path) => valueNamesIn(String(valueAt(path, value))).map((name) => ({ path, name })));
