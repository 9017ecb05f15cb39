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
  known: readonly string[];
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

/** Members that a body of this schema has not, in and around operators, and operators that its members can't take. */
export function misfits(wanted: unknown, written: Schema, contract: Contract, path: Path = []): Misfit[] {
  const schema = schemaAt([], written, contract);
  if (isOperators(wanted)) {
    return Object.entries(wanted).flatMap(([name, operand]) =>
      misfitsOf(name, operand, { schema, contract, path: [...path, name] }),
    );
  }
  if (Array.isArray(wanted)) {
    return wanted.flatMap((each, index) => misfits(each, schema.items ?? {}, contract, [...path, index]));
  }
  if (!isObject(wanted) || schema['x-free-json']) return [];
  if (typeof schema.type === 'string' && schema.type !== 'object') {
    const names = Object.keys(wanted).filter((name) => !OPERATOR_NAMES.includes(name));
    return names.map((name) => ({ path: [...path, name], known: OPERATOR_NAMES, noun: 'operator' }));
  }
  return Object.entries(wanted).flatMap(([name, value]) => {
    const known = unknownMembers({ [name]: 0 }, schema, contract)[0]?.known;
    if (known) return [{ path: [...path, name], known, noun: 'member' as const }];
    return misfits(value, schemaAt([name], schema, contract), contract, [...path, name]);
  });
}

interface Place {
  schema: Schema;
  contract: Contract;
  path: Path;
}

function misfitsOf(name: string, operand: unknown, { schema, contract, path }: Place): Misfit[] {
  const kinds = KINDS[name];
  if (kinds && typeof schema.type === 'string' && !kinds.includes(schema.type)) {
    const reason = `${name} can't be met by what is ${aKind(schema.type)}`;
    return [{ path, known: [], noun: 'operator', reason }];
  }
  const plain = (value: unknown, at: Path) =>
    unknownMembers(value, schema, contract, at).map((each) => ({ ...each, noun: 'member' as const }));
  if (name === 'equals') return plain(operand, path);
  if (name === 'in') return (operand as unknown[]).flatMap((each, index) => plain(each, [...path, index]));
  if (name === 'not') return misfits(operand, schema, contract, path);
  return name === 'contains' && isObject(operand) ? misfits(operand, schema.items ?? {}, contract, path) : [];
}

const aKind = (type: string) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`);
