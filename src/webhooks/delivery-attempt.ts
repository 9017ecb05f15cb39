import type { Contract } from '../contract/contract.ts';
import type { Tables, Env, Rows } from '../state/env.ts';
import { type CallingEnvironment, attemptCount } from './due-calls.ts';
import type { Keys } from '../state/keys.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import { machineTime } from '../state/clock.ts';
import { Generator } from '../state/ids.ts';
import { NO_RULE, type RuleOutcome } from '../scenarios/rule-outcome.ts';
import { type RuleReply, factsOfMessage } from '../scenarios/call-facts.ts';
import { resultOf } from './http-client.ts';
import { signatureHeaders, unknownSecret } from './endpoints.ts';

/** One attempt, as the row keeps it. */
type CallAttempt = Rows['webhook_deliveries']['attempts'][number];

/** `refused`: the call can never be made. Only scenarios cause `dropped` and `postponed`. */
export type AttemptResult = 'delivered' | 'failed' | 'refused' | 'dropped' | 'postponed';

export interface CallOutcome {
  result: AttemptResult;
  /** More than one if a scenario duplicates the call. */
  attempts: readonly Omit<CallAttempt, 'time'>[];
  /**
   * For postponed calls: `time` in milliseconds on the environment's clock, or `hold`, the number of other calls to
   * wait for.
   */
  until?: { time?: number; hold?: number };
}

export interface CallContext {
  keys: Keys;
  contract: Contract;
  allowed: AllowedHosts;
  /** The user-agent header. */
  userAgent: string;
  /** Reports a bug of ours. */
  report: (message: string, cause: unknown) => void;
  metrics: Metrics;
  /** Where this process answers; undefined: its port is not its own. */
  ownAddress: () => string | undefined;
  /** Aborts when the process stops or the environment is reset. */
  stopping: AbortSignal;
}

export interface QueueOptions {
  name: string;
  /** Tasks that run at once. */
  atOnce: number;
}

/** What the dispatcher needs to know about one collection of outgoing calls. */
export interface CallKind<R> {
  /** In metrics. */
  name: string;
  /** Calls of one queue run in order. */
  queueOf(row: R, tables: Tables): QueueOptions;
  /** Whether the call stays inside this process. */
  isLocal(row: R, tables: Tables): boolean;
  /** Never throws: a failure is an outcome. */
  attempt(row: R, environment: CallingEnvironment, context: CallContext): Promise<CallOutcome>;
  /** The row after the attempt, which is already in its `attempts`. */
  rowAfter(row: R, outcome: CallOutcome, env: Env): R;
  /** Other changes in the same unit of work. */
  recordConsequences?(env: Env, row: R, outcome: CallOutcome): void;
}

export const refused = (error: string): CallOutcome => ({
  result: 'refused',
  attempts: [{ duration_ms: 0, error }],
});

export interface WebhookRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface PreparedDelivery {
  delivery: Rows['webhook_deliveries'];
  endpoint: Rows['webhook_endpoints'];
  payload: object;
}

interface DeliveryOptions {
  /** Real milliseconds. */
  timeout: number;
  secrets: readonly string[];
}

/** One attempt of a delivery, changed by the scenario rule that matches. */
export class DeliveryAttempt {
  readonly #prepared: PreparedDelivery;
  readonly #ruleOutcome: RuleOutcome;
  readonly #context: CallContext;

  constructor(prepared: PreparedDelivery, { scenarios }: CallingEnvironment, context: CallContext) {
    const { delivery, endpoint, payload } = prepared;
    this.#prepared = prepared;
    this.#context = context;
    const message = context.contract.message(delivery.event_type);
    const facts = message && factsOfMessage(message, { body: payload, to: endpoint.url ?? endpoint.kind });
    const isAsked = facts && !(delivery.postponed && attemptCount(delivery) === 0);
    // Concurrent attempts end in any order. Each one draws from its own generator, so that replays give the same
    // results.
    const generator = new Generator(`${delivery.id} ${attemptCount(delivery)}`);
    this.#ruleOutcome = isAsked ? scenarios.outcomeFor(facts, () => generator.draw()) : NO_RULE;
  }

