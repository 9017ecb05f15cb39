import { excessOf } from '../contract/body.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { FieldViolation } from '../errors.ts';
import { loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '../well-formed.ts';
import type { Heard, Question, Verdict } from '../world/question.ts';
import { parse } from './send.ts';
import { Unheard } from './unheard.ts';

/** What an interceptor may answer, as far as all of them may. */
interface Answer {
  decision: Verdict['decision'];
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
  const excess = excessOf(answer);
  if (excess !== undefined) throw new Unheard('INVALID_JSON', `the answer ${excess}`, { status });
  const stray = loneSurrogateIn(answer, text);
  if (stray) {
    const message = `the answer: ${withEscapes(stray.join('.'))} ${NOT_WELL_FORMED}`;
    throw new Unheard('INVALID_JSON', message, { status });
  }
  const parts = { status, ...(text !== '' && { answer: answer === undefined ? text : answer }) };
  if (status >= 300 && status < 400)
    throw new Unheard('REDIRECT', `the answer is ${status}: redirects are not followed`, parts);
  if (status !== 200) throw new Unheard('STATUS', `the answer is ${status} and not 200`, parts);
  if (answer === undefined) throw new Unheard('INVALID_JSON', 'the answer is no JSON', parts);
  const violations = violationsOf(answer, message, contract);
  if (violations.length === 0) return answer;
  const told = violations.map(({ field, description }) => `${field} ${description}`.trim()).join('; ');
  throw new Unheard('INVALID_RESPONSE', `the answer breaks the contract: ${told}`, { ...parts, violations });
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
export function verdictOf(heard: Heard, policy: Question['interceptor']['failure_policy']): Verdict {
  if (heard.failure) return { decision: policy === 'FAIL_OPEN' ? 'ALLOW' : 'DENY', heard };
  const { decision, error, response } = heard.answer as Answer;
  return { decision, message: error?.message ?? undefined, response: response ?? {}, heard };
}
