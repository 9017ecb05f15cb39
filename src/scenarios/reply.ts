import {
  ApiError,
  invalidArgument,
  type ErrorParts,
  type FailureName,
  type FieldViolation,
  FAILURES,
} from '../contract/errors.ts';
import { resolveTimes } from '@understudy/text/duration';
import type { RuleReply } from './call-facts.ts';
import { responseOf, statusAt, type Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { complainOfBreaches, type ContractBreach } from './breaches.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';
import type { Steps } from './steps.ts';

/** A named failure, sent in the service's error format. */
interface NamedFailure {
  error: FailureName;
  message?: string;
  headers?: Record<string, string | number>;
  violations?: { field: string; description: string; constraint?: string }[];
  grpc?: GrpcCode;
  tool?: { code: string; message: string };
}

/** A reply with a status and body of the scenario's own. */
interface PlainReply {
  status: number;
  headers?: Record<string, string | number>;
  body?: unknown;
  contract?: 'violated';
}

export type Reply = NamedFailure | PlainReply;

const isNamedFailure = (reply: Reply): reply is NamedFailure => 'error' in reply;

export interface ReplyContext {
  /** A random number in [0, 1), from the environment's generator. */
  readonly chance: () => number;
  /** Milliseconds since 1970 on the environment's clock. */
  readonly now: () => number;
}

/** The error to throw or the answer to give. */
export function createAnswer(reply: Reply, { chance, now }: ReplyContext): RuleReply | ApiError {
  if (isNamedFailure(reply)) return createFailure(reply, chance);
  const { status, contract } = reply;
  const body = resolveTimes(reply.body, now());
  const medium = typeof body === 'string' ? { 'content-type': mediumOf(body) } : {};
  const answer = { status, headers: { ...medium, ...readHeaders(reply.headers) }, body };
  return contract === 'violated' ? { ...answer, outsideContract: true } : answer;
}

/** A text that starts like an HTML page is HTML. */
const mediumOf = (text: string) =>
  `${/^\s*<(!doctype html|html)\b/i.test(text) ? 'text/html' : 'text/plain'}; charset=utf-8`;

function createFailure(reply: NamedFailure, chance: () => number): ApiError {
  const { error, violations, grpc, tool } = reply;
  const challenge = error === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {};
  const parts: ErrorParts = {
    asWritten: true,
    headers: { ...challenge, ...readHeaders(reply.headers) },
    ...(violations && { violations: violations.map(readViolation) }),
    ...(grpc && { grpc: GRPC_CODES[grpc] }),
    ...(tool && { tool: { execution_id: drawExecutionId(chance), ...toolError(tool) } }),
  };
  return new ApiError(error, reply.message ?? tool?.message ?? error.replaceAll('_', ' '), parts);
}

const readHeaders = (headers: Record<string, string | number> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), headerValue(name, String(value))]),
  );

/** As most servers and clients limit it. */
const LONGEST_HEADER = 8192;

/** Values of a call can have characters that no header may have: they are percent-encoded. */
function headerValue(name: string, text: string): string {
  const value = text.replaceAll(/[^\t\x20-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()));
  if (value.length <= LONGEST_HEADER) return value;
  throw invalidArgument(`headers.${name}: has more than ${LONGEST_HEADER} characters`);
}

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

/** As many digits as row ids, from two draws, because one draw gives nine even digits at most. */
const drawExecutionId = (chance: () => number) =>
  `exec_${100_000_000 + Math.floor(chance() * 900_000_000)}${String(Math.floor(chance() * 1e8)).padStart(8, '0')}`;

/** gRPC codes of failures. */
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

type GrpcCode = keyof typeof GRPC_CODES;

const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection']);
const BODILESS = new Set([204, 205, 304]);

