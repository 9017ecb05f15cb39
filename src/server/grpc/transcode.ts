import type { DescMethod, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Operation } from '../../contract/compiled.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Route } from '../../contract/router.ts';

/** An RPC as the HTTP call of the same operation. */
export interface Transcoded {
  route: Route;
  method: string;
  path: string;
  query: Record<string, string | string[]>;
  /** JSON; undefined where the operation takes none. */
  body: JsonValue | undefined;
}

/** An operation as a way to call an RPC. */
export interface Binding {
  operation: Operation;
  variables: readonly string[];
  /** What is before, between and after them in the path. */
  literals: readonly string[];
  /** `*`: the whole request is the body but what the path names; empty: there is none; else the field that is. */
  body: string;
}

/** The HTTP bindings of a method that the contract has, its first one first. */
export const bindingsOf = (method: DescMethod, contract: Contract): readonly Binding[] =>
  contract.operations
    .filter(({ base }) => base === `${method.parent.name}_${method.name}`)
    .map((operation) => ({
      operation,
      variables: variablesOf(operation.path),
      literals: operation.path.split(VARIABLE),
      body: bodyOf(operation),
    }));

const VARIABLE = /\{[^}]+\}/;

const bodyOf = ({ bodyField, requestBody }: Operation) => bodyField ?? (requestBody ? '*' : '');

/** By the first binding whose variables the fields have; by the first of all when they have those of none. */
export function transcode(bindings: readonly Binding[], fields: JsonObject): Transcoded {
  const binding =
    bindings.find(({ variables }) => variables.every((name) => has(fields, name))) ?? bindings[0]!;
  const { operation, variables, literals } = binding;
  const params: Record<string, string> = {};
  let path = literals[0]!;
  for (const [index, name] of variables.entries()) {
    params[name] = valueOf(fields, name);
    path += encodeURIComponent(params[name]) + literals[index + 1]!;
  }
  const { body, query } = split(without(fields, variables), binding.body);
  return {
    route: { operation, params },
    method: operation.method,
    path,
    query: queryOf(query, operation),
    body,
  };
}

const variablesOf = (path: string) => path.match(/(?<=\{)[^}]+(?=\})/g) ?? [];

const has = (fields: JsonObject, name: string) => valueOf(fields, name) !== '';

/** Fields that are not set are the empty text on the wire. */
const valueOf = (fields: JsonObject, name: string) => textOf(fields[name] ?? '');

/** Of a scalar; bytes are text in JSON already. */
const textOf = (value: JsonValue) => (typeof value === 'string' ? value : JSON.stringify(value));

function without(fields: JsonObject, names: readonly string[]): JsonObject {
  const others: JsonObject = {};
  for (const name in fields) if (!names.includes(name)) others[name] = fields[name]!;
  return others;
}

function split(fields: JsonObject, body: string): { body: JsonValue | undefined; query: JsonObject } {
  if (body === '') return { body: undefined, query: fields };
  if (body === '*') return { body: fields, query: {} };
  return { body: fields[body], query: without(fields, [body]) };
}

/** Fields of messages are named with dots, those that repeat come several times. */
function queryOf(
  fields: JsonObject,
  { parameters }: Pick<Operation, 'parameters'>,
  prefix = '',
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, string | string[]][] => {
      if (Array.isArray(value)) return [[prefix + name, value.map(textOf)]];
      if (typeof value === 'object' && value !== null) {
        const inner = Object.entries(queryOf(value, { parameters }, `${prefix}${name}.`));
        return inner.length > 0 ? inner : presence(`${prefix}${name}.`, parameters);
      }
      return [[prefix + name, textOf(value)]];
    }),
  );
}

/** In a query, a message is there where a field of it is: that an empty one is there, an empty list of it says. */
function presence(prefix: string, parameters: Operation['parameters']): [string, string[]][] {
  const list = parameters.find(({ name, schema }) => name.startsWith(prefix) && schema.type === 'array');
  return list ? [[list.name, ['']]] : [];
}
