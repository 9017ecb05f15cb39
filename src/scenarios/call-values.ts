import type { Contract } from '../contract/contract.ts';
import { COLLECTIONS, TABLES } from '../environment/rows/schema.ts';
import { isObject } from '../text/json.ts';
import { suggest } from '../text/suggestion.ts';
import type { WrittenEdit } from './changes.ts';
import type { Complaints } from './complaints.ts';
import { unknownInCalls } from './condition-check.ts';
import type { RuleContracts } from './effects.ts';
import { unknownMembers } from './members.ts';
import { memberOf } from './operators.ts';
import type { Path } from './path.ts';
import type { CallFacts } from './rule-outcome.ts';

/** The first part of a placeholder with dots: parts of the call, or `row` in an edit with `for`. */
export const CALL_PARTS = ['path', 'query', 'body', 'headers', 'caller'] as const;
export type CallPart = (typeof CALL_PARTS)[number];

/** For example `${body.user.id}`: the part `body` and the steps `user` and `id`. */
export interface ValueName {
  part: CallPart | 'row';
  steps: readonly string[];
}

/** Where the values come from when a rule is applied or an edit is made. */
export interface CallValues {
  call?: CallFacts | undefined;
  row?: object | undefined;
}

/** An escaped placeholder, or a named one. */
const PLACEHOLDER = /\$\$\{|\$\{([^{}]*)\}/g;
const WHOLE = /^\$\{([^{}]*)\}$/;

/** Undefined for a parameter's name. */
export function readValueName(name: string): ValueName | undefined {
  if (!name.includes('.')) return undefined;
  const [part = '', ...steps] = name.trim().split('.');
  const known = [...CALL_PARTS, 'row' as const].find((each) => each === part);
  if (!known || steps.length === 0 || steps.includes('')) return undefined;
  // A header's name may contain dots.
  return { part: known, steps: known === 'headers' ? [steps.join('.').toLowerCase()] : steps };
}

export const valueNamesIn = (text: string): ValueName[] =>
  Array.from(text.matchAll(PLACEHOLDER), ([, name]) =>
    name === undefined ? undefined : readValueName(name),
  ).filter((name) => name !== undefined);

export const formatValueName = ({ part, steps }: ValueName) => [part, ...steps].join('.');

/**
 * Fills the texts at these paths. A text that is one placeholder becomes the value itself, and its member is left out
 * if there is no value. Inside a text, a missing value is empty.
 */
export function withValues<T>(value: T, templates: readonly Path[], values: CallValues): T {
  return templates.reduce<unknown>((filled, path) => fillAt(filled, path, values), value) as T;
}

/** The name of the first value that is missing. */
export function missingValue(
  value: unknown,
  templates: readonly Path[],
  values: CallValues,
): string | undefined {
  const names = templates.flatMap((path) => valueNamesIn(String(valueAt(value, path))));
  const missing = names.find((name) => lookUp(name, values) === undefined);
  return missing && formatValueName(missing);
}

function fillAt(value: unknown, [step, ...rest]: Path, values: CallValues): unknown {
  if (step === undefined) return fillText(String(value), values);
  if (Array.isArray(value)) {
    return value.map((each, index) => (index === step ? (fillAt(each, rest, values) ?? null) : each));
  }
  const { [step]: inner, ...others } = value as Record<string, unknown>;
  const filled = fillAt(inner, rest, values);
  return filled === undefined ? others : { ...(value as object), [step]: filled };
}

function fillText(text: string, values: CallValues): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return lookUp(readValueName(whole)!, values);
  return text.replace(PLACEHOLDER, (_, name: string | undefined) => {
    if (name === undefined) return '${';
    const value = lookUp(readValueName(name)!, values) ?? '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function lookUp({ part, steps }: ValueName, { call, row }: CallValues): unknown {
  const from = part === 'row' ? row : call && partOf(call, part);
  return steps.reduce<unknown>(stepInto, from) ?? undefined;
}

function partOf(call: CallFacts, part: CallPart): unknown {
  if (part === 'path') return call.params;
  if (part === 'headers') return lowerCased(call.headers);
  return call[part];
}

/** Header names are case-insensitive. */
const lowerCased = (headers: CallFacts['headers']) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? memberOf(value, step) : undefined;
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], value);

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

const CALLER_MEMBERS = ['client_id', 'organization_id', 'user_id', 'session_id', 'subject'];

function unknownValue({ part, steps }: ValueName, promised: RuleContracts): string | undefined {
  const [first = ''] = steps;
  if (part === 'row' || part === 'headers') return undefined;
  if (part === 'caller')
    return CALLER_MEMBERS.includes(first) && steps.length === 1
      ? undefined
      : `a caller has no ${steps.join('.')}${suggest(first, CALLER_MEMBERS)}`;
  const wanted = steps.reduceRight<unknown>(
    (inner, step) => (/^\d+$/.test(step) ? [inner] : { [step]: inner }),
    '',
  );
  return unknownInCalls({ [part]: wanted }, promised)[0];
}

interface EditPlace {
  at: Path;
  control: Contract;
}

/** Complains of `row` references outside an edit with `for`, and of members that the rows do not have. */
export function checkRowValues(
  edit: WrittenEdit,
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
      complain('a row is known in an edit with for, outside of it');
      continue;
    }
    const [member = ''] = name.steps;
    const { noun, schema } = TABLES[collection];
    const [stranger] = unknownMembers({ [member]: 0 }, control.schemaNamed(schema)!, control);
    if (stranger) complain(`a row of ${noun} has no member ${member}${suggest(member, stranger.known)}`);
  }
}

const namesIn = (value: unknown, templates: readonly Path[]) =>
  templates.flatMap((path) =>
    valueNamesIn(
      String(path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], value)),
    ).map((name) => ({ path, name })),
  );
