import type { Contract } from '../contract/contract.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Environment } from '../environments/environment.ts';
import { keep, type KeptRecord } from '../environments/interceptor-record.ts';
import type { Era } from '../environments/news.ts';
import { ApiError } from '../errors.ts';
import type { Allowed } from '../outgoing/allowed.ts';
import type { Answered } from '../outgoing/post.ts';
import type { RuleLabel } from '../scenarios/script.ts';
import { uptime } from '../world/clock.ts';
import { messageId } from '../world/ids.ts';
import type { Heard, Question, Verdict } from '../world/question.ts';
import { AccessTokens } from './access-tokens.ts';
import { answerOf, verdictOf } from './answer.ts';
import { Envoy } from './envoy.ts';
import { answerBy, scriptOf } from './scripted.ts';
import { Unheard } from './unheard.ts';

/** Where a question comes from. */
export interface Occasion {
  environment: Environment;
  era: Era;
  /** Of the question: no other of the environment has it. */
  id: string;
  /** Aborts when no answer is of use any more. */
  signal: AbortSignal;
}

export interface Hearing {
  verdict: Verdict;
  /** For the journal. A trial has none. */
  record?: KeptRecord;
}

/** Asks interceptors, and hears what they say. Whatever goes wrong with one is left to its failure policy. */
export class Interception {
  readonly #contract: Contract;
  readonly #allowed: Allowed;
  readonly #tokens = new AccessTokens();

  /** `allowed`: whom it may call. */
  constructor(contract: Contract, allowed: Allowed) {
    this.#contract = contract;
    this.#allowed = allowed;
  }

  /** undefined: it was given up. Throws `contract_violation` for a question that the document does not promise. */
  async ask(question: Question, occasion: Occasion): Promise<Hearing | undefined> {
    const { interceptor, body, isTrial } = question;
    const message = this.#contract.message(`interceptor.${interceptor.trigger_point}`);
    if (message && !isTrial) this.#check(message, body);
    const began = uptime();
    const means = { allowed: this.#allowed, tokens: this.#tokens };
    const envoy = new Envoy(question, messageId(`${occasion.environment.name} ${occasion.id}`), means);
    const script = scriptOf(question, message, occasion);
    const ask = () => answerBy(script, () => envoy.go(occasion), { question, signal: occasion.signal });
    const heard = await this.#hear(ask, message);
    if (occasion.signal.aborted) return undefined;
    const verdict = verdictOf(heard, interceptor.failure_policy);
    if (isTrial) return { verdict };
    const circumstances = { duration_ms: Math.round(uptime() - began), scenario: script.rule };
    return { verdict, record: recordOf(question, envoy, verdict, circumstances) };
  }

  async #hear(ask: () => Promise<Answered>, message: Operation | undefined): Promise<Heard> {
    try {
      const { status, text } = await ask();
      return { status, answer: answerOf({ status, text }, message, this.#contract) };
    } catch (thrown) {
      if (!(thrown instanceof Unheard)) throw thrown;
      const { code, parts } = thrown;
      const { violations, ...heard } = parts;
      return { ...heard, failure: { code, message: thrown.message, ...(violations && { violations }) } };
    }
  }

  /** What breaks the document here is a bug of ours. */
  #check(message: Operation, body: Question['body']): void {
    const complaints = this.#contract.messageComplaints(message.path, structuredClone(body));
    if (complaints.length === 0) return;
    const told = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const text = `question to an interceptor breaks the contract: ${message.path}: ${told}`;
    throw new ApiError('contract_violation', text);
  }
}

function recordOf(
  { interceptor }: Question,
  envoy: Envoy,
  verdict: Verdict,
  { duration_ms, scenario }: { duration_ms: number; scenario: RuleLabel | undefined },
) {
  const { id: interceptor_id, trigger_point, failure_policy: policy, config } = interceptor;
  const { decision, heard } = verdict;
  const { status, answer, failure } = heard;
  const warnings = warningsOf(interceptor);
  const record = {
    interceptor_id,
    trigger_point,
    url: interceptor.api_url ?? '',
    request: { headers: envoy.headers, body: envoy.body },
    ...(answer !== undefined && { response: { body: answer } }),
    ...(status !== undefined && { status }),
    decision,
    ...(failure && { policy, error: failure.message }),
    duration_ms,
    ...(scenario && { scenario: { name: scenario.name, rule: scenario.rule } }),
    ...(warnings.length > 0 && { warnings }),
  };
  const texts = envoy.text.length + (answer === undefined ? 0 : JSON.stringify(answer).length);
  return keep(record, config?.auth_config?.api_key?.header_name, texts);
}

const TEMPLATES = ['request_template', 'response_template'] as const;

/** No Jsonnet evaluator without native parts is at hand that is kept up: bodies go and come as they are. */
const warningsOf = (interceptor: Question['interceptor']): string[] =>
  TEMPLATES.filter((name) => interceptor[name]).map((name) => `${name} is kept, but not evaluated`);
