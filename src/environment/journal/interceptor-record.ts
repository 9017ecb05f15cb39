import type { Redaction } from './redaction.ts';
import { LARGEST_BODY, shorten } from './shortening.ts';

/** How one interceptor was asked in the course of a call, as the journal tells it. */
export interface InterceptorRecord {
  interceptor_id: string;
  trigger_point: string;
  url: string;
  request: { headers: Readonly<Record<string, string>>; body: unknown };
  /** Absent: there was no answer. `body` is a text where it is no JSON. */
  response?: { body: unknown };
  status?: number;
  decision: 'ALLOW' | 'DENY';
  /** The failure policy that decided, because the interceptor did not. */
  policy?: 'FAIL_OPEN' | 'FAIL_CLOSED';
  duration_ms: number;
  /** Why it could not be heard. */
  error?: string;
  /** The rule that had a say in it. */
  scenario?: { name: string; rule: number };
  warnings?: readonly string[];
}

/** A record and what is known of it beside. */
export interface KeptRecord {
  readonly shown: InterceptorRecord;
  /** The header that holds the interceptor's API key; its name does not say so. */
  readonly keyHeader: string | undefined;
  /** Roughly, in bytes. */
  readonly size: number;
}

/** `texts`: how long the bodies are. */
export function keep(record: InterceptorRecord, keyHeader: string | undefined, texts: number): KeptRecord {
  if (texts <= LARGEST_BODY) return { shown: record, keyHeader, size: OVERHEAD + texts };
  const { request, response } = record;
  const shown = {
    ...record,
    request: { ...request, body: shorten(request.body) },
    ...(response && { response: { body: shorten(response.body) } }),
  };
  return { shown, keyHeader, size: OVERHEAD + Math.min(texts, 2 * LARGEST_BODY) };
}

/** What is secret in it, by names that say so. */
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

const OVERHEAD = 1000;
