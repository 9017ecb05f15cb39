import type { Entry } from './entry.ts';
import { secretsIn, viewRecord, credentialsIn, viewProviderRecord } from './made-calls.ts';
import { Redaction, LARGEST_BODY } from './redaction.ts';
import { jsonIn } from '@understudy/text/json';

interface EntryViewOptions {
  environment: string;
  redact: boolean;
  /** Why the call got its answer, if that was asked for. */
  why?: object | undefined;
}

/** The entry as the control API returns it. */
export function viewEntry(
  entry: Entry,
  { environment, redact, why }: EntryViewOptions,
): Record<string, unknown> {
  const { id, protocol, method, path, operation, status, duration, cause, patch } = entry;
  const messages = { request: requestOf(entry), response: responseOf(entry) };
  const redaction = redact ? redactionOf(entry, messages) : undefined;
  const shown = <T>(value: T) => (redaction ? (redaction.value(value) as T) : value);
  const { unread, ...request } = messages.request;
  return defined({
    id,
    environment,
    time: new Date(entry.time).toISOString(),
    protocol,
    method,
    path: shown(path),
    operation,
    caller: entry.caller,
    status,
    expected: entry.expected,
    duration_ms: duration,
    request: defined({ ...shown(request), unread: unread && (redaction?.unread(unread) ?? unread) }),
    response: shown(messages.response),
    validation: validationOf(entry, shown),
    scenario: entry.decision?.view(redaction?.value ?? unchanged) ?? { considered: [] },
    notes: unlessEmpty(shown(entry.notes)),
    decided_by: unlessEmpty(entry.rules),
    fault: entry.fault,
    changes: redaction ? patch.map(redaction.patch) : patch,
    ...callsOf(entry, redaction),
    error: cause === undefined ? undefined : shown(textOfCause(cause)),
    why: shown(why),
  });
}

interface Messages {
  request: Record<string, unknown> & Unread;
  response: Record<string, unknown>;
}

const redactionOf = ({ changes, patch, interceptors, providers }: Entry, messages: Messages) =>
  new Redaction(messages, changes, patch, secretsIn(interceptors), credentialsIn(providers));

/** What a search of the journal looks at in this call, with its secrets replaced: its path and its other texts. */
export function searchedTexts(entry: Entry): { path: string; texts: unknown[] } {
  const messages = { request: requestOf(entry), response: responseOf(entry) };
  const redaction = redactionOf(entry, messages);
  const { query, body, unread } = messages.request;
  const { notes, cause } = entry;
  const error = cause === undefined ? undefined : textOfCause(cause);
  return {
    path: redaction.text(entry.path),
    texts: [
      ...[query, body, messages.response['body'], notes, error].map((each) => redaction.value(each)),
      unread && redaction.unread(unread),
    ],
  };
}

/** Which call made this one, and the calls that it made. */
const callsOf = ({ madeBy, calls, interceptors, providers }: Entry, redaction: Redaction | undefined) => ({
  made_by: madeBy,
  calls: unlessEmpty(calls),
  interceptors: unlessEmpty(interceptors.map((record) => viewRecord(record, redaction))),
  providers: unlessEmpty(providers.map((record) => viewProviderRecord(record, redaction))),
});

const unlessEmpty = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined);

const unchanged = (value: unknown) => value;

const defined = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));

function requestOf({ headers, query, body, unread, requestSize }: Entry): Record<string, unknown> & Unread {
  const truncated = requestSize > LARGEST_BODY ? requestSize : undefined;
  const known = body === undefined ? readAgain(unread, headers['content-type']) : { body };
  return defined({ headers, query, ...known, truncated });
}

function responseOf({ replyText, replyHeaders = {}, replySize }: Entry): Record<string, unknown> {
  const truncated = replySize > LARGEST_BODY ? replySize : undefined;
  const isJson = (replyHeaders['content-type'] ?? 'application/json').includes('json');
  const body = replyText !== undefined && isJson ? (jsonIn(replyText) ?? replyText) : replyText;
  return defined({ headers: replyHeaders, body, truncated });
}

function validationOf({ violations, unknown, response }: Entry, shown: <T>(value: T) => T) {
  const fields = unknown.map(({ field }) => field);
  return defined({ violations: shown(violations), unknown: fields, response: shown(response) });
}

interface Unread {
  unread?: string;
}

const LEGIBLE = /json|form-urlencoded|^text\//;

/** An unparsed body may still be JSON. A body of an unknown format may hold secrets, so it is not shown. */
function readAgain(text: string | undefined, contentType: unknown): { body?: unknown; unread?: string } {
  const isLegible = typeof contentType !== 'string' || LEGIBLE.test(contentType);
  if (text === undefined || !isLegible) return {};
  const body = jsonIn(text);
  return body === undefined ? { unread: text } : { body };
}

export const textOfCause = (cause: unknown) =>
  cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause);
