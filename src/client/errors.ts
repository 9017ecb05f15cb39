import type { NearMiss } from './types.ts';

/** The failure envelope, with what an answer has beside it. */
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

/** One broken rule of a request. */
export interface FieldViolation {
  field: string;
  description: string;
  constraint: string;
}

/** Where an answer came from. */
export interface Exchange {
  method: string;
  url: string;
  status: number;
}

/** A call that was refused. The message says what was wrong, field by field. */
export class ControlError extends Error {
  override readonly name: string = 'ControlError';
  readonly status: number;
  /** Such as `INVALID_ARGUMENT`. */
  readonly errorCode: string | undefined;
  readonly details: readonly ErrorDetail[];
  /** The whole answer. */
  readonly body: Envelope;

  /** @internal */
  constructor(exchange: Exchange, body: Envelope, message = refusal(body)) {
    super(`${message}\n${placeOf(exchange, body)}`);
    this.status = exchange.status;
    this.errorCode = body.details?.[0]?.error_code;
    this.details = body.details ?? [];
    this.body = body;
  }

  /** What the request broke, one entry a field. */
  get violations(): readonly FieldViolation[] {
    return violationsOf(this.body);
  }
}

/** What was waited for did not come in time; what had come is in the message and in `body`. */
export class WaitError extends ControlError {
  override readonly name: string = 'WaitError';
}

/** Other calls came than were expected. The message shows the nearest ones, field by field. */
export class VerificationError extends ControlError {
  override readonly name: string = 'VerificationError';
  /** How many matched. */
  readonly count: number;
  readonly nearest: readonly NearMiss[];

  /** @internal */
  constructor(exchange: Exchange, body: Envelope & NotVerified, message: string) {
    super(exchange, body, message);
    this.count = body.count;
    this.nearest = body.nearest;
  }
}

/** What an answer tells of calls that were expected and did not come. */
export interface NotVerified {
  count: number;
  expected: { times?: number; at_least?: number; at_most?: number };
  /** Ids of those that match. */
  matching: string[];
  nearest: NearMiss[];
}

/** No Understudy answered: nothing listens there, it took too long, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

/** Violations that the message does not tell already are told a line each. */
function refusal(body: Envelope): string {
  const { message = 'refused' } = body;
  const untold = violationsOf(body).filter((violation) => !isToldIn(message, violation));
  return [message, ...untold.map(({ field, description }) => `  ${field}: ${description}`)].join('\n');
}

/** The message of a scenario has the place in the text before the field, the violation has it in its description. */
function isToldIn(message: string, { field, description }: FieldViolation): boolean {
  return message.split('\n').some((line) => line.replace(`${field}: `, '').includes(description));
}

function placeOf({ method, url, status }: Exchange, body: Envelope): string {
  const code = body.details?.[0]?.error_code;
  return `  (${[status, code].filter(Boolean).join(' ')} from ${method} ${url})`;
}

const violationsOf = ({ details }: Envelope): FieldViolation[] =>
  details?.flatMap(({ validation_error_info: info }) => info?.field_violations ?? []) ?? [];
