import type { DescMethod, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Operation } from '../../contract/compiled.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Route } from '../../contract/router.ts';

/** The HTTP call of the operation that an RPC names. */
interface Transcoded {
  route: Route;
  method: string;
  path: string;
  query: Record<string, string | string[]>;
  /** A JSON value; undefined if the operation takes no body. */
  body: JsonValue | undefined;
}

/** One HTTP binding of an RPC. */
export interface Binding {
  operation: Operation;
  variables: readonly string[];
  /** The fixed parts of the path before, between and after the variables. */
  literals: readonly string[];
  /** `*`: all fields that the path does not name; empty: no body; otherwise the name of the field that is the body. */
  body: string;
}

/** The HTTP bindings of a method that the contract has, the primary one first. */
export function bindingsOf({ parent, name }: DescMethod, contract: Contract): readonly Binding[] {
  const rpc = `${parent.name}_${name}`;
  return contract.operations
    .filter(({ base, otherRpc }) => base === rpc || otherRpc === rpc)
    .map((operation) => ({
      operation,
      variables: variablesOf(operation.path),
      literals: operation.path.split(VARIABLE),
      body: bodyOf(operation),
    }));
}

const VARIABLE = /\{[^}]+\}/;

const bodyOf = ({ bodyField, requestBody }: Operation) => bodyField ?? (requestBody ? '*' : '');

/** Uses the binding whose path names most fields, all of them set, or the primary one if there is none. */
export function transcode(bindings: readonly Binding[], fields: JsonObject): Transcoded {
  const { operation, variables, literals, body: bodyField } = bindingFor(bindings, fields) ?? bindings[0]!;
  const params: Record<string, string> = {};
  let path = literals[0]!;
  for (const [index, name] of variables.entries()) {
    params[name] = valueOf(fields, name);
    path += encodeURIComponent(params[name]) + literals[index + 1]!;
  }
  const { body, query } = split(without(fields, variables), bodyField);
  return {
    route: { operation, params },
    method: operation.method,
    path,
    query: queryOf(query, operation),
    body,
  };
}

/** A shorter path would drop fields that the caller has set. Among equals, the first counts. */
function bindingFor(bindings: readonly Binding[], fields: JsonObject): Binding | undefined {
  let found: Binding | undefined;
  for (const binding of bindings) {
    const { variables } = binding;
    const isLonger = found === undefined || variables.length > found.variables.length;
    if (isLonger && variables.every((name) => has(fields, name))) found = binding;
  }
  return found;
}

const variablesOf = (path: string) => path.match(/(?<=\{)[^}]+(?=\})/g) ?? [];

const has = (fields: JsonObject, name: string) => valueOf(fields, name) !== '';

/** An unset field is an empty string on the wire. */
const valueOf = (fields: JsonObject, name: string) => textOf(fields[name] ?? '');

/** A scalar as text. In JSON, bytes are text already. */
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

/** Fields of nested messages are named with dots. Repeated fields occur several times. */
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

/** A query cannot hold an empty message. An empty value for one of its lists stands for it. */
function presence(prefix: string, parameters: Operation['parameters']): [string, string[]][] {
  const list = parameters.find(({ name, schema }) => name.startsWith(prefix) && schema.type === 'array');
  return list ? [[list.name, ['']]] : [];
}
