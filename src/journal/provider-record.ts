import { excessOf } from '../contract/body.ts';
import type { AnswerHeaders } from '../text/json.ts';
import type { Redaction } from './redaction.ts';
import { LARGEST_BODY } from './shortening.ts';

/** One call to an address that plays a provider, as the journal shows it. */
export interface ProviderRecord {
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
