import type { ScimType } from '@understudy/scim/refusal';
import type { Cause, StateFacts, WhyKind } from './cause.ts';
import type { RuleId } from './rule-ids.gen.ts';
import { shortened, withoutMiddle } from '@understudy/text/suggestion';

/** Every way an operation can fail, over both protocols. No other file names the status of a failure. */
export const FAILURES = {
  invalid_argument: { grpc: 3, http: 400, errorCode: 'INVALID_ARGUMENT' },
  failed_precondition: { grpc: 9, http: 400, errorCode: 'FAILED_PRECONDITION' },
  unauthenticated: { grpc: 16, http: 401, errorCode: 'UNAUTHENTICATED' },
  permission_denied: { grpc: 7, http: 403, errorCode: 'PERMISSION_DENIED' },
  not_found: { grpc: 5, http: 404, errorCode: 'RESOURCE_NOT_FOUND' },
  // The gateway that the service runs on answers an unknown path with the code of its status.
  route_not_found: { grpc: 5, http: 404, errorCode: 'ROUTE_NOT_FOUND' },
  method_not_allowed: { grpc: 12, http: 405, errorCode: 'METHOD_NOT_ALLOWED' },
  already_exists: { grpc: 6, http: 409, errorCode: 'ALREADY_EXISTS' },
  gone: { grpc: 5, http: 410, errorCode: 'RESOURCE_GONE' },
  payload_too_large: { grpc: 8, http: 413, errorCode: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: { grpc: 3, http: 415, errorCode: 'UNSUPPORTED_MEDIA_TYPE' },
  misdirected_request: { grpc: 9, http: 421, errorCode: 'MISDIRECTED_REQUEST' },
  version_mismatch: { grpc: 10, http: 412, errorCode: 'VERSION_MISMATCH' },
  rate_limited: { grpc: 8, http: 429, errorCode: 'RATE_LIMITED' },
  tool_error: { grpc: 13, http: 500, errorCode: 'TOOL_ERROR' },
  internal: { grpc: 13, http: 500, errorCode: 'INTERNAL' },
  contract_violation: { grpc: 13, http: 500, errorCode: 'RESPONSE_CONTRACT_VIOLATION' },
  unimplemented: { grpc: 12, http: 501, errorCode: 'UNIMPLEMENTED' },
  unavailable: { grpc: 14, http: 503, errorCode: 'UNAVAILABLE' },
  deadline_exceeded: { grpc: 4, http: 504, errorCode: 'DEADLINE_EXCEEDED' },
} as const;

export type FailureName = keyof typeof FAILURES;

/** `field`: the path in the RPC request; `constraint`: the name of the validation rule. */
export interface FieldViolation {
  field: string;
  description: string;
  constraint: string;
}

interface ToolErrorInfo {
  execution_id: string;
  tool_error_code: string;
  tool_error_message: string;
}

export interface ErrorParts {
  violations?: readonly FieldViolation[];
  tool?: ToolErrorInfo;
  headers?: Readonly<Record<string, string>>;
  /** The title of the error page, if the status says too little. */
  title?: string;
  /** An error code that replaces the failure's own. */
  errorCode?: string;
  /** A gRPC code that replaces the failure's own. */
  grpc?: number;
  /** A JSON-RPC code that replaces the failure's own. */
  jsonRpc?: number;
  /** A SCIM type that replaces the failure's own. */
  scimType?: ScimType;
  cause?: unknown;
  /** A scenario wrote the message and the violations: none of them is shortened. */
  asWritten?: true;
  /** What the failed operation wrote is kept, for example a counted attempt. */
  writesStand?: true;
  /** The reason, for the journal. */
  why?: Cause | undefined;
}

/** The most violations that are listed. */
const MAX_VIOLATIONS = 50;
/** Messages name what callers sent, which can be long. */
const LONGEST_MESSAGE = 20_000;
const LONGEST_TEXT = 2000;

const bounded = ({ field, description, constraint }: FieldViolation): FieldViolation => ({
  field: withoutMiddle(field, LONGEST_TEXT),
  description: withoutMiddle(description, LONGEST_TEXT),
  constraint,
});

function listedViolations(violations: readonly FieldViolation[]): readonly FieldViolation[] {
  const more = violations.length - MAX_VIOLATIONS;
  // The last violation may be the count of further ones.
  if (more <= 1) return violations;
  const rest = { field: '', description: `and ${more} more`, constraint: 'more' };
  return [...violations.slice(0, MAX_VIOLATIONS), rest];
}

const causesOf = <K extends string>(kinds: Readonly<Record<K, WhyKind>>): Readonly<Record<K, Cause>> =>
  Object.fromEntries(Object.entries<WhyKind>(kinds).map(([name, kind]) => [name, { kind }])) as Record<
    K,
    Cause
  >;

/** The reasons of failures that have one kind of reason. */
const CAUSES: Partial<Record<FailureName, Cause>> = causesOf({
  permission_denied: 'permission',
  route_not_found: 'protocol',
  method_not_allowed: 'protocol',
  already_exists: 'taken',
  payload_too_large: 'limit',
  unsupported_media_type: 'protocol',
  misdirected_request: 'protocol',
  rate_limited: 'limit',
  tool_error: 'provider',
  unimplemented: 'protocol',
  unavailable: 'provider',
  deadline_exceeded: 'provider',
  internal: 'none',
  contract_violation: 'contract',
});

const CONTRACT: Cause = { kind: 'contract' };

const ERROR_INFO = 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo';

/** The gRPC bundle has a copy of this class: a failure of either copy carries the same mark. */
const MARK = Symbol.for('understudy.ApiError');

export class ApiError extends Error {
  readonly [MARK] = true;
  readonly failure: FailureName;
  readonly parts: ErrorParts;
  /** The rule that refused the call, if no source of the service states it. */
  rule: RuleId | undefined;
  /** The reason, for the journal. Undefined if the place that refuses the call does not say it. */
  why: Cause | undefined;

  constructor(failure: FailureName, message: string, parts: ErrorParts = {}) {
    super(parts.asWritten ? message : withoutMiddle(message, LONGEST_MESSAGE), { cause: parts.cause });
    this.failure = failure;
    this.why = parts.why ?? (parts.violations ? CONTRACT : CAUSES[failure]);
    const listed = parts.violations && listedViolations(parts.violations);
    this.parts = listed ? { ...parts, violations: parts.asWritten ? listed : listed.map(bounded) } : parts;
  }

  /** Any other error is a bug of ours: the caller gets `internal`, the journal keeps the cause. */
  static from(thrown: unknown): ApiError {
    return isApiError(thrown) ? thrown : new ApiError('internal', 'internal error', { cause: thrown });
  }

  /** Notes the rule for the journal. */
  decidedBy(rule: RuleId): this {
    this.rule = rule;
    return this;
  }

  /** Says why, for the journal. */
  because(why: Cause | undefined): this {
    this.why = why;
    return this;
  }

  get status(): number {
    return FAILURES[this.failure].http;
  }

  /** The body in JSON-RPC. The id of the message is not known where a call is refused as a whole. */
  jsonRpcBody(): Record<string, unknown> {
    const { violations, jsonRpc } = this.parts;
    const code = jsonRpc ?? JSON_RPC_CODES[this.failure] ?? REFUSED_BY_SERVER;
    const data = { error_code: FAILURES[this.failure].errorCode, ...(violations && { violations }) };
    return { jsonrpc: '2.0', id: null, error: { code, message: this.message, data } };
  }

  /** The body in OAuth. */
  oauthBody(): Record<string, unknown> {
    const details = (this.parts.violations ?? []).slice(0, MOST_OAUTH_DETAILS);
    const parts = [this.message, ...details.map(({ field, description }) => `${field}: ${description}`)];
    return {
      error: OAUTH_NAMES[this.failure] ?? 'invalid_request',
      error_description: parts.join('; ').replace(NOT_OAUTH_TEXT, '?'),
    };
  }

  /** The body in SCIM (RFC 7644 3.12). */
  scimBody(): Record<string, unknown> {
    const { violations = [] } = this.parts;
    const details = violations.map(({ field, description }) => `${field}: ${description}`);
    const type = this.#scimType();
    return {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(this.status),
      ...(type && { scimType: type }),
      detail: [this.message, ...details].join('; '),
    };
  }

  /** A request that cannot be read has no violations. */
  #scimType(): ScimType | undefined {
    if (this.parts.scimType) return this.parts.scimType;
    if (this.failure === 'already_exists') return 'uniqueness';
    if (this.failure !== 'invalid_argument') return undefined;
    return this.parts.violations ? 'invalidValue' : 'invalidSyntax';
  }

  /** The body in the service's own form. */
  envelope(): Record<string, unknown> {
    const { violations, tool, grpc } = this.parts;
    const { grpc: code, errorCode } = FAILURES[this.failure];
    const info: Record<string, unknown> = {
      '@type': ERROR_INFO,
      error_code: tool ? 'TOOL_ERROR' : (this.parts.errorCode ?? errorCode),
    };
    if (violations?.length) info['validation_error_info'] = { field_violations: violations };
    if (tool) info['tool_error_info'] = tool;
    return { code: grpc ?? code, message: this.message, details: [info] };
  }
}