/** Complains of a reply that breaks the contract of any operation of the rule, unless the reply allows that. */
export function* checkReply(
  reply: Reply,
  at: Path,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
  complaints: Complaints,
): Steps<void> {
  checkFraming(reply, at, complaints);
  if (!isNamedFailure(reply) && reply.contract === 'violated') return;
  const bindings = bindingsOf(operations);
  const find = (operation: Operation) => {
    const breach = findBreach(
      withStatusOf(operation, bindings.get(operation.base)!, reply),
      operation,
      contract,
    );
    return breach ? [breach] : [];
  };
  yield* complainOfBreaches(operations, find, at, complaints);
}

type Bindings = ReadonlyMap<string, readonly Operation[]>;

/** Cached, because many rules listen to the same operations. */
const BINDINGS = new WeakMap<readonly Operation[], Bindings>();

function bindingsOf(operations: readonly Operation[]): Bindings {
  const known = BINDINGS.get(operations);
  if (known) return known;
  const bindings = new Map<string, Operation[]>();
  for (const operation of operations)
    bindings.set(operation.base, [...(bindings.get(operation.base) ?? []), operation]);
  BINDINGS.set(operations, bindings);
  return bindings;
}

/**
 * A status that one path of the operation declares is valid for all, because each path has its own status for a
 * redirect.
 */
function withStatusOf(operation: Operation, bindings: readonly Operation[], reply: Reply): Reply {
  if (isNamedFailure(reply) || !bindings.some((each) => responseOf(each, reply.status))) return reply;
  return { ...reply, status: statusAt(operation, reply.status) };
}

/** What HTTP itself does not allow. */
function checkFraming(reply: Reply, at: Path, complaints: Complaints): void {
  for (const name of Object.keys(reply.headers ?? {}).filter((each) => FRAMING.has(each.toLowerCase())))
    complaints.add([...at, 'headers', name], 'follows from the body; to break it, use fault', 'key');
  if (!isNamedFailure(reply) && BODILESS.has(reply.status) && reply.body !== undefined)
    complaints.add([...at, 'body'], `an answer with status ${reply.status} has no body`, 'key');
}

function findBreach(reply: Reply, operation: Operation, contract: Contract): ContractBreach | undefined {
  if (operation.sent) return findForeignBreach(reply, operation, contract);
  const path = [isNamedFailure(reply) ? 'error' : 'status'];
  const status = isNamedFailure(reply) ? FAILURES[reply.error].http : reply.status;
  if (!responseOf(operation, status)) {
    const declared = Object.keys(operation.responses).join(', ');
    return { path, reason: `the contract has no answer with status ${status}, it has ${declared}` };
  }
  return isNamedFailure(reply) ? undefined : findBodyBreach(reply, operation, contract);
}

/** Receivers may answer anything; only an interceptor's decision has a schema. */
function findForeignBreach(
  reply: Reply,
  operation: Operation,
  contract: Contract,
): ContractBreach | undefined {
  if (isNamedFailure(reply) || operation.sent !== 'interceptor' || reply.status !== 200) return undefined;
  return findBodyBreach(reply, operation, contract);
}

function findBodyBreach(
  reply: PlainReply,
  operation: Operation,
  contract: Contract,
): ContractBreach | undefined {
  const { status, body } = reply;
  const promised = Object.keys(responseOf(operation, status)?.content ?? {}).length > 0;
  if (promised && body === undefined) {
    const reason = `the contract promises a body with status ${status}${suggestFailure(status)}`;
    return { path: ['status'], reason };
  }
  if (!promised) {
    const reason = `the contract promises no body with status ${status}`;
    return body === undefined ? undefined : { path: ['body'], reason };
  }
  try {
    contract.checkResponse(operation, status, resolveTimes(body, 0));
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return { path: ['body'], reason: thrown.message.replace(`${operation.id} `, '') };
  }
}

/** A status without a body mostly means a named failure. */
function suggestFailure(status: number): string {
  const named = Object.entries(FAILURES).find(([, { http }]) => http === status);
  return named ? `; \`reply: { error: ${named[0]} }\` has one` : '';
}