  /** The outcome if a rule drops or delays the attempt. */
  postponement(now: number): CallOutcome | undefined {
    const { drop, delay, hold } = this.#ruleOutcome.deliver ?? {};
    if (drop) return { result: 'dropped', attempts: [] };
    if (delay === undefined && hold === undefined) return undefined;
    const until = hold === undefined ? { time: now + delay! } : { hold };
    return { result: 'postponed', attempts: [], until };
  }

  /** `isOutside`: the payload may break the contract. */
  get payload(): { payload: unknown; isOutside: boolean } {
    const { payload } = this.#prepared;
    const edited = this.#ruleOutcome.edit?.({ status: 200, headers: {}, body: payload });
    return { payload: edited?.body ?? payload, isOutside: edited?.outsideContract ?? false };
  }

  /** Sends the payload, or answers in the receiver's place; duplicates it if the rule says so. */
  async make(
    send: (request: WebhookRequest) => Promise<CallOutcome>,
    options: DeliveryOptions,
  ): Promise<CallOutcome> {
    const { duplicate = 0 } = this.#ruleOutcome.deliver ?? {};
    const forced = await this.#forcedOutcome(options);
    const first = await this.#sendOnce(send, forced, options);
    const attempts = [...first.attempts];
    for (let time = 0; time < duplicate; time += 1) {
      const again = await this.#sendOnce(send, forced, options);
      attempts.push(...again.attempts.map((each) => ({ ...each, is_duplicate: true })));
    }
    return { ...first, attempts };
  }

  async #sendOnce(
    send: (request: WebhookRequest) => Promise<CallOutcome>,
    forced: CallOutcome | undefined,
    { secrets }: DeliveryOptions,
  ): Promise<CallOutcome> {
    const { payload } = this.payload;
    const body = JSON.stringify(payload);
    const headers = this.#sign(body, secrets);
    const { result, attempts } = forced ?? (await send({ headers, body }));
    return { result, attempts: attempts.map((each) => this.#recorded(each, headers, payload)) };
  }

  #recorded({ duration_ms, ...rest }: CallOutcome['attempts'][number], headers: object, payload: unknown) {
    const { rule } = this.#ruleOutcome;
    return {
      duration_ms,
      headers: headers as CallAttempt['headers'] & object,
      ...rest,
      ...(payload !== this.#prepared.payload && { payload }),
      ...(rule && { scenario: { name: rule.name, rule: rule.rule } }),
    };
  }

  /** Receivers compare the timestamp with their machine's clock, so the environment's clock is not used. */
  #sign(body: string, own: readonly string[]): Record<string, string> {
    const { id } = this.#prepared.delivery;
    const { signature, secret, timestamp = 0 } = this.#ruleOutcome.deliver ?? {};
    if (signature === 'missing') return {};
    const wrongSecret =
      secret === 'rotated' || signature === 'wrong' ? unknownSecret(`${id} ${signature}`) : secret;
    return signatureHeaders(
      'webhook',
      { id, time: machineTime() + timestamp, body },
      wrongSecret ? [wrongSecret] : own,
    );
  }

  /** The outcome that a rule forces without calling the receiver. */
  async #forcedOutcome({ timeout }: DeliveryOptions): Promise<CallOutcome | undefined> {
    const late = AbortSignal.timeout(timeout);
    const signal = AbortSignal.any([this.#context.stopping, late]);
    const reply = await this.#ruleOutcome.apply?.({ signal }).catch((thrown: Error) => thrown);
    if (late.aborted) return failed(`no answer within ${timeout / 1000} s`);
    if (reply instanceof Error) return failed(reply.message);
    return (
      reply && (reply.status === 0 ? failed('the connection ended without an answer') : outcomeOfReply(reply))
    );
  }
}

const failed = (error: string): CallOutcome => ({ result: 'failed', attempts: [{ duration_ms: 0, error }] });

function outcomeOfReply({ status, body }: RuleReply): CallOutcome {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  const { result, ...attempt } = resultOf({ status, text, isCut: false });
  return { result, attempts: [{ duration_ms: 0, ...attempt }] };
}
