import {
  ConnectionError,
  ControlError,
  VerificationError,
  WaitError,
  type Envelope,
  type Exchange,
  type NotVerified,
} from './errors.ts';
import { describe, nearestIn } from './near-misses.ts';
import type { NearMiss } from './types.ts';

/** The error that an answer is. */
export async function failureOf(exchange: Exchange, response: Response): Promise<Error> {
  const text = await response.text();
  const body = envelopeIn(text);
  if (body && exchange.status === 408) return new WaitError(exchange, body, waitedFor(body));
  if (body && exchange.status === 422 && isNotVerified(body))
    return new VerificationError(exchange, body, `${body.message}\n${describe(body)}`.trim());
  if (body) return new ControlError(exchange, body);
  const { method, url, status } = exchange;
  return new ConnectionError(`no Understudy at ${method} ${url}: ${status} ${text.slice(0, 200)}`);
}

const isNotVerified = (body: Envelope): body is Envelope & NotVerified => Array.isArray(body['nearest']);

function envelopeIn(text: string): Envelope | undefined {
  try {
    const body = JSON.parse(text) as Envelope | null;
    return typeof body?.message === 'string' ? body : undefined;
  } catch {
    return undefined; // a page of something else
  }
}

interface Evidence extends Envelope {
  requests?: { id: string; method: string; path: string; status?: number }[];
  nearest?: NearMiss[];
  others?: { kind: string; to: string; subject: string }[];
}

/** What came instead, a line each. */
function waitedFor({ message, requests = [], nearest = [], others = [] }: Evidence): string {
  const calls = requests.map(({ id, method, path, status }) => `  ${method} ${path} ${status ?? ''} (${id})`);
  const mails = others.map(({ kind, to, subject }) => `  other mail: ${kind} to ${to}, "${subject}"`);
  return [message, ...calls, nearestIn(nearest), ...mails].filter(Boolean).join('\n');
}
