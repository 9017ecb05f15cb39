import { responseOf, statusAt, type Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { ApiError, FAILURES } from '../errors.ts';
import { resolveTimes } from '../text/duration.ts';
import { complainOfBreaches, type ContractBreach } from './breaches.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';
import { isNamedFailure, type PlainReply, type Reply } from './reply.ts';
import type { Steps } from './steps.ts';

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
