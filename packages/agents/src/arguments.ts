import { oneOf, suggestAmong, shortened } from '@understudy/text/suggestion';
import { isObject } from '@understudy/text/json';
import { ToolError } from './service-address.ts';
import type { Schema } from './tool.ts';

/**
 * Refuses arguments that a tool does not have, that it needs, or that have another type. The control API checks their
 * values, and names them by the same names.
 */
export function readArguments(
  tool: string,
  schema: Schema,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const properties = schema['properties'] as Record<string, Schema>;
  const args = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, parsed(value, properties[name])]),
  );
  const names = Object.keys(properties);
  const required = (schema['required'] ?? []) as string[];
  const flaws = [
    ...Object.keys(args)
      .filter((name) => !names.includes(name))
      .map(
        (name) =>
          `${shortened(name)}: ${tool} has no such argument${names.length > 0 ? suggestAmong(name, names) : ''}`,
      ),
    ...required
      .filter((name) => args[name] === undefined)
      .map((name) => `${name}: missing; ${describe(properties[name]!)}`),
    ...names.flatMap((name) => flawOf(name, properties[name]!, args[name])),
  ];
  if (flaws.length > 0) throw new ToolError(flaws.join('\n'));
  return args;
}

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : ([type].flat() as string[]));

/** Some models and clients send an object or a number as its JSON text. */
function parsed(value: unknown, schema: Schema | undefined): unknown {
  const types = schema ? typesOf(schema) : [];
  if (typeof value !== 'string' || types.length === 0 || types.includes('string')) return value;
  try {
    const read: unknown = JSON.parse(value);
    return types.some((each) => hasType(read, each)) ? read : value;
  } catch {
    return value; // The check names it.
  }
}

function describe({ description, type }: Schema): string {
  if (typeof description === 'string') return description;
  return typeof type === 'string' ? `it must be ${WORDS(type)}` : 'a value is needed';
}

function flawOf(name: string, schema: Schema, value: unknown): string[] {
  if (value === undefined) return [];
  const { enum: allowed } = schema;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((each) => hasType(value, each)))
    return [`${name}: must be ${types.map(WORDS).join(' or ')}, not ${shown(value)}`];
  if (Array.isArray(allowed) && !allowed.includes(value)) return [`${name}: ${oneOf(allowed, value)}`];
  return [];
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

const WORDS = (type: string) => ARTICLES[type] ?? type;

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

const shown = (value: unknown): string => shortened(JSON.stringify(value), 80);
