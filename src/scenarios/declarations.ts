import { parseDuration } from '@understudy/text/duration';
import { isObject } from '@understudy/text/json';
import { Complaints, NOWHERE } from './complaints.ts';
import { readParams, type Param } from './params.ts';
import { ScenarioText } from './scenario-text.ts';

/**
 * Declares a scenario file for TypeScript, as a member of an interface: its name and the types of its parameters.
 * `scope` precedes the names of the client's types, such as `import('understudy-server/control').`.
 */
export function declareScenario(name: string, text: string, scope: string): string {
  const { value } = new ScenarioText(text, name);
  const { description, params, rules } = isObject(value) ? value : {};
  const patterns = patternsOf(rules);
  const members = Array.from(readParams(params, new Complaints(name, NOWHERE)), ([key, param]) => {
    const pattern = patterns.get(key) ?? durationOf(param);
    const type = pattern === undefined ? typeOf(param) : `${scope}${pattern}`;
    const isNeeded = (param.default ?? undefined) === undefined && !param.optional;
    return `${comment(param.description, 4)}    ${key}${isNeeded ? '' : '?'}: ${type}${param.optional ? ' | null' : ''};\n`;
  });
  const body = members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}  }`;
  return `${comment(description, 2)}  ${JSON.stringify(name)}: ${body};\n`;
}

function comment(text: unknown, indent: number): string {
  if (typeof text !== 'string' || text === '') return '';
  return `${' '.repeat(indent)}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ').trim()} */\n`;
}

/** The type of a parameter that says which calls or events a rule is for, by the text of `on`. */
const PATTERNS: readonly [on: RegExp, type: string][] = [
  [/^\$\{(\w+)\}$/, 'RulePattern'],
  [/^webhook\.\$\{(\w+)\}$/, 'EventPattern'],
  [/^interceptor\.\$\{(\w+)\}$/, 'TriggerPattern'],
];

function patternsOf(rules: unknown): Map<string, string> {
  const targets = (Array.isArray(rules) ? rules : []).flatMap((rule: unknown) =>
    isObject(rule) ? [rule['on']].flat() : [],
  );
  const found = targets.flatMap((target) =>
    PATTERNS.flatMap(([on, type]): [string, string][] => {
      const [, name] = on.exec(String(target)) ?? [];
      return name === undefined ? [] : [[name, type]];
    }),
  );
  return new Map(found);
}

const durationOf = (param: Param) =>
  typeof param.default === 'string' && !param.enum && parseDuration(param.default) !== undefined
    ? 'DurationText'
    : undefined;

const TYPES = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  array: 'readonly unknown[]',
  object: 'object',
} as const;

function typeOf({ type, enum: values }: Param): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  return type === undefined ? 'unknown' : TYPES[type];
}
