import type { FieldViolation } from './errors.ts';
import type { Operation, Schema } from './compiled.ts';

/** One complaint of express-openapi-validator. */
export interface Complaint {
  path: string;
  message: string;
  errorCode?: string;
  /** Ajv's parameters of the error, such as `limit`; requests only. */
  params?: Readonly<Record<string, unknown>>;
  /** For a complaint about the key of a map: the key. */
  propertyName?: string;
}

export interface AjvError {
  instancePath: string;
  keyword: string;
  message?: string;
  params: Record<string, unknown>;
  /** For an error about the key of a map: the key. */
  propertyName?: string;
}

type ParameterSchema = Schema & { 'x-constraint'?: string };

type Wording = (limit: string) => string;

/**
 * The service validates with protovalidate, as the tests of the vendor's Python SDK show. These are its texts, by
 * JSON Schema keyword.
 */
const WORDINGS: Record<string, { constraint: string; say: Wording }> = {
  required: { constraint: 'required', say: () => 'value is required' },
  minLength: { constraint: 'string.min_len', say: (n) => `value length must be at least ${n} characters` },
  maxLength: { constraint: 'string.max_len', say: (n) => `value length must be at most ${n} characters` },
  minItems: { constraint: 'repeated.min_items', say: (n) => `value must contain at least ${n} item(s)` },
  maxItems: { constraint: 'repeated.max_items', say: (n) => `value must contain no more than ${n} item(s)` },
  uniqueItems: { constraint: 'repeated.unique', say: () => 'repeated value must contain unique items' },
  maxProperties: { constraint: 'map.max_pairs', say: (n) => `map must be at most ${n} entries` },
  minimum: { constraint: 'uint32.gte', say: (n) => `value must be greater than or equal to ${n}` },
  maximum: { constraint: 'uint32.lte', say: (n) => `value must be less than or equal to ${n}` },
  enum: { constraint: 'enum.defined_only', say: () => 'value must be one of the defined enum values' },
  format: { constraint: 'string.email', say: () => 'value must be a valid email address' },
};

/**
 * The validator's complaints in the service's wording. `field` is the path in the RPC request. Over gRPC, an undefined
 * value of an enum is a number, whose type is right.
 */
export function violationsOf(
  complaints: readonly Complaint[],
  operation: Operation,
  body: unknown,
): FieldViolation[] {
  const refusedEnums = new Set(
    complaints.filter((each) => keywordOf(each) === 'enum').map(({ path }) => path),
  );
  const isOfEnum = ({ path }: Complaint) => refusedEnums.has(path) && typeof valueAt(path, body) === 'number';
  const kept = complaints.filter(
    (each) => keywordOf(each) !== 'propertyNames' && !(keywordOf(each) === 'type' && isOfEnum(each)),
  );
  return kept.toSorted(byPlace).map((complaint) => {
    const { path, propertyName } = complaint;
    const key = propertyName === undefined ? [] : [propertyName];
    return {
      field: fieldOf([...stepsOf(path), ...key], operation),
      ...serviceWording(complaint, operation, valueAt(path, body)),
    };
  });
}

/** The library passes on the message of an error, but not its parameters. */
export function withErrors(complaints: readonly Complaint[], errors: readonly AjvError[]): Complaint[] {
  return complaints.map((complaint, at) => {
    const { params = {}, propertyName } = errors[at] ?? {};
    if (complaint.errorCode === undefined) return complaint;
    return { ...complaint, params, ...(propertyName !== undefined && { propertyName }) };
  });
}

/** The order of the fields in most RPC requests: path, body, query. */
const PLACES = ['params', 'body', 'query'];

const placeOf = ({ path }: Complaint) => PLACES.indexOf(path.split('/')[1] ?? '');

const byPlace = (a: Complaint, b: Complaint) => placeOf(a) - placeOf(b);

const keywordOf = ({ errorCode = '' }: Complaint) => errorCode.replace('.openapi.validation', '');

/** The value that a complaint is about; undefined if it is not in the body. */
function valueAt(path: string, body: unknown): unknown {
  const [, place, ...steps] = path.split('/').map(unescapePointer);
  if (place !== 'body') return undefined;
  return steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined),
    body,
  );
}

function serviceWording(complaint: Complaint, operation: Operation, value: unknown) {
  const { path, message, params: { limit, pattern, format } = {} } = complaint;
  const keyword = keywordOf(complaint);
  if (keyword === 'pattern') return patternWording(String(pattern));
  if (keyword === 'format' && format === 'uri') return NO_URI;
  if (keyword === 'format' && format !== 'email') return other(keyword, message);
  if (keyword === 'format' && value === '') return EMPTY_EMAIL;
  const schema = parameterAt(operation, path);
  const ofParameter = schema && parameterWording(keyword, schema, message);
  if (ofParameter) return ofParameter;
  const known = WORDINGS[keyword];
  if (!known) return other(keyword, message);
  return { description: known.say(String(limit)), constraint: known.constraint };
}

