import type { Faker } from '@faker-js/faker';
import { isObject } from '../text/json.ts';
import { ARGUMENTS, FUNCTIONS, KINDS, type Argument } from './faker-functions.ts';
import { shortened, suggest } from '../text/suggestion.ts';

/** A placeholder of faker. The search for its end stops at the next start, so that the cost is linear. */
export const PLACEHOLDER = /\{\{[a-z][\w.]*(?:\((?:(?!\{\{)[^])*?\))?\}\}/g;
const OWN = /^\{\{(param|record)\.(\w+)\}\}$/;
const CALL = /^\{\{(\w+)\.(\w+)(?:\(([^]*)\))?\}\}$/;
const LONGEST_PLACEHOLDER = 500;

/** The kind and the name of `{{param.name}}` and `{{record.number}}`. */
export const ownPlaceholder = (placeholder: string) => OWN.exec(placeholder)?.slice(1);

interface FakerCall {
  module: string;
  name: string;
  args: readonly unknown[];
}

/** A call of faker, or what is wrong with it. */
function readCall(placeholder: string): FakerCall | string {
  const [, module = '', name = '', written = ''] =
    placeholder.length > LONGEST_PLACEHOLDER ? [] : (CALL.exec(placeholder) ?? []);
  const names = Object.hasOwn(FUNCTIONS, module) ? FUNCTIONS[module]!.split(' ') : [];
  if (!names.includes(name)) {
    const known = Object.entries(FUNCTIONS).flatMap(([each, all]) =>
      all.split(' ').map((one) => `${each}.${one}`),
    );
    const hint = module === '' ? '' : suggest(`${module}.${name}`, known);
    return `is none of the allowed placeholders${hint}`;
  }
  try {
    const args = JSON.parse(`[${written}]`) as unknown[];
    return argumentFault(`${module}.${name}`, args) ?? { module, name, args };
  } catch {
    return 'has arguments that are not JSON';
  }
}

function argumentFault(name: string, args: readonly unknown[]): string | undefined {
  const { alone, members = {} }: Argument = ARGUMENTS[name] ?? {};
  const [first] = args;
  if (args.length === 0) return undefined;
  if (args.length > 1) return 'has more than one argument';
  if (alone && KINDS[alone][0](first)) return undefined;
  if (!isObject(first) || Object.keys(members).length === 0)
    return `must have ${alone ? `as its argument ${KINDS[alone][1]}` : 'no such argument'}`;
  for (const [member, value] of Object.entries(first)) {
    const kind = Object.hasOwn(members, member) ? members[member] : undefined;
    if (!kind) return `has no argument ${shortened(member)}${suggest(member, Object.keys(members))}`;
    if (!KINDS[kind][0](value)) return `must have as ${member} ${KINDS[kind][1]}`;
  }
  return undefined;
}

/** Without them, the least number is 0 and the largest 100. */
function isRange(value: unknown): boolean {
  const [min = 0, max = 100]: unknown[] = Array.isArray(value) ? value : [];
  return Number.isSafeInteger(min) && Number.isSafeInteger(max) && Number(min) <= Number(max);
}

const about = (placeholder: string, fault: string) => `${shortened(placeholder)} ${fault}`;

/** What is wrong with the first bad placeholder of a template, at any depth. */
export function placeholderFault(template: unknown): string | undefined {
  if (typeof template === 'string') {
    for (const [placeholder] of template.matchAll(PLACEHOLDER)) {
      const call = ownPlaceholder(placeholder) ? undefined : readCall(placeholder);
      if (typeof call === 'string') return about(placeholder, call);
    }
    return undefined;
  }
  if (typeof template !== 'object' || template === null) return undefined;
  if ('$int' in template && !isRange(template.$int))
    return `{"$int": ${shortened(JSON.stringify(template.$int))}} must have a list of two whole numbers, the smaller one first`;
  for (const each of Object.values(template)) {
    const fault = placeholderFault(each);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The text that faker makes. Throws RangeError that says what is wrong with the placeholder. */
export function callFaker(placeholder: string, faker: Faker): string {
  const call = readCall(placeholder);
  if (typeof call === 'string') throw new RangeError(about(placeholder, call));
  try {
    const functions = faker[call.module as 'string'] as unknown as Record<
      string,
      (...args: unknown[]) => unknown
    >;
    const made = functions[call.name]!(...call.args);
    if (made instanceof Date) return made.toISOString();
    return isObject(made) ? JSON.stringify(made) : String(made);
  } catch (thrown) {
    // Faker throws for a range whose end is before its start, for example.
    throw new RangeError(about(placeholder, `cannot be filled: ${(thrown as Error).message}`));
  }
}
