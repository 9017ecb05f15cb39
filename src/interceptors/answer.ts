import { excessOf } from '../contract/body.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type {
  InterceptorReply,
  InterceptorInvocation,
  InterceptorOutcome,
} from '../environment/interceptor-invocation.ts';
import type { FieldViolation } from '../errors.ts';
import { loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '../text/well-formed.ts';
import { parse, InterceptorUnreachable } from './http-call.ts';

/** What an interceptor may answer, as far as all of them may. */
interface Answer {
  decision: InterceptorOutcome['decision'];
  error?: { message?: string | null } | null;
  response?: Record<string, unknown> | null;
}

/**
 * The answer's JSON, of the shape that the document has. Unverified: everything else is a failure of the interceptor;
 * the service only speaks of those that can't be reached or take too long.
 */
export function answerOf(
  { status, text }: { status: number; text: string },
  message: Operation | undefined,
  contract: Contract,
): unknown {
  const answer = parse(text);
  const flaw = flawOfJson(answer, text);
  if (flaw !== undefined) throw new InterceptorUnreachable('INVALID_JSON', flaw, { status });
  const parts = { status, ...(text !== '' && { answer: answer === undefined ? text : answer }) };
  if (status >= 300 && status < 400)
    throw new InterceptorUnreachable(
      'REDIRECT',
      `the answer is ${status}: redirects are not followed`,
      parts,
    );
  if (status !== 200)
    throw new InterceptorUnreachable('STATUS', `the answer is ${status} and not 200`, parts);
  if (answer === undefined) throw new InterceptorUnreachable('INVALID_JSON', 'the answer is no JSON', parts);
  const violations = violationsOf(answer, message, contract);
  if (violations.length === 0) return answer;
  const told = violations.map(({ field, description }) => `${field} ${description}`.trim()).join('; ');
  throw new InterceptorUnreachable('INVALID_RESPONSE', `the answer breaks the contract: ${told}`, {
    ...parts,
    violations,
  });
}

function flawOfJson(answer: unknown, text: string): string | undefined {
  const excess = excessOf(answer);
  if (excess !== undefined) return `the answer ${excess}`;
  const stray = loneSurrogateIn(answer, text);
  return stray && `the answer: ${withEscapes(stray.join('.'))} ${NOT_WELL_FORMED}`;
}

/** Trigger points that the service does not document have no message of their own. */
function violationsOf(answer: unknown, message: Operation | undefined, contract: Contract): FieldViolation[] {
  const complaints = message
    ? contract.responseComplaints(message, 200, answer)
    : contract.checkSchema('PlainDecision', answer);
  return complaints.map(({ path, message: description, errorCode = '' }) => ({
    field: path
      .replace(/^\/response(?=\/|$)/, '')
      .slice(1)
      .replaceAll('/', '.'),
    description,
    constraint: errorCode.replace('.openapi.validation', ''),
  }));
}

/** Who can not be heard is replaced by the policy that was set for that. */
export function outcomeOfReply(
  reply: InterceptorReply,
  policy: InterceptorInvocation['interceptor']['failure_policy'],
): InterceptorOutcome {
  if (reply.failure) return { decision: policy === 'FAIL_OPEN' ? 'ALLOW' : 'DENY', reply };
  const { decision, error, response } = reply.answer as Answer;
  return { decision, message: error?.message ?? undefined, response: response ?? {}, reply };
}
