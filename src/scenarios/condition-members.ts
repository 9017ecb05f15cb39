import { isObject } from '../json-object.ts';
import type { Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { schemaAt, unknownMembers } from './members.ts';
import { isOperators, OPERATOR_NAMES } from './operators.ts';
import type { Path } from './path.ts';

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
