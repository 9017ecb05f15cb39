import { mediaTypeOf, type RawBody } from '../contract/body.ts';
import type { Operation, Schema } from '../contract/compiled.ts';
import type { CheckedInput, Contract, UncheckedInput } from '../contract/contract.ts';
import { ApiError, invalidArgument, validationError, type FieldViolation } from '../contract/errors.ts';
import { schemaAt } from '../scenarios/breaches.ts';
import { suggest, suggestAmong } from '@understudy/text/suggestion';

/** Segments of `/_control/v1/`, which all paths share. */
const CONTROL_DEPTH = 3;

type FieldPath = readonly (string | number)[];

/** Lists every rule that a control call breaks, each with a hint how to fix it. */
export function explainViolations(
  { violations, unknown }: CheckedInput,
  operation: Operation,
  { query, params, body, mediaType }: UncheckedInput,
  contract: Contract,
): ApiError {
  const schema = operation.requestBody?.content[mediaType]?.schema ?? {};
  const strangers = unknown.map(({ field, name, known }): FieldViolation => {
    const description = `${operation.base} has no such field${suggestAmong(name, known())}`;
    return { field, description, constraint: 'unknown_field' };
  });
  return validationError([...violations.map(explained), ...strangers]);

  function explained(violation: FieldViolation): FieldViolation {
    const path = stepsOf(violation.field);
    const parameter = operation.parameters.find(({ name }) => name === violation.field);
    const wanted = parameter ? schemaAt([], parameter.schema, contract) : schemaAt(path, schema, contract);
    const given = parameter ? (query[parameter.name] ?? params[parameter.name]) : valueAt(path, body);
    const description = wordingOf(violation.constraint, wanted, given);
    return description === undefined ? violation : { ...violation, description };
  }
}

/** The contract's texts are those of the service; here the caller is told what to write instead. */
function wordingOf(constraint: string, schema: Schema, given: unknown): string | undefined {
  if (schema.enum && /^(enum|string\.in$)/.test(constraint)) {
    const words = schema.enum.map(String);
    return `value must be one of ${words.join(', ')}${typeof given === 'string' ? suggest(given, words) : ''}`;
  }
  const isText = /^(string\.(pattern|prefix)|format|type)$/.test(constraint);
  if (isText && schema['x-wanted']) return `value must be ${schema['x-wanted']}`;
  if (isText && schema.format === 'date-time') return 'value must be a time, such as 2026-03-01T09:00:00Z';
  return undefined;
}

/** The error for an unknown path, with the nearest known one. */
export function unknownPath(error: ApiError, path: string, contract: Contract): ApiError {
  if (error.failure !== 'route_not_found') return error;
  const segments = path.split('/');
  const inside = (parts: readonly string[]) => parts.slice(CONTROL_DEPTH).join('/');
  const alike = contract.operations
    .map((operation) => operation.path.split('/'))
    .filter(({ length }) => length === segments.length)
    .map((template) => inside(template.map((part, at) => (part.startsWith('{') ? segments[at]! : part))));
  const hint = suggest(inside(segments), [...new Set(alike)]);
  return new ApiError(error.failure, `${error.message}${hint}`, error.parts);
}

/**
 * Rejects a body that the operation would ignore. Some clients always send an empty object, which is allowed.
 */
export function refuseBody({ requestBody, base }: Operation, bytes: Uint8Array | undefined): void {
  if (requestBody || !bytes || bytes.length === 0) return;
  const text = new TextDecoder().decode(bytes).trim();
  if (!['', '{}', 'null'].includes(text)) throw invalidArgument(`${base} takes no body`);
}

const TEXTS = ['application/json', 'application/yaml'];

/**
 * A web page may send a body without a type, a form or plain text to any address without a preflight. None of
 * them is read as JSON.
 */
export function refuseUntyped({ requestBody }: Operation, { contentType, bytes }: RawBody): void {
  if (!bytes || bytes.length === 0) return;
  const accepted = Object.keys(requestBody?.content ?? {});
  const known = accepted.length > 0 ? accepted : TEXTS;
  const given = mediaTypeOf(contentType);
  if (known.includes(given)) return;
  const flaw =
    given === ''
      ? `a body needs a content type: ${known.join(' or ')}`
      : `content type ${given} is not one of ${known.join(', ')}`;
  throw new ApiError('unsupported_media_type', `${flaw}; with curl, add -H "content-type: ${known[0]}"`);
}

/** Splits `clock.at`, `scenarios[0]` or `headers["x-a"]` into steps. */
const stepsOf = (field: string): FieldPath =>
  Array.from(field.matchAll(/\[(\d+)\]|\["([^"]*)"\]|([^.[\]]+)/g), ([, index, key, name]) =>
    index === undefined ? (key ?? name ?? '') : Number(index),
  );

const valueAt = (path: FieldPath, body: unknown) =>
  path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : undefined,
    body,
  );
