import type { NearMiss } from './types.ts';

/** The error envelope and further members of the reply. */
export interface Envelope {
  code?: number;
  message?: string;
  details?: ErrorDetail[];
  [evidence: string]: unknown;
}

export interface ErrorDetail {
  error_code?: string;
  validation_error_info?: { field_violations?: FieldViolation[] };
  [member: string]: unknown;
}

/** One rule that a request broke. */
export interface FieldViolation {
  field: string;
  description: string;
  constraint: string;
}

/** The call that a reply belongs to. */
interface Exchange {
  method: string;
  url: string;
  status: number;
}

/** A rejected call. The message says what was wrong, field by field. */
export class ControlError extends Error {
  override readonly name: string = 'ControlError';
  readonly status: number;
  /** Such as `INVALID_ARGUMENT`. */
  readonly errorCode: string | undefined;
  readonly details: readonly ErrorDetail[];
  /** The body of the reply. */
  readonly body: Envelope;

  /** @internal */
  constructor(exchange: Exchange, body: Envelope, message = messageOf(body)) {
    super(`${message}\n${placeOf(exchange, body)}`);
    this.status = exchange.status;
    this.errorCode = body.details?.[0]?.error_code;
    this.details = body.details ?? [];
    this.body = body;
  }

  /** The rules that the request broke, one entry per field. */
  get violations(): readonly FieldViolation[] {
    return violationsOf(this.body);
  }
}

/** Nothing matching came in time. The message and `body` contain what came instead. */
export class WaitError extends ControlError {
  override readonly name: string = 'WaitError';
}

/**
 * The number of matching calls differs from the expected one. The message shows the nearest calls, field by
 * field.
 */
export class VerificationError extends ControlError {
  override readonly name: string = 'VerificationError';
  /** How many calls matched. */
  readonly count: number;
  readonly nearest: readonly NearMiss[];

  /** @internal */
  constructor(exchange: Exchange, body: Envelope & NotVerified, message: string) {
    super(exchange, body, message);
    this.count = body.count;
    this.nearest = body.nearest;
  }
}

/** The body of a reply to a failed verification. */
interface NotVerified {
  count: number;
  expected: { times?: number; at_least?: number; at_most?: number };
  /** Ids of the matching calls. */
  matching: string[];
  nearest: NearMiss[];
}

/** No Understudy answered: nothing listens there, the call timed out, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

/** Adds one line for each violation that the message does not already contain. */
function messageOf(body: Envelope): string {
  const { message = 'refused' } = body;
  const untold = violationsOf(body).filter((violation) => !isContainedIn(message, violation));
  return [message, ...untold.map(({ field, description }) => `  ${field}: ${description}`)].join('\n');
}

/** Scenario messages have the position before the field; violations have it in the description. */
function isContainedIn(message: string, { field, description }: FieldViolation): boolean {
  return message.split('\n').some((line) => line.replace(`${field}: `, '').includes(description));
}

function placeOf({ method, url, status }: Exchange, body: Envelope): string {
  const code = body.details?.[0]?.error_code;
  return `  (${[status, code].filter(Boolean).join(' ')} from ${method} ${url})`;
}

const violationsOf = ({ details }: Envelope): FieldViolation[] =>
  details?.flatMap(({ validation_error_info: info }) => info?.field_violations ?? []) ?? [];

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
