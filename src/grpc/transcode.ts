import type { DescMethod, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Route } from '../contract/router.ts';
import { httpRules, type HttpRule } from './http-rules.ts';

/** An RPC as the HTTP call of the same operation. */
export interface Transcoded {
  route: Route;
  method: string;
  path: string;
  query: Record<string, string | string[]>;
  /** JSON; undefined where the operation takes none. */
  body: JsonValue | undefined;
}

export interface Binding extends HttpRule {
  operation: Operation;
  variables: readonly string[];
}

/** The HTTP bindings of a method that the contract has. */
export function bindingsOf(method: DescMethod, contract: Contract): readonly Binding[] {
  const name = `${method.parent.name}_${method.name}`;
  const operations = contract.operations.filter(({ base }) => base === name);
  return httpRules(method).flatMap((rule) => {
    const operation = operations.find(
      (each) => each.method === rule.verb && shape(each.path) === shape(rule.path),
    );
    return operation ? [{ ...rule, operation, variables: variablesOf(rule.path) }] : [];
  });
}

/** By the first binding whose variables the fields have; by the first of all when they have those of none. */
export function transcode(bindings: readonly Binding[], fields: JsonObject): Transcoded {
  const binding =
    bindings.find(({ variables }) => variables.every((name) => has(fields, name))) ?? bindings[0]!;
  const { operation, variables, verb, path: template } = binding;
  const values = variables.map((name) => valueOf(fields, name));
  const params = Object.fromEntries(
    variablesOf(operation.path).map((name, index) => [name, values[index] ?? '']),
  );
  const rest = without(fields, variables);
  const path = values.reduce(
    (text, value) => text.replace(/\{[^}]+\}/, () => encodeURIComponent(value)),
    template,
  );
  const { body, query } = split(rest, binding.body);
  return { route: { operation, params }, method: verb, path, query: queryOf(query), body };
}

const shape = (path: string) => path.replace(/\{[^}]+\}/g, '{}');

const variablesOf = (path: string) => path.match(/(?<=\{)[^}=]+(?=[}=])/g) ?? [];

const has = (fields: JsonObject, name: string) => valueOf(fields, name) !== '';

/** Fields that are not set are the empty text on the wire. */
const valueOf = (fields: JsonObject, name: string) => textOf(fields[name] ?? '');

/** Of a scalar; bytes are text in JSON already. */
const textOf = (value: JsonValue) => (typeof value === 'string' ? value : JSON.stringify(value));

const without = (fields: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

function split(fields: JsonObject, body: string): { body: JsonValue | undefined; query: JsonObject } {
  if (body === '') return { body: undefined, query: fields };
  if (body === '*') return { body: fields, query: {} };
  return { body: fields[body], query: without(fields, [body]) };
}

/** Fields of messages are named with dots, those that repeat come several times. */
function queryOf(fields: JsonObject, prefix = ''): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, string | string[]][] => {
      if (Array.isArray(value)) return [[prefix + name, value.map(textOf)]];
      if (typeof value === 'object' && value !== null)
        return Object.entries(queryOf(value, `${prefix}${name}.`));
      return [[prefix + name, textOf(value)]];
    }),
  );
}
