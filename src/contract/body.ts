import { ApiError, invalidArgument } from './errors.ts';
import { excessIn, isObject, loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '@understudy/text/json';
import { isJson, type Operation } from './compiled.ts';
import type { UnknownField } from './types.ts';
import { fieldOf } from './violations.ts';

export interface RawBody {
  contentType: string | undefined;
  bytes: Uint8Array | undefined;
}

interface Body {
  mediaType: string;
  /** Undefined: no body was sent. */
  value: unknown;
}

/** Protobuf parsers have the same limit. */
export const MAX_DEPTH = 100;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** Engines are slow with very large objects. */
export const MAX_MEMBERS = 10_000;
const TOO_LARGE = `has an object with more than ${MAX_MEMBERS} members`;

/** Reads a request body by the operation's content types. The first one is the default. */
export function readBody({ contentType, bytes }: RawBody, operation: Operation): Body {
  const accepted = Object.keys(operation.requestBody?.content ?? {});
  const first = accepted[0];
  if (first === undefined || bytes === undefined || bytes.length === 0)
    return { mediaType: first ?? '', value: undefined };
  const mediaType = mediaTypeOf(contentType) || first;
  if (accepted.includes('*/*')) return { mediaType, value: parseAnything(mediaType, bytes, accepted) };
  if (!accepted.includes(mediaType)) {
    throw new ApiError(
      'unsupported_media_type',
      `content type ${mediaType} is not one of ${accepted.join(', ')}`,
    );
  }
  const text = textOf(bytes);
  const value = parse(mediaType, text);
  refuseLoneSurrogate(value, text, operation);
  return { mediaType, value };
}

/** Refuses of an RPC's message what is refused of a JSON body. */
export function checkMessage(message: unknown, operation: Operation): void {
  const excess = excessOf(message);
  if (excess !== undefined) throw new ExcessiveBody(excess);
  refuseLoneSurrogate(message, undefined, operation);
}

function refuseLoneSurrogate(value: unknown, text: string | undefined, operation: Operation): void {
  const path = typeof value === 'string' ? undefined : loneSurrogateIn(value, text);
  if (!path) return;
  const field = withEscapes(fieldOf(['body', ...path], operation));
  const violation = { field, description: NOT_WELL_FORMED, constraint: 'well_formed' };
  throw new ApiError('invalid_argument', `${field} ${NOT_WELL_FORMED}`, {
    violations: [violation],
    why: { kind: 'contract' },
  });
}

/** Without parameters; empty if there is none. */
export const mediaTypeOf = (contentType: string | undefined): string =>
  contentType?.split(';')[0]?.trim().toLowerCase() ?? '';

/** The body is deeper or larger than the service reads. */
class ExcessiveBody extends ApiError {
  constructor(excess: string) {
    super('invalid_argument', `the request body ${excess}`, { why: { kind: 'limit' } });
  }
}

export const tooManyMembers = (): ApiError => new ExcessiveBody(TOO_LARGE);

/** For operations that take anything, malformed bodies are texts. One that names JSON reads it, within limits. */
function parseAnything(mediaType: string, bytes: Uint8Array, accepted: readonly string[]): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return parse(mediaType, text);
  } catch (thrown) {
    if (thrown instanceof ExcessiveBody && accepted.includes(mediaType)) throw thrown;
    return text;
  }
}

/** A byte order mark at the start is removed. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidArgument('the request body is not UTF-8');
  }
}

function parse(mediaType: string, text: string): unknown {
  if (mediaType === 'application/x-www-form-urlencoded') return readForm(text);
  if (!isJson(mediaType)) return text;
  const excess = excessIn(text, MAX_DEPTH, MAX_MEMBERS);
  if (excess !== undefined) throw new ExcessiveBody(excess === 'levels' ? TOO_DEEP : TOO_LARGE);
  return parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // The engine's message quotes the text, which may hold a secret.
    const reason = (thrown as SyntaxError).message.replace(/,? ?(\.\.\.)?".*is not valid JSON$/s, '');
    throw invalidArgument(`malformed JSON: ${reason}`);
  }
}

/** Why the value is too large; undefined if it is not. */
export function excessOf(value: unknown, levels = MAX_DEPTH): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return TOO_DEEP;
  const members = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  if (members.length > MAX_MEMBERS && !Array.isArray(value)) return TOO_LARGE;
  for (const member of members) {
    const excess = typeof member === 'object' ? excessOf(member, levels - 1) : undefined;
    if (excess !== undefined) return excess;
  }
  return undefined;
}

function readForm(text: string): Record<string, string | string[]> {
  let count = 1;
  for (let at = text.indexOf('&'); at >= 0 && count <= MAX_MEMBERS; at = text.indexOf('&', at + 1))
    count += 1;
  if (count > MAX_MEMBERS) throw invalidArgument(`the request body has more than ${MAX_MEMBERS} fields`);
  const malformed = malformedPair(text);
  if (malformed !== undefined) throw invalidArgument(`malformed percent-encoding in the form: ${malformed}`);
  return readPairs(new URLSearchParams(text));
}

const LONGEST_NAME = 100;

/** The name of the first pair with invalid percent-encoding; undefined if all are valid. */
export function malformedPair(pairs: string): string | undefined {
  if (isDecodable(pairs)) return undefined;
  const [name = ''] = pairs
    .split('&')
    .find((pair) => !isDecodable(pair))!
    .split('=');
  return name.slice(0, LONGEST_NAME);
}

function isDecodable(text: string): boolean {
  try {
    if (text.includes('%')) decodeURIComponent(text);
    return true;
  } catch {
    return false; // decodeURIComponent throws an error without a position
  }
}

/** A repeated name becomes a list. */
export function readPairs(pairs: URLSearchParams): Record<string, string | string[]> {
  const read = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const known = read.get(name);
    if (known === undefined) read.set(name, value);
    else if (typeof known === 'string') read.set(name, [known, value]);
    else known.push(value);
  }
  return Object.fromEntries(read);
}

/** Members of a body for an operation that takes none. Some clients always send an empty object. */
export function membersOf(bytes: Uint8Array): UnknownField[] {
  const names = memberNames(new TextDecoder().decode(bytes));
  const fields = names?.map((name) => ({ field: `body.${name}`, name, known: () => [] }));
  return fields ?? [{ field: 'body', name: 'body', known: () => [] }];
}

/** Undefined if the text is not a JSON object. */
function memberNames(text: string): string[] | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return value === null || isObject(value) ? Object.keys(value ?? {}) : undefined;
  } catch {
    return undefined; // no operation reads this body
  }
}
