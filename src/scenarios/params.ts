import { isObject } from '@understudy/text/json';
import { Complaints, NOWHERE } from './complaints.ts';
import { oneOf, suggest } from '@understudy/text/suggestion';
import type { Path } from './path.ts';

const PARAM_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
type ParamType = (typeof PARAM_TYPES)[number];

/** A parameter of a scenario. */
export interface Param {
  type?: ParamType;
  description?: string;
  /** Without a default, a value is required unless the parameter is optional. */
  default?: unknown;
  /** Without a value, members that hold only the placeholder are left out. */
  optional?: boolean;
  enum?: unknown[];
}

type Params = ReadonlyMap<string, Param>;

/** Values for parameters and the place that complaints about them name. */
export interface ParamValues {
  values: Readonly<Record<string, unknown>>;
  at: Path;
  complaints: Complaints;
  /** The values are texts from a command line and are converted to the parameters' types. */
  areTexts?: boolean;
  /** Missing values are left open, without a complaint. */
  isLenient?: boolean;
}

/** `what`: the name in complaints. */
export const noParamValues = (what: string): ParamValues => ({
  values: {},
  at: [],
  complaints: new Complaints(what, NOWHERE),
});

/** An optional parameter without a value. */
export const ABSENT = Symbol('absent');
/** A parameter whose value is not known yet. */
export const OPEN = Symbol('open');

/** Complains of defaults that do not fit. */
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

/** A plain value is a default; null means no default. */
function readParam(written: unknown): Param {
  if (isObject(written)) return withTypeOfDefault(validMembersOf(written as Param));
  return written === null ? {} : withTypeOfDefault({ default: written });
}

/** Drops invalid members, which the format check complains of. */
function validMembersOf({ type, enum: allowed, ...others }: Param): Param {
  return {
    ...others,
    ...(type !== undefined && PARAM_TYPES.includes(type) && { type }),
    ...(Array.isArray(allowed) && { enum: allowed }),
  };
}

function withTypeOfDefault(param: Param): Param {
  if (param.type !== undefined || param.default === undefined || param.default === null) return param;
  return { ...param, type: typeOf(param.default) };
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : (typeof value as ParamType));

/** The value of each parameter: given, default, ABSENT or OPEN. Complains of unknown, invalid and missing values. */
export function valuesOf(params: Params, given: ParamValues, scenario: string): Map<string, unknown> {
  const { values, at, complaints } = given;
  for (const name of Object.keys(values)) {
    if (params.has(name)) continue;
    const hint = () => (params.size === 0 ? ', it has none' : suggest(name, [...params.keys()]));
    complaints.add([...at, name], () => `${scenario} has no parameter ${name}${hint()}`, 'key');
  }
  return new Map(Array.from(params, ([name, param]) => [name, valueOf(name, param, given, scenario)]));
}

function valueOf(name: string, param: Param, given: ParamValues, scenario: string): unknown {
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

function givenValue(name: string, param: Param, { values, at, complaints, areTexts }: ParamValues): unknown {
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

/** The value of a command line text; the text itself if it does not fit the type. */
function readText(text: string, { type, optional }: Param): unknown {
  if (type === 'string' || type === undefined) return text;
  if (optional && text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
