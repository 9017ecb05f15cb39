import { isObject } from '../text/json.ts';
import { Complaints, NOWHERE } from './complaints.ts';
import { oneOf, suggest } from '../text/suggestion.ts';
import type { Path } from './path.ts';

export const PARAM_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
export type ParamType = (typeof PARAM_TYPES)[number];

/** What a scenario can be told when it is loaded. */
export interface Param {
  type?: ParamType;
  description?: string;
  /** Without it, and unless it is optional, a value must be given. */
  default?: unknown;
  /** Without a value, each member that is nothing but its placeholder is left out. */
  optional?: boolean;
  enum?: unknown[];
}

export type Params = ReadonlyMap<string, Param>;

/** Values that someone gave for parameters, and where: what is wrong with them is told there. */
export interface Given {
  values: Readonly<Record<string, unknown>>;
  at: Path;
  complaints: Complaints;
  /** They come from a command line, and mean what the parameters' types say. */
  areTexts?: boolean;
  /** What is missing is left open instead of being complained of. */
  isLenient?: boolean;
}

/** `what` is what complaints call it. */
export const nothingGiven = (what: string): Given => ({
  values: {},
  at: [],
  complaints: new Complaints(what, NOWHERE),
});

/** An optional parameter without a value. */
export const ABSENT = Symbol('absent');
/** A parameter whose value nobody knows yet. */
export const OPEN = Symbol('open');

/** Those of a scenario; it complains of defaults that they can't have. */
export function readParams(written: unknown, complaints: Complaints): Params {
  const params = new Map<string, Param>();
  for (const [name, param] of Object.entries(isObject(written) ? written : {})) {
    const read = readParam(param);
    const problem = 'default' in read ? problemOf(read.default, read) : undefined;
    if (problem) complaints.add(['params', name, 'default'], problem);
    params.set(name, read);
  }
  return params;
}

/** A plain value is a default, and nothing at all is no default. */
function readParam(written: unknown): Param {
  if (isObject(written)) return withType(understood(written as Param));
  return written === null ? {} : withType({ default: written });
}

/** Without what it can't have; that is complained of where its form is. */
function understood({ type, enum: allowed, ...others }: Param): Param {
  return {
    ...others,
    ...(type !== undefined && PARAM_TYPES.includes(type) && { type }),
    ...(Array.isArray(allowed) && { enum: allowed }),
  };
}

function withType(param: Param): Param {
  if (param.type !== undefined || param.default === undefined || param.default === null) return param;
  return { ...param, type: typeOf(param.default) };
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : (typeof value as ParamType));

/** One for each parameter: given, default, ABSENT or OPEN. It complains of those that can't be and that are missing. */
export function valuesOf(params: Params, given: Given, scenario: string): Map<string, unknown> {
  const { values, at, complaints } = given;
  for (const name of Object.keys(values)) {
    if (params.has(name)) continue;
    const hint = () => (params.size === 0 ? ', it has none' : suggest(name, [...params.keys()]));
    complaints.add([...at, name], () => `${scenario} has no parameter ${name}${hint()}`, 'key');
  }
  return new Map(Array.from(params, ([name, param]) => [name, valueOf(name, param, given, scenario)]));
}

function valueOf(name: string, param: Param, given: Given, scenario: string): unknown {
  const { at, complaints, isLenient } = given;
  if (Object.hasOwn(given.values, name)) return givenValue(name, param, given);
  if (param.default !== undefined && param.default !== null) return param.default;
  if (param.optional) return ABSENT;
  if (!isLenient) {
    const meaning = param.description === undefined ? '' : `: ${param.description}`;
    complaints.add(at, `${scenario} needs the parameter ${name}${meaning}`);
  }
  return OPEN;
}

function givenValue(name: string, param: Param, { values, at, complaints, areTexts }: Given): unknown {
  const path = [...at, name];
  if (complaints.isOpen(path)) return OPEN;
  const value = areTexts ? readText(String(values[name]), param) : values[name];
  if (param.optional && value === null) return ABSENT;
  const problem = problemOf(value, param);
  if (!problem) return value;
  complaints.add(path, problem);
  return OPEN;
}

function problemOf(value: unknown, { type, enum: allowed }: Param): string | undefined {
  if (type !== undefined && !isOfType(value, type)) return `must be ${type}`;
  if (allowed && !allowed.includes(value)) return oneOf(allowed, value);
  return undefined;
}

function isOfType(value: unknown, type: ParamType): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isObject(value);
  return typeOf(value) === type;
}

/** What a text of a command line means; the text itself where it can't be that. */
function readText(text: string, { type, optional }: Param): unknown {
  if (type === 'string' || type === undefined) return text;
  if (optional && text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