const isApiError = (thrown: unknown): thrown is ApiError => thrown instanceof Error && MARK in thrown;

/** OAuth allows one line with few characters (RFC 6749 5.2). */
const MOST_OAUTH_DETAILS = 5;
const NOT_OAUTH_TEXT = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** OAuth defines few errors (RFC 6749 4.1.2.1, 5.2), so failures of the service map to these. */
const OAUTH_NAMES: Partial<Record<FailureName, string>> = {
  unauthenticated: 'invalid_client',
  permission_denied: 'access_denied',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  deadline_exceeded: 'temporarily_unavailable',
  tool_error: 'server_error',
  internal: 'server_error',
  contract_violation: 'server_error',
  unimplemented: 'server_error',
};

/** JSON-RPC leaves this code to servers. */
const REFUSED_BY_SERVER = -32000;

const JSON_RPC_CODES: Partial<Record<FailureName, number>> = {
  invalid_argument: -32600,
  internal: -32603,
  contract_violation: -32603,
};

/** OAuth errors with status 401, and their challenges (RFC 6749 5.2, RFC 6750 3). */
const OAUTH_REFUSALS: Readonly<Record<string, [failure: FailureName, challenge: string] | undefined>> = {
  invalid_client: ['unauthenticated', 'Basic realm="understudy"'],
  invalid_token: ['unauthenticated', 'Bearer error="invalid_token"'],
};

