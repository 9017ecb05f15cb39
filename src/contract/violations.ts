import type { FieldViolation } from '../errors.ts';
import type { Operation, Schema } from './compiled.ts';

/** One complaint of express-openapi-validator. */
export interface Complaint {
  path: string;
  message: string;
  errorCode?: string;
}

type ParameterSchema = Schema & { 'x-constraint'?: string };

type Wording = (limit: string) => string;

/** The service's engine is protovalidate; its words, by JSON Schema keyword (reference: tenancy-and-errors 8.6). */
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

/** The validator's complaints as the service words them: `field` is the path in the RPC request. */
export function violationsOf(
  complaints: readonly Complaint[],
  operation: Operation,
  body: unknown,
): FieldViolation[] {
  const told = complaints.filter(({ errorCode }) => errorCode !== 'propertyNames.openapi.validation');
  return namingKeys(told, body)
    .toSorted(byPlace)
    .map((complaint) => {
      const { path } = complaint;
      return {
        field: fieldOf(stepsOf(path), operation),
        ...wordingOf(complaint, operation, valueAt(path, body)),
      };
    });
}

/** The fields of most RPC requests: what the path names, the body, what is left for the query. */
const PLACES = ['params', 'body', 'query'];

const placeOf = ({ path }: Complaint) => PLACES.indexOf(path.split('/')[1] ?? '');

const byPlace = (a: Complaint, b: Complaint) => placeOf(a) - placeOf(b);

/**
 * Of a map key that is too short or too long the validator tells the map alone. It looks at the keys in their order,
 * so its nth complaint of a length is about the nth key that breaks it.
 */
function namingKeys(complaints: readonly Complaint[], body: unknown): Complaint[] {
  const untold = new Map<string, Iterator<string>>();
  return complaints.map((complaint) => {
    const { path, message } = complaint;
    const rule = `${path} ${message}`;
    const keys =
      untold.get(rule) ?? keysBreaking(keywordOf(complaint), limitIn(message), valueAt(path, body)).values();
    untold.set(rule, keys);
    const key = keys.next().value as string | undefined;
    return key === undefined ? complaint : { ...complaint, path: `${path}/${escapePointer(key)}` };
  });
}

function keysBreaking(keyword: string, limit: number, map: unknown): string[] {
  if (typeof map !== 'object' || map === null) return [];
  if (keyword === 'minLength') return Object.keys(map).filter((key) => [...key].length < limit);
  return keyword === 'maxLength' ? Object.keys(map).filter((key) => [...key].length > limit) : [];
}

const keywordOf = ({ errorCode = '' }: Complaint) => errorCode.replace('.openapi.validation', '');

const limitIn = (message: string) => Number(/\d+/.exec(message)?.[0]);

/** What of the body a complaint is about; undefined when it is about something else. */
function valueAt(path: string, body: unknown): unknown {
  const [, place, ...steps] = path.split('/').map(unescapePointer);
  if (place !== 'body') return undefined;
  return steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined),
    body,
  );
}

function wordingOf(complaint: Complaint, operation: Operation, value: unknown) {
  const { path, message } = complaint;
  const keyword = keywordOf(complaint);
  if (keyword === 'pattern') return patternWording(message);
  if (keyword === 'format' && message.includes('"uri"')) return NO_URI;
  if (keyword === 'format' && !message.includes('"email"')) return other(keyword, message);
  if (keyword === 'format' && value === '') return EMPTY_EMAIL;
  const schema = parameterAt(operation, path);
  if (keyword === 'minLength' && schema?.['x-constraint'] === 'required') return MISSING;
  if (keyword === 'enum' && schema?.enum) return listWording(schema.enum);
  if ((keyword === 'minimum' || keyword === 'maximum') && schema?.['x-constraint'])
    return rangeWording(schema);
  const known = WORDINGS[keyword];
  if (!known) return other(keyword, message);
  return { description: known.say(String(limitIn(message))), constraint: known.constraint };
}

const EMPTY_EMAIL = {
  description: 'value is empty, which is not a valid email address',
  constraint: 'string.email_empty',
};

const NO_URI = { description: 'value must be a valid URI', constraint: 'string.uri' };

function patternWording(message: string) {
  const [, pattern = ''] = /"(.*)"/s.exec(message) ?? [];
  const [, prefix] = /^\^([a-z0-9]+_?)$/.exec(pattern) ?? [];
  return prefix
    ? { description: `value does not have prefix \`${prefix}\``, constraint: 'string.prefix' }
    : { description: `value does not match regex pattern \`${pattern}\``, constraint: 'string.pattern' };
}

/** What protobuf takes for an empty text is missing: the document says so where that is the rule (`x-constraint`). */
const MISSING = { description: 'value is required', constraint: 'required' };

const PARAMETER_PLACES: Readonly<Record<string, string>> = { query: 'query', params: 'path' };

const other = (keyword: string, message: string) => ({
  description: message,
  constraint: keyword || 'format',
});

/** Enums of query parameters are lists of texts to the service; those of bodies are enums. */
const listWording = (allowed: readonly unknown[]) => ({
  description: `value must be in list [${allowed.join(', ')}]`,
  constraint: 'string.in',
});

/** Where the service has one rule with two ends, the document says so (`x-constraint`). */
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

/** `/body/metadata/ab` of a body bound to `organization` is `organization.metadata["ab"]`. */
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

const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** More errors in one value than anyone reads. */
export const ENOUGH = 1000;

const LOOP = /for\((?:let i\d+=0; i\d+<len\d+; i\d+\+\+|const key\d+ in data\d*)\)\{/g;

/**
 * Ajv option `code.process`: what ajv compiles leaves its loops once it has found enough errors. With `allErrors` it
 * would go on to the end of a list, and copy all errors so far at each element that a `$ref` describes.
 */
export const boundErrors = (code: string): string =>
  code.replace(LOOP, (loop) => `${loop}if(errors>=${ENOUGH})break;`);
