import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Committed } from '../environments/occasion.ts';
import { ApiError } from '../errors.ts';
import { Answer, Passthrough } from '../operations/answer.ts';
import type { Keys } from '../world/keys.ts';
import type { Reply } from './call.ts';
import { signTokens } from './sign-tokens.ts';

/** What an operation answers, or a failure of it that must not undo what it wrote. Other failures are thrown on. */
export function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.parts.writesStand) return thrown;
    throw thrown;
  }
}

/** Throws `contract_violation` for an answer that the document does not promise. */
export function checkOutcome(output: unknown, operation: Operation, contract: Contract): void {
  if (output instanceof ApiError) return;
  if (!(output instanceof Answer)) return contract.checkResponse(operation, operation.status, output);
  const { status, headers, body } = output;
  if (output instanceof Passthrough) return contract.checkResponse(operation, status, body ?? '');
  if (body === undefined) return contract.checkResponse(operation, status, body);
  contract.checkMediaType(operation, status, String(headers['content-type'] ?? 'application/json'));
}

/** What a success says. A failure whose writes stand is thrown on. */
export async function replyOf(
  committed: Committed<unknown>,
  operation: Operation,
  keys: Keys,
): Promise<Reply> {
  const { result } = committed;
  if (result instanceof ApiError) throw result;
  const signed = await signTokens(committed, keys);
  if (!(result instanceof Answer)) return { status: operation.status, headers: {}, body: signed };
  const { status, headers, body } = signed as Answer;
  return { status, headers, body };
}
