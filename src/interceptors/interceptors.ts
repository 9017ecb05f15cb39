import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { StateLifetime } from '../environment/activity.ts';
import { uptime } from '../environment/clock.ts';
import type { Environment } from '../environment/environment.ts';
import { messageId } from '../environment/ids.ts';
import type {
  InterceptorReply,
  InterceptorInvocation,
  InterceptorOutcome,
} from '../environment/interceptor-invocation.ts';
import { keep, type KeptRecord } from '../environment/journal/interceptor-record.ts';
import { ApiError } from '../errors.ts';
import { factsOfMessage, NO_RULE, type RuleLabel, type RuleOutcome } from '../scenarios/script.ts';
import type { AllowedHosts } from '../webhooks/allowed-hosts.ts';
import type { HttpAnswer } from '../webhooks/http-client.ts';
import { AccessTokens } from './access-tokens.ts';
import { answerOf, outcomeOfReply } from './answer.ts';
import { parse, InterceptorUnreachable } from './http-call.ts';
import { InterceptorRequest } from './request.ts';

/** Where a question comes from. */
export interface InterceptorContext {
  environment: Environment;
  lifetime: StateLifetime;
  /** Of the question: no other of the environment has it. */
  id: string;
  /** Aborts when no answer is of use any more. */
  signal: AbortSignal;
}

export interface RecordedOutcome {
  outcome: InterceptorOutcome;
  /** For the journal. A trial has none. */
  record?: KeptRecord;
}

/** Asks interceptors, and hears what they say. Whatever goes wrong with one is left to its failure policy. */
export class Interceptors {
  readonly #contract: Contract;
  readonly #allowed: AllowedHosts;
  readonly #tokens = new AccessTokens();

  /** `allowed`: whom it may call. */
  constructor(contract: Contract, allowed: AllowedHosts) {
    this.#contract = contract;
    this.#allowed = allowed;
  }

  /** undefined: it was given up. Throws `contract_violation` for a question that the document does not promise. */
  async ask(
    invocation: InterceptorInvocation,
    context: InterceptorContext,
  ): Promise<RecordedOutcome | undefined> {
    const { interceptor, body, isTrial } = invocation;
    const message = this.#contract.message(`interceptor.${interceptor.trigger_point}`);
    if (message && !isTrial) this.#check(message, body);
    const began = uptime();
    const means = { allowed: this.#allowed, tokens: this.#tokens };
    const request = new InterceptorRequest(
      invocation,
      messageId(`${context.environment.name} ${context.id}`),
      means,
    );
    const script = ruleOutcomeOf(invocation, message, context);
    const ask = () => answerBy(script, () => request.go(context), { invocation, signal: context.signal });
    const heard = await this.#hear(ask, message);
    if (context.signal.aborted) return undefined;
    const outcome = outcomeOfReply(heard, interceptor.failure_policy);
    if (isTrial) return { outcome };
    const options = { duration_ms: Math.round(uptime() - began), scenario: script.rule };
    return { outcome, record: recordOf(invocation, request, outcome, options) };
  }

  async #hear(ask: () => Promise<HttpAnswer>, message: Operation | undefined): Promise<InterceptorReply> {
    try {
      const { status, text } = await ask();
      return { status, answer: answerOf({ status, text }, message, this.#contract) };
    } catch (thrown) {
      if (!(thrown instanceof InterceptorUnreachable)) throw thrown;
      const { code, parts } = thrown;
      const { violations, ...heard } = parts;
      return { ...heard, failure: { code, message: thrown.message, ...(violations && { violations }) } };
    }
  }

  /** What breaks the document here is a bug of ours. */
  #check(message: Operation, body: InterceptorInvocation['body']): void {
    const complaints = this.#contract.messageComplaints(message.path, structuredClone(body));
    if (complaints.length === 0) return;
    const told = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const text = `question to an interceptor breaks the contract: ${message.path}: ${told}`;
    throw new ApiError('contract_violation', text);
  }
}

function recordOf(
  { interceptor }: InterceptorInvocation,
  request: InterceptorRequest,
  outcome: InterceptorOutcome,
  { duration_ms, scenario }: { duration_ms: number; scenario: RuleLabel | undefined },
) {
  const { id: interceptor_id, trigger_point, failure_policy: policy, config } = interceptor;
  const { decision, reply: heard } = outcome;
  const { status, answer, failure } = heard;
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
  return keep(record, config?.auth_config?.api_key?.header_name, texts);
}

const TEMPLATES = ['request_template', 'response_template'] as const;

/** No Jsonnet evaluator without native parts is at hand that is kept up: bodies go and come as they are. */
const warningsOf = (interceptor: InterceptorInvocation['interceptor']): string[] =>
  TEMPLATES.filter((name) => interceptor[name]).map((name) => `${name} is kept, but not evaluated`);

/** What the scenarios of an environment have to say of a question. A trial is between the tester and the interceptor. */
export function ruleOutcomeOf(
  { interceptor, body, isTrial }: InterceptorInvocation,
  message: Operation | undefined,
  { environment }: InterceptorContext,
): RuleOutcome {
  if (!message || isTrial) return NO_RULE;
  return environment.scenarios.outcomeFor(factsOfMessage(message, { body, to: interceptor.api_url ?? '' }));
}

/** The answer: the scenario's in the interceptor's place, or what the interceptor says, and the scenario changes of it. */
export async function answerBy(
  script: RuleOutcome,
  ask: () => Promise<HttpAnswer>,
  { invocation: { interceptor }, signal }: { invocation: InterceptorInvocation; signal: AbortSignal },
): Promise<HttpAnswer> {
  const { timeout_ms, api_url: url = '' } = interceptor;
  const late = AbortSignal.timeout(timeout_ms);
  const reply = await script.play({ signal: AbortSignal.any([signal, late]) });
  if (late.aborted)
    throw new InterceptorUnreachable('TIMEOUT', `${url} did not answer within ${timeout_ms} ms`);
  if (reply?.status === 0)
    throw new InterceptorUnreachable('UNREACHABLE', `${url} can not be reached: a scenario wants it so`);
  if (reply) return { status: reply.status, text: textOf(reply.body), isCut: false };
  const answered = await ask();
  const edited = script.edit({ status: answered.status, headers: {}, body: parse(answered.text) });
  return edited ? { ...answered, text: textOf(edited.body) } : answered;
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