/** The reasons of OAuth errors that have one kind of reason. `invalid_grant` has many. */
const OAUTH_CAUSES: Readonly<Record<string, Cause | undefined>> = causesOf({
  invalid_request: 'protocol',
  unsupported_grant_type: 'protocol',
  request_not_supported: 'protocol',
  request_uri_not_supported: 'protocol',
  invalid_redirect_uri: 'protocol',
  invalid_client_metadata: 'protocol',
  invalid_client: 'authentication',
  invalid_token: 'authentication',
  invalid_scope: 'permission',
  invalid_target: 'unknown',
  unauthorized_client: 'permission',
  unauthorized: 'permission',
  access_denied: 'permission',
  invalid_user_domain: 'permission',
  login_required: 'state',
});

/** A failure with an OAuth error name: 401 for an invalid client or token, otherwise 400. */
export class OAuthError extends ApiError {
  readonly error: string;

  constructor(error: string, description: string, parts: Pick<ErrorParts, 'writesStand' | 'why'> = {}) {
    const [failure, challenge] = OAUTH_REFUSALS[error] ?? ['invalid_argument' as const];
    super(failure, description, {
      ...parts,
      why: parts.why ?? OAUTH_CAUSES[error],
      ...(challenge && { headers: { 'www-authenticate': challenge } }),
    });
    this.error = error;
  }

  override oauthBody(): Record<string, unknown> {
    return { error: this.error, error_description: this.message };
  }
}

export const notFound = (noun: string, id: string) =>
  new ApiError('not_found', `${noun} ${shortened(id)} not found`, {
    why: { kind: 'unknown', noun, wanted: shortened(id) },
  });

const AUTHENTICATION: Cause = { kind: 'authentication' };

export const invalidArgument = (message: string) =>
  new ApiError('invalid_argument', message, { why: CONTRACT });

/** The process ends, so that the same call has to be sent to another process, or later. */
export const stopping = () =>
  new ApiError('unavailable', 'understudy is stopping', { headers: { 'retry-after': '1' } });

/** The state of rows forbids the call: `state` says which rows, and what would have to be different. */
export const failedPrecondition = (message: string, state: StateFacts = {}) =>
  new ApiError('failed_precondition', message, { why: { kind: 'state', ...state } });

export const alreadyExists = (message: string) => new ApiError('already_exists', message);

export const unauthenticated = (message: string) =>
  new ApiError('unauthenticated', message, {
    headers: { 'www-authenticate': 'Bearer' },
    why: AUTHENTICATION,
  });

export const validationError = (violations: readonly FieldViolation[], message = 'Validation error') =>
  new ApiError('invalid_argument', message, { violations, why: CONTRACT });

export const missingFields = (...fields: readonly string[]) =>
  validationError(
    fields.map((field) => ({ field, description: 'value is required', constraint: 'required' })),
  );