function parameterWording(keyword: string, schema: ParameterSchema, message: string) {
  if (keyword === 'type') return other(keyword, wantedOfQuery(schema) ?? message);
  if (keyword === 'enum' && schema.enum) return listWording(schema.enum);
  if (schema['x-constraint'] === undefined) return undefined;
  if (keyword === 'minLength' && schema['x-constraint'] === 'required') return MISSING;
  return keyword === 'minimum' || keyword === 'maximum' ? rangeWording(schema) : undefined;
}

const EMPTY_EMAIL = {
  description: 'value is empty, which is not a valid email address',
  constraint: 'string.email_empty',
};

const NO_URI = { description: 'value must be a valid URI', constraint: 'string.uri' };

function patternWording(pattern: string) {
  const [, prefix] = /^\^([a-z0-9]+_?)$/.exec(pattern) ?? [];
  return prefix
    ? { description: `value does not have prefix \`${prefix}\``, constraint: 'string.prefix' }
    : { description: `value does not match regex pattern \`${pattern}\``, constraint: 'string.pattern' };
}

/** Protobuf treats an empty text as missing; `x-constraint` marks parameters where that is the rule. */
const MISSING = { description: 'value is required', constraint: 'required' };

const PARAMETER_PLACES: Readonly<Record<string, string>> = { query: 'query', params: 'path' };

const other = (keyword: string, message: string) => ({
  description: message,
  constraint: keyword || 'format',
});

/** In the service, enums of query parameters are lists of texts, those of bodies are enums. */
const listWording = (allowed: readonly unknown[]) => ({
  description: `value must be in list [${allowed.join(', ')}]`,
  constraint: 'string.in',
});

/** `x-constraint` marks ranges that the service checks with one rule. */
const rangeWording = ({ minimum, maximum, 'x-constraint': constraint = '' }: ParameterSchema) => ({
  description: `value must be greater than or equal to ${minimum} and less than or equal to ${maximum}`,
  constraint,
});

function parameterAt({ parameters }: Operation, path: string): ParameterSchema | undefined {
  const [, place = '', name] = path.split('/');
  const where = PARAMETER_PLACES[place];
  return parameters.find((parameter) => parameter.in === where && parameter.name === name)?.schema;
}

/** Members whose keys the caller chooses. The claims of an API token are a map, those of a client a list. */
const MAPS =
  /(^|\.)(metadata|custom_attributes|template_variables|attribute_mapping|extra_authorize_params)$|^(token\.)?custom_claims$/;

/** `/body/metadata/ab` of a body bound to `organization` becomes `organization.metadata["ab"]`. */
export function fieldOf([place, ...steps]: readonly (string | number)[], operation: Operation): string {
  const body = place === 'body' || place === undefined;
  const root = body && operation.bodyField ? [operation.bodyField] : [];
  const field = [...root, ...steps].reduce<string>((text, step) => {
    if (MAPS.test(text)) return `${text}[${JSON.stringify(step)}]`;
    if (/^\d+$/.test(String(step))) return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${step}`;
  }, '');
  return field === '' ? 'body' : field;
}

const stepsOf = (pointer: string) => pointer.split('/').slice(1).map(unescapePointer);

const unescapePointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** The most errors for one value. */
export const MAX_ERRORS = 1000;

const LOOP = /for\((?:let i\d+=0; i\d+<len\d+; i\d+\+\+|const key\d+ in data\d*)\)\{/g;

/**
 * Ajv option `code.process`: makes compiled loops stop after enough errors. With `allErrors`, Ajv would check the
 * whole list and copy all errors at each element with a `$ref`.
 */
export const boundErrors = (code: string): string =>
  code.replace(LOOP, (loop) => `${loop}if(errors>=${MAX_ERRORS})break;`);

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];
const BOOLEANS = new Map<unknown, boolean>([
  ...TRUE.map((text) => [text, true] as const),
  ...FALSE.map((text) => [text, false] as const),
]);

const DECIMAL = /^[+-]?[0-9]+$/;
const UNREADABLE = {};

/**
 * The value of a query parameter that is not a list, as gateways of gRPC in Go read it (grpc-gateway,
 * runtime/query.go, with strconv). What cannot be read is returned as a value that the schema refuses, because the
 * validator would read more, such as `0x10` and `1e1`. Unverified (requests/query-values): the service's gateway is not
 * known.
 */
export function readQueryValue(given: unknown, { type }: Schema): unknown {
  if (type === 'boolean') return BOOLEANS.get(given) ?? given;
  if (type === 'integer') return typeof given === 'string' && DECIMAL.test(given) ? given : UNREADABLE;
  return given;
}

const WANTED: Readonly<Record<string, string>> = {
  boolean: `value must be one of ${[...TRUE, ...FALSE].join(', ')}`,
  integer: 'value must be one integer in decimal digits',
  string: 'value must be given once',
};

/** What a query parameter accepts, for a value of another type. */
const wantedOfQuery = ({ type }: Schema): string | undefined => WANTED[String(type)];
