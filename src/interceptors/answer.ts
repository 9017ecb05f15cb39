import { excessOf } from '../contract/body.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type {
  InterceptorReply,
  InterceptorInvocation,
  InterceptorOutcome,
} from '../state/interceptor-invocation.ts';
import type { FieldViolation } from '../contract/errors.ts';
import { loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '@understudy/text/json';
import { parseJson, InterceptorCallError } from './http-call.ts';

/** What all trigger points have in common. */
interface InterceptorDecision {
  decision: InterceptorOutcome['decision'];
  error?: { message?: string | null } | null;
  response?: Record<string, unknown> | null;
}

/**
 * Returns the answer's JSON. Unverified (interceptors/failed-answers): every other answer is a failure of the
 * interceptor; the service documents only unreachable and slow interceptors.
 */
export function validAnswer(
  { status, text }: { status: number; text: string },
  message: Operation | undefined,
  contract: Contract,
): unknown {
  const answer = parseJson(text);
  const flaw = flawOfJson(answer, text);
  if (flaw !== undefined) throw new InterceptorCallError('INVALID_JSON', flaw, { status });
  const details = { status, ...(text !== '' && { answer: answer === undefined ? text : answer }) };
  if (status >= 300 && status < 400)
    throw new InterceptorCallError(
      'REDIRECT',
      `the answer is ${status}: redirects are not followed`,
      details,
    );
  if (status !== 200)
    throw new InterceptorCallError('STATUS', `the answer is ${status} and not 200`, details);
  if (answer === undefined) throw new InterceptorCallError('INVALID_JSON', 'the answer is not JSON', details);
  const violations = violationsOf(answer, message, contract);
  if (violations.length === 0) return answer;
  const report = violations.map(({ field, description }) => `${field} ${description}`.trim()).join('; ');
  throw new InterceptorCallError('INVALID_RESPONSE', `the answer breaks the contract: ${report}`, {
    ...details,
    violations,
  });
}

function flawOfJson(answer: unknown, text: string): string | undefined {
  const excess = excessOf(answer);
  if (excess !== undefined) return `the answer ${excess}`;
  const stray = loneSurrogateIn(answer, text);
  return stray && `the answer: ${withEscapes(stray.join('.'))} ${NOT_WELL_FORMED}`;
}

/** Trigger points without a documented message are checked against a general schema. */
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

/** If the call failed, the failure policy decides. */
export function outcomeOfReply(
  reply: InterceptorReply,
  policy: InterceptorInvocation['interceptor']['failure_policy'],
): InterceptorOutcome {
  if (reply.failure) return { decision: policy === 'FAIL_OPEN' ? 'ALLOW' : 'DENY', reply };
  const { decision, error, response } = reply.answer as InterceptorDecision;
  return { decision, message: error?.message ?? undefined, response: response ?? {}, reply };
}
