import type { Redaction } from './redaction.ts';
import { LARGEST_BODY, shorten } from './shortening.ts';

/** One interceptor call, as the journal shows it. */
export interface InterceptorRecord {
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
