import { ApiError, type ErrorParts, type FailureName, type FieldViolation } from '../errors.ts';
import { resolveTimes } from './matching.ts';
import type { RuleReply, ScenarioHost } from './script.ts';

/** A failure by its name, as the caller of the service would hear it. */
export interface NamedFailure {
  error: FailureName;
  message?: string;
  headers?: Record<string, string | number>;
  violations?: { field: string; description: string; constraint?: string }[];
  grpc?: GrpcCode;
  tool?: { code: string; message: string };
}

/** An answer of the scenario's own. */
export interface PlainReply {
  status: number;
  headers?: Record<string, string | number>;
  body?: unknown;
  contract?: 'violated';
}

export type Reply = NamedFailure | PlainReply;

export const isNamedFailure = (reply: Reply): reply is NamedFailure => 'error' in reply;

/** The failure to throw, or the answer to give. */
export function createAnswer(reply: Reply, host: ScenarioHost): RuleReply | ApiError {
  if (isNamedFailure(reply)) return createFailure(reply, host.chance);
  const { status, contract } = reply;
  const body = resolveTimes(reply.body, host.now());
  const medium = typeof body === 'string' ? { 'content-type': mediumOf(body) } : {};
  const answer = { status, headers: { ...medium, ...readHeaders(reply.headers) }, body };
  return contract === 'violated' ? { ...answer, outsideContract: true } : answer;
}

/** A text that begins as a page does is one. */
const mediumOf = (text: string) =>
  `${/^\s*<(!doctype html|html)\b/i.test(text) ? 'text/html' : 'text/plain'}; charset=utf-8`;

function createFailure(reply: NamedFailure, chance: () => number): ApiError {
  const { error, violations, grpc, tool } = reply;
  const challenge = error === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {};
  const parts: ErrorParts = {
    headers: { ...challenge, ...readHeaders(reply.headers) },
    ...(violations && { violations: violations.map(readViolation) }),
    ...(grpc && { grpc: GRPC_CODES[grpc] }),
    ...(tool && { tool: { execution_id: drawExecutionId(chance), ...toolError(tool) } }),
  };
  return new ApiError(error, reply.message ?? tool?.message ?? error.replaceAll('_', ' '), parts);
}

const readHeaders = (headers: Record<string, string | number> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

const readViolation = ({
  field,
  description,
  constraint = '',
}: Partial<FieldViolation> & { field: string; description: string }) => ({
  field,
  description,
  constraint,
});

const toolError = ({ code, message }: { code: string; message: string }) => ({
  tool_error_code: code,
  tool_error_message: message,
});

/** As many digits as the ids of rows have, in two draws: one holds no more than nine of them evenly. */
const drawExecutionId = (chance: () => number) =>
  `exec_${100_000_000 + Math.floor(chance() * 900_000_000)}${String(Math.floor(chance() * 1e8)).padStart(8, '0')}`;

/** The codes of gRPC that are failures. */
export const GRPC_CODES = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export type GrpcCode = keyof typeof GRPC_CODES;
