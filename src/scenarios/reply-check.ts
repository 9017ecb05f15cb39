import { responseOf, type Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { ApiError, FAILURES } from '../errors.ts';
import type { Complaints, Path } from './complaints.ts';
import { isNamedFailure, type PlainReply, type Reply } from './reply.ts';

interface Broken {
  member: string;
  reason: string;
}

/** Complains of a reply that any operation of the rule does not promise, unless it says so itself. */
export function checkReply(
  reply: Reply,
  at: Path,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
  complaints: Complaints,
): void {
  if (!isNamedFailure(reply) && reply.contract === 'violated') return;
  const found = new Map<string, { broken: Broken; ids: string[] }>();
  for (const operation of operations) {
    const broken = findBreach(reply, operation, contract);
    if (!broken) continue;
    const known = found.get(broken.reason) ?? { broken, ids: [] };
    known.ids.push(operation.id);
    found.set(broken.reason, known);
  }
  for (const { broken, ids } of found.values()) {
    complaints.add([...at, broken.member], `${formatIds(ids)}: ${broken.reason}`);
  }
}

const formatIds = (ids: readonly string[]) =>
  ids.length > 3 ? `${ids.slice(0, 2).join(', ')} and ${ids.length - 2} more` : ids.join(', ');

function findBreach(reply: Reply, operation: Operation, contract: Contract): Broken | undefined {
  const member = isNamedFailure(reply) ? 'error' : 'status';
  const status = isNamedFailure(reply) ? FAILURES[reply.error].http : reply.status;
  if (!responseOf(operation, status)) {
    const declared = Object.keys(operation.responses).join(', ');
    return { member, reason: `the contract has no answer with status ${status}, it has ${declared}` };
  }
  return isNamedFailure(reply) ? undefined : findBodyBreach(reply, operation, contract);
}

function findBodyBreach(reply: PlainReply, operation: Operation, contract: Contract): Broken | undefined {
  const { status, body } = reply;
  const promised = Object.keys(responseOf(operation, status)?.content ?? {}).length > 0;
  if (promised && body === undefined) {
    return { member: 'status', reason: `the contract promises a body with status ${status}` };
  }
  if (!promised) {
    const reason = `the contract promises no body with status ${status}`;
    return body === undefined ? undefined : { member: 'body', reason };
  }
  try {
    contract.checkResponse(operation, status, body);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return { member: 'body', reason: thrown.message.replace(`${operation.id} `, '') };
  }
}
