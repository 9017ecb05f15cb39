import { type Redaction, LARGEST_BODY, shorten } from './redaction.ts';
import { excessOf } from '../contract/body.ts';
import type { AnswerHeaders } from '@understudy/text/json';

/** One interceptor call, as the journal shows it. */
interface InterceptorRecord {
  interceptor_id: string;
  trigger_point: string;
  url: string;
  request: { headers: Readonly<Record<string, string>>; body: unknown };
  /** Absent if there was no answer. `body` is a text if it is not JSON. */
  response?: { body: unknown };
  status?: number;
  decision: 'ALLOW' | 'DENY';
  /** The failure policy that decided because the call failed. */
  policy?: 'FAIL_OPEN' | 'FAIL_CLOSED';
  duration_ms: number;
  /** Why the call failed. */
  error?: string;
  /** The scenario rule that was applied. */
  scenario?: { name: string; rule: number };
  warnings?: readonly string[];
}

export interface KeptRecord {
  readonly shown: InterceptorRecord;
  /** The header with the interceptor's API key, whose name does not show that it is secret. */
  readonly keyHeader: string | undefined;
  /** Approximate bytes. */
  readonly size: number;
}

/** `texts`: the length of both bodies. */
export function recordToKeep(
  record: InterceptorRecord,
  keyHeader: string | undefined,
  texts: number,
): KeptRecord {
  if (texts <= LARGEST_BODY) return { shown: record, keyHeader, size: RECORD_OVERHEAD + texts };
  const { request, response } = record;
  const shown = {
    ...record,
    request: { ...request, body: shorten(request.body) },
    ...(response && { response: { body: shorten(response.body) } }),
  };
  return { shown, keyHeader, size: RECORD_OVERHEAD + Math.min(texts, 2 * LARGEST_BODY) };
}

/** Values whose member names show that they are secret. */
export const secretsIn = (records: readonly KeptRecord[]): unknown[] =>
  records.map(({ shown: { request, response }, keyHeader }) => [
    { request, response },
    keyHeader && { api_key: request.headers[keyHeader] },
  ]);

export function viewRecord({ shown, keyHeader }: KeptRecord, redaction: Redaction | undefined) {
  if (!redaction) return shown;
  const { url, request, response, error, ...rest } = shown;
  const headers = redaction.value(request.headers) as Record<string, unknown>;
  if (keyHeader) headers[keyHeader] = '[redacted]';
  return {
    ...rest,
    url: redaction.text(url),
    request: { headers, body: redaction.value(request.body) },
    ...(response && { response: redaction.value(response) }),
    ...(error !== undefined && { error: redaction.text(error) }),
  };
}

const RECORD_OVERHEAD = 1000;

/** One call to an address that plays a provider, as the journal shows it. */
interface ProviderRecord {
  provider: string;
  method: string;
  url: string;
  request: { headers: Readonly<Record<string, string>>; body?: string | undefined };
  /** Absent if there was no answer. */
  response?: { headers: AnswerHeaders; body?: string | undefined };
  status?: number;
  duration_ms: number;
  /** Why there was no answer. */
  error?: string;
}

export interface KeptProviderRecord {
  readonly shown: ProviderRecord;
  /** The headers that hold the account's credentials, whose names may not show it. */
  readonly credentials: readonly string[];
  /** Approximate bytes. */
  readonly size: number;
}

/** The text of a body, or its beginning. */
export function bodyToKeep(text: string): string | undefined {
  if (text === '') return undefined;
  if (text.length > LARGEST_BODY) return `${text.slice(0, LARGEST_BODY)}…`;
  return text;
}

export const credentialsIn = (records: readonly KeptProviderRecord[]): unknown[] =>
  records.map(({ shown, credentials }) => [
    jsonIn(shown.request.body),
    jsonIn(shown.response?.body),
    credentials.map((name) => ({ api_key: shown.request.headers[name] })),
  ]);

export function viewProviderRecord(
  { shown: { url, request, response, error, ...rest }, credentials }: KeptProviderRecord,
  redaction: Redaction | undefined,
) {
  const hidden = (value: unknown) => (redaction ? redaction.value(value) : value);
  const headers = { ...(hidden(request.headers) as Record<string, unknown>) };
  if (redaction) for (const name of credentials) headers[name] = '[redacted]';
  return {
    ...rest,
    url: redaction?.text(url) ?? url,
    request: { headers, ...bodyOf(request, hidden) },
    ...(response && { response: { headers: hidden(response.headers), ...bodyOf(response, hidden) } }),
    ...(error !== undefined && { error: redaction?.text(error) ?? error }),
  };
}

const bodyOf = ({ body }: { body?: unknown }, hidden: (value: unknown) => unknown) =>
  body === undefined ? {} : { body: hidden(jsonIn(body)) };

function jsonIn(body: unknown): unknown {
  try {
    const value: unknown = typeof body === 'string' ? JSON.parse(body) : body;
    return excessOf(value) === undefined ? value : body;
  } catch {
    return body;
  }
}
