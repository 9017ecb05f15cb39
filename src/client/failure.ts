import {
  ConnectionError,
  ControlError,
  VerificationError,
  WaitError,
  type Envelope,
  type Exchange,
  type NotVerified,
} from './errors.ts';
import type { NearMiss } from './types.ts';

/** Turns an error reply into an error. */
export async function failureOf(exchange: Exchange, response: Response): Promise<Error> {
  const text = await response.text();
  const body = envelopeIn(text);
  if (body && exchange.status === 408) return new WaitError(exchange, body, waitMessage(body));
  if (body && exchange.status === 422 && isNotVerified(body))
    return new VerificationError(exchange, body, `${body.message}\n${verificationMessage(body)}`.trim());
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
    return undefined; // A page of another server.
  }
}

/** A mail, a call or a delivery that did not match. */
interface OtherItem {
  id: string;
  kind?: string;
  to?: string;
  subject?: string;
  url?: string;
  event_type?: string;
  endpoint_id?: string;
  status?: string;
  latest?: string;
}

interface WaitEvidence extends Envelope {
  requests?: { id: string; method: string; path: string; status?: number }[];
  nearest?: NearMiss[];
  others?: OtherItem[];
}

/** What came instead, one line each. */
function waitMessage({ message, requests = [], nearest = [], others = [] }: WaitEvidence): string {
  const calls = requests.map(({ id, method, path, status }) => `  ${method} ${path} ${status ?? ''} (${id})`);
  return [message, ...calls, nearestIn(nearest), ...others.map(describeOther)].filter(Boolean).join('\n');
}

function describeOther({
  id,
  kind,
  to,
  subject,
  url,
  event_type,
  endpoint_id,
  status,
  latest,
}: OtherItem): string {
  if (event_type !== undefined)
    return `  other delivery: ${event_type} to ${endpoint_id}, ${status}${latest === undefined ? '' : `, ${latest}`} (${id})`;
  return url === undefined
    ? `  other mail: ${kind} to ${to}, "${subject}"`
    : `  other call: ${kind} to ${url}, ${status} (${id})`;
}

/** Shows the nearest calls if too few matched, or the matching ones if too many did. */
function verificationMessage({ count, expected, matching, nearest }: NotVerified): string {
  const { times = Infinity, at_most: most = Infinity } = expected;
  if (count > Math.min(times, most)) return `  those that match: ${matching.join(', ')}`;
  return nearestIn(nearest);
}

/** Empty if there are no near misses. */
const nearestIn = (nearest: readonly NearMiss[]): string =>
  nearest.length === 0 ? '' : ['the nearest:', ...nearest.map(blockOf)].join('\n');

/** Shows the expected and the actual value of each field that differs. */
const blockOf = ({ id, method, path, status, differences }: NearMiss) =>
  [`  ${method} ${path} ${status ?? ''} (${id})`, ...differences.map(sideBySide)].join('\n');

function sideBySide({ field, expected, actual }: NearMiss['differences'][number]): string {
  const indent = ' '.repeat(field.length);
  return [
    `    ${field}  expected ${JSON.stringify(expected)}`,
    `    ${indent}  was      ${actual === undefined ? 'absent' : JSON.stringify(actual)}`,
  ].join('\n');
}
