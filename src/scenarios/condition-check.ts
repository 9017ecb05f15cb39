import type { Operation, Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { isObject } from '../text/json.ts';
import { suggest } from '../text/suggestion.ts';
import { ENOUGH, type Complaints } from './complaints.ts';
import type { Condition } from './condition.ts';
import { schemaAt, unknownMembers } from './members.ts';
import { isOperators, OPERATOR_NAMES } from './operators.ts';
import type { Path } from './path.ts';

/** Complains of names in a condition that none of the rule's operations has, and of operators that can't be met. */
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
    complaints.add([...at, 'body', ...misfit.path], () => wordingOf(misfit), 'key');
  }
}

function wordingOf({ path, noun, known, reason }: Misfit): string {
  const name = String(path.at(-1));
  if (reason !== undefined) return reason;
  return noun === 'operator'
    ? `unknown operator ${name}${suggest(name, known())}`
    : `none of the operations has the member ${name}${suggest(name, known())}`;
}

/** What of a condition none of the operations has, in words. */
export const unknownInCalls = (
  { path = {}, query = {}, body }: Condition,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
): string[] => [
  ...unknownParameters('path', path, operations).map(({ message }) => message),
  ...unknownParameters('query', query, operations).map(({ message }) => message),
  ...(body === undefined ? [] : misfitsInAll(body, operations, contract).map(wordingOf)),
];

function unknownParameters(place: 'path' | 'query', wanted: object, operations: readonly Operation[]) {
  const known = operations.flatMap(({ parameters }) => parameters.filter((each) => each.in === place));
  const names = [...new Set(known.map(({ name }) => name))];
  return Object.keys(wanted)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      name,
      message: `none of the operations has the ${place} parameter ${name}${suggest(name, names)}`,
    }));
}

/** One counts only where every body that the operations take has it. */
function misfitsInAll(body: unknown, operations: readonly Operation[], contract: Contract): Misfit[] {
  const schemas = operations.flatMap(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
  );
  const [first = { additionalProperties: false }, ...others] = [...new Set(schemas)];
  const found: Misfit[] = [];
  for (const misfit of misfits(body, first, contract)) {
    const { path } = misfit;
    const fitting = others.findIndex((schema) => !isMisfit(body, path, schema, contract));
    // Where one name fits, the next one does mostly, too.
    if (fitting > 0) others.unshift(...others.splice(fitting, 1));
    if (fitting < 0) found.push({ ...misfit, known: knownTo(body, misfit, others, contract) });
    if (found.length >= ENOUGH) break;
  }
  return found;
}

/** Whether the path, or one above it, can't be in a body of that schema. */
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

/** A name in a condition on a body that can't be there. */
export interface Misfit {
  path: Path;
  /** Names that can be. */
  known: () => readonly string[];
  /** Why an operator can't; absent: nothing has the name. */
  reason?: string;
  noun: 'member' | 'operator';
}

/** What operators that look at one kind of value alone look at. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  contains: ['string', 'array'],
  starts_with: ['string', 'integer', 'number'],
  ends_with: ['string', 'integer', 'number'],
  regex: ['string', 'integer', 'number'],
  gt: ['integer', 'number', 'string'],
  gte: ['integer', 'number', 'string'],
  lt: ['integer', 'number', 'string'],
  lte: ['integer', 'number', 'string'],
};

interface Place {
  schema: Schema;
  contract: Contract;
  /** From the condition's own body. */
  path: Path;
  /** What alone is looked at, from here; undefined: everything. */
  only: Path | undefined;
}

/**
 * Members that a body of this schema has not, in and around operators, and operators that its members can't take.
 * `only`: those on the way to this path.
 */
export const misfits = (wanted: unknown, written: Schema, contract: Contract, only?: Path): Misfit[] =>
  misfitsAt(wanted, { schema: written, contract, path: [], only });

function misfitsAt(wanted: unknown, place: Place): Misfit[] {
  const schema = schemaAt([], place.schema, place.contract);
  const { path, only } = place;
  if (only?.length === 0) return [];
  const at = (name: string | number, inner: Schema): Place => ({
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

function misfitsOf(name: string, operand: unknown, place: Place): Misfit[] {
  const { schema, contract, path } = place;
  const kinds = KINDS[name];
  if (kinds && typeof schema.type === 'string' && !kinds.includes(schema.type)) {
    const reason = `${name} can't be met by what is ${aKind(schema.type)}`;
    return [{ path, known: () => [], noun: 'operator', reason }];
  }
  const plain = (value: unknown, at: Path) =>
    unknownMembers(value, schema, contract, at).map(({ path: stray, known }) => ({
      path: stray,
      known: () => known,
      noun: 'member' as const,
    }));
  if (name === 'equals') return plain(operand, path);
  if (name === 'in') return (operand as unknown[]).flatMap((each, index) => plain(each, [...path, index]));
  if (name === 'not') return misfitsAt(operand, place);
  const items = { ...place, schema: schema.items ?? {} };
  return name === 'contains' && isObject(operand) ? misfitsAt(operand, items) : [];
}

const aKind = (type: string) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`);
