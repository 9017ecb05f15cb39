import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { uptime } from '../state/clock.ts';
import { messageId } from '../state/ids.ts';
import type {
  InterceptorReply,
  InterceptorInvocation,
  InterceptorOutcome,
} from '../state/interceptor-invocation.ts';
import { recordToKeep, type KeptRecord } from '../journal/made-calls.ts';
import { ApiError } from '../contract/errors.ts';
import { NO_RULE, type RuleOutcome } from '../scenarios/rule-outcome.ts';
import { type RuleLabel, factsOfMessage } from '../scenarios/call-facts.ts';
import type { AllowedHosts } from '../webhooks/allowed-hosts.ts';
import type { HttpAnswer } from '../webhooks/http-client.ts';
import { AccessTokens, parseJson, InterceptorCallError } from './http-call.ts';
import { validAnswer, outcomeOfReply } from './answer.ts';
import { InterceptorRequest, type InterceptorContext } from './request.ts';

export interface RecordedOutcome {
  outcome: InterceptorOutcome;
  /** For the journal; a trial has none. */
  record?: KeptRecord;
}

/** Calls interceptors. If a call fails, the interceptor's failure policy decides. */
export class Interceptors {
  readonly #contract: Contract;
  readonly #allowed: AllowedHosts;
  readonly #tokens = new AccessTokens();

  constructor(contract: Contract, allowed: AllowedHosts) {
    this.#contract = contract;
    this.#allowed = allowed;
  }

  /** Resolves to undefined if the call was aborted. Throws `contract_violation` if the body breaks the contract. */
  async call(
    invocation: InterceptorInvocation,
    context: InterceptorContext,
  ): Promise<RecordedOutcome | undefined> {
    const { interceptor, body, isTrial } = invocation;
    const message = this.#contract.message(`interceptor.${interceptor.trigger_point}`);
    if (message && !isTrial) this.#check(message, body);
    const startedAt = uptime();
    const requestContext = { allowed: this.#allowed, tokens: this.#tokens };
    const request = new InterceptorRequest(
      invocation,
      messageId(`${context.environment.name} ${context.id}`),
      requestContext,
    );
    const ruleOutcome = ruleOutcomeOf(invocation, message, context);
    const ask = () =>
      answerWithRule(ruleOutcome, () => request.send(context), { invocation, signal: context.signal });
    const reply = await this.#readReply(ask, message);
    if (context.signal.aborted) return undefined;
    const outcome = outcomeOfReply(reply, interceptor.failure_policy);
    if (isTrial) return { outcome };
    const options = { duration_ms: Math.round(uptime() - startedAt), scenario: ruleOutcome.rule };
    return { outcome, record: recordOf(invocation, request, outcome, options) };
  }

  async #readReply(
    ask: () => Promise<HttpAnswer>,
    message: Operation | undefined,
  ): Promise<InterceptorReply> {
    try {
      const { status, text } = await ask();
      return { status, answer: validAnswer({ status, text }, message, this.#contract) };
    } catch (thrown) {
      if (!(thrown instanceof InterceptorCallError)) throw thrown;
      const { code, details } = thrown;
      const { violations, ...heard } = details;
      return { ...heard, failure: { code, message: thrown.message, ...(violations && { violations }) } };
    }
  }

  #check(message: Operation, body: InterceptorInvocation['body']): void {
    const complaints = this.#contract.messageComplaints(message.path, structuredClone(body));
    if (complaints.length === 0) return;
    const text = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const report = `body for an interceptor breaks the contract: ${message.path}: ${text}`;
    throw new ApiError('contract_violation', report);
  }
}

function recordOf(
  { interceptor }: InterceptorInvocation,
  request: InterceptorRequest,
  outcome: InterceptorOutcome,
  { duration_ms, scenario }: { duration_ms: number; scenario: RuleLabel | undefined },
) {
  const { id: interceptor_id, trigger_point, failure_policy: policy, config } = interceptor;
  const { decision, reply } = outcome;
  const { status, answer, failure } = reply;
  const warnings = warningsOf(interceptor);
  const record = {
    interceptor_id,
    trigger_point,
    url: interceptor.api_url ?? '',
    request: { headers: request.headers, body: request.body },
    ...(answer !== undefined && { response: { body: answer } }),
    ...(status !== undefined && { status }),
    decision,
    ...(failure && { policy, error: failure.message }),
    duration_ms,
    ...(scenario && { scenario: { name: scenario.name, rule: scenario.rule } }),
    ...(warnings.length > 0 && { warnings }),
  };
  const texts = request.text.length + (answer === undefined ? 0 : JSON.stringify(answer).length);
  return recordToKeep(record, config?.auth_config?.api_key?.header_name, texts);
}

const TEMPLATES = ['request_template', 'response_template'] as const;

/**
 * Unverified (interceptors/request-templates): templates are not evaluated, because no maintained Jsonnet evaluator
 * works without native code.
 */
const warningsOf = (interceptor: InterceptorInvocation['interceptor']): string[] =>
  TEMPLATES.filter((name) => interceptor[name]).map((name) => `${name} is stored, but not evaluated`);

/** The first matching rule for this interceptor call. Scenarios do not apply to trials. */
function ruleOutcomeOf(
  { interceptor, body, isTrial }: InterceptorInvocation,
  message: Operation | undefined,
  { environment }: InterceptorContext,
): RuleOutcome {
  if (!message || isTrial) return NO_RULE;
  return environment.scenarios.outcomeFor(factsOfMessage(message, { body, to: interceptor.api_url ?? '' }));
}

/** Answers in the interceptor's place if the rule has a reply; otherwise asks and applies the rule's changes. */
async function answerWithRule(
  ruleOutcome: RuleOutcome,
  ask: () => Promise<HttpAnswer>,
  { invocation: { interceptor }, signal }: { invocation: InterceptorInvocation; signal: AbortSignal },
): Promise<HttpAnswer> {
  const { timeout_ms, api_url: url = '' } = interceptor;
  const late = AbortSignal.timeout(timeout_ms);
  const reply = await ruleOutcome.apply?.({ signal: AbortSignal.any([signal, late]) });
  if (late.aborted)
    throw new InterceptorCallError('TIMEOUT', `${url} did not answer within ${timeout_ms} ms`);
  if (reply?.status === 0)
    throw new InterceptorCallError('UNREACHABLE', `${url} cannot be reached: a scenario prevents it`);
  if (reply) return { status: reply.status, text: textOf(reply.body), isCut: false };
  const answered = await ask();
  const edited = ruleOutcome.edit?.({ status: answered.status, headers: {}, body: parseJson(answered.text) });
  return edited ? { ...answered, text: textOf(edited.body) } : answered;
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
