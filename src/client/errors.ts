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
export interface Exchange {
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
export interface NotVerified {
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
