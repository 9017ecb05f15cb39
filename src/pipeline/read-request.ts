import { checkMessage, malformedPair, readBody } from '../contract/body.ts';
import { jsonTypeIn, type Operation } from '../contract/compiled.ts';
import type { UncheckedInput } from '../contract/contract.ts';
import type { Route } from '../contract/router.ts';
import type { Entry } from '../journal/entry.ts';
import type { UnknownField } from '../contract/types.ts';
import { ApiError, invalidArgument, type FieldViolation } from '../contract/errors.ts';
import { isObject } from '@understudy/text/json';
import { nearest } from '@understudy/text/suggestion';
import { header, type Call } from './call.ts';
import { DIALECTS } from './dialects.ts';

export interface ReadRequest {
  request: UncheckedInput;
  /** Why path, query or body cannot be read. The error is thrown after authentication and scenarios. */
  rejection?: ApiError | undefined;
}

/** The request of a call in the form that the contract checks. */
export function readRequest(call: Call, { operation, params, rejection }: Route): ReadRequest {
  const { method, url, query, headers } = call;
  const cookies = namedCookies(operation, headers['cookie']);
  const request: UncheckedInput = {
    method,
    url,
    params,
    query,
    headers,
    mediaType: '',
    body: undefined,
    ...(cookies && { cookies }),
  };
  if (call.body && !operation.requestBody) request.unasked = call.body;
  const known = rejection ?? malformedQuery(url) ?? call.bodyError;
  if (known) return { request, rejection: known };
  try {
    if (call.message !== undefined) readMessage(call.message, operation, request);
    else if (operation.requestBody) readBytes(call, operation, request);
    return { request };
  } catch (thrown) {
    return { request, rejection: ApiError.from(thrown) };
  }
}

/** The cookies that the operation declares (RFC 6265 5.4). The first of two with the same name counts. */
function namedCookies({ cookies }: Operation, sent: unknown): Record<string, string> | undefined {
  if (!cookies || typeof sent !== 'string') return undefined;
  const pairs = sent.split(';').map((pair) => pair.trim().split(/=(.*)/s));
  const known = pairs.filter(([name]) => cookies.includes(name!)).map(([name, value = '']) => [name, value]);
  return Object.fromEntries(known.toReversed());
}

function readBytes(call: Call, operation: Operation, request: UncheckedInput): void {
  const { mediaType, value } = readBody(
    { contentType: header(call, 'content-type'), bytes: call.body },
    operation,
  );
  request.mediaType = mediaType;
  request.body = value;
  if (isObject(value)) request.body = DIALECTS[operation.dialect].formOf(value, call);
}

/** The journal also shows messages that are refused. */
function readMessage(message: unknown, operation: Operation, request: UncheckedInput): void {
  request.mediaType = jsonTypeIn(operation.requestBody?.content) ?? '';
  request.body = message;
  request.isMessage = true;
  checkMessage(message, operation);
}

function malformedQuery(url: string): ApiError | undefined {
  const at = url.indexOf('?');
  const name = at < 0 ? undefined : malformedPair(url.slice(at + 1));
  if (name === undefined) return undefined;
  return invalidArgument(`malformed percent-encoding in the query: ${name}`);
}

const LONGEST_WARNING = 1000;
const LONGEST_NAME = 100;
/** The most unknown names for which a similar name is suggested. */
const MOST_SLIPS = 10;

/** The violations for unknown fields. `where`: what lacks the field, such as the contract. */
export const refused = (unknown: readonly UnknownField[], where = 'the contract'): FieldViolation[] =>
  unknown.map((each, index) => ({
    field: each.field,
    description: `${where} has no such field${index < MOST_SLIPS ? hint([each]) : ''}`,
    constraint: 'unknown_field',
  }));

/**
 * The header that lists dropped fields, and values in another form than the contract says. It is cut to the length that
 * clients accept; the journal has all fields.
 */
export function warnings({ unknown, loose }: Pick<Entry, 'unknown' | 'loose'>): Record<string, string> {
  const parts = [
    ...(unknown.length > 0 ? [listed('unknown', unknown) + hint(unknown)] : []),
    ...(loose.length > 0 ? [listed('format', loose)] : []),
  ];
  return parts.length === 0 ? {} : { 'understudy-warnings': shortened(parts.join('; ')) };
}

const listed = (kind: string, values: readonly { field: string }[]) =>
  `${kind}: ${shortened(values.map(({ field }) => field).join(', '))}`;

function shortened(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > LONGEST_WARNING ? `${plain.slice(0, LONGEST_WARNING)}...` : plain;
}

function hint(unknown: readonly UnknownField[]): string {
  const slips = unknown.slice(0, MOST_SLIPS).filter(({ name }) => name.length <= LONGEST_NAME);
  const names = slips.map(({ name, known }) => nearest(name, known()));
  const found = [...new Set(names)].filter((name) => name !== undefined);
  return found.length === 0 ? '' : `; did you mean ${found.join(', ')}?`;
}
