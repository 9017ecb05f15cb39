import type { FieldViolation } from '../errors.ts';
import type { Operation, Schema } from './compiled.ts';

/** One complaint of express-openapi-validator. */
export interface Complaint {
  path: string;
  message: string;
  errorCode?: string;
}

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
export function violationsOf(complaints: readonly Complaint[], operation: Operation): FieldViolation[] {
  const told = complaints.filter(({ errorCode }) => errorCode !== 'propertyNames.openapi.validation');
  return told.map((complaint) => {
    const keyword = (complaint.errorCode ?? '').replace('.openapi.validation', '');
    return {
      field: fieldOf(complaint.path, operation),
      ...wordingOf(keyword, complaint.message, operation, complaint.path),
    };
  });
}

function wordingOf(keyword: string, message: string, operation: Operation, path: string) {
  if (keyword === 'pattern') return patternWording(message);
  if (keyword === 'format' && !message.includes('"email"')) return other(keyword, message);
  const allowed = keyword === 'enum' ? allowedValues(operation, path) : undefined;
  if (allowed)
    return { description: `value must be in list [${allowed.join(', ')}]`, constraint: 'string.in' };
  const known = WORDINGS[keyword];
  if (!known) return other(keyword, message);
  return { description: known.say(/\d+/.exec(message)?.[0] ?? ''), constraint: known.constraint };
}

function patternWording(message: string) {
  const [, pattern = ''] = /"(.*)"/s.exec(message) ?? [];
  const [, prefix] = /^\^([a-z0-9]+_?)$/.exec(pattern) ?? [];
  return prefix
    ? { description: `value does not have prefix \`${prefix}\``, constraint: 'string.prefix' }
    : { description: `value does not match regex pattern \`${pattern}\``, constraint: 'string.pattern' };
}

const other = (keyword: string, message: string) => ({
  description: message,
  constraint: keyword || 'format',
});

/** Enums of query parameters are lists of texts to the service; those of bodies are enums. */
function allowedValues(operation: Operation, path: string): unknown[] | undefined {
  const [, place, name] = path.split('/');
  if (place !== 'query') return undefined;
  const schema: Schema | undefined = operation.parameters.find(
    (parameter) => parameter.name === name,
  )?.schema;
  return schema?.enum;
}

/** `/body/metadata/ab` of a body bound to `organization` is `organization.metadata["ab"]`. */
function fieldOf(path: string, operation: Operation): string {
  const [, place, ...steps] = path.split('/').map(unescapePointer);
  const body = place === 'body' || place === undefined;
  const root = body && operation.bodyField ? [operation.bodyField] : [];
  const field = [...root, ...steps].reduce((text, step) => {
    if (/^\d+$/.test(step)) return `${text}[${step}]`;
    if (/(^|\.)(metadata|custom_attributes)$/.test(text)) return `${text}["${step}"]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
  return field === '' ? 'body' : field;
}

const unescapePointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
