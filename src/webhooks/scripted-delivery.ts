import { createHash } from 'node:crypto';
import { machineTime } from '../environment/clock.ts';
import type { Environment } from '../environment/environment.ts';
import { Generator } from '../environment/ids.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { factsOfMessage, NO_RULE, type RuleOutcome, type RuleReply } from '../scenarios/script.ts';
import { resultOf } from './http-client.ts';
import type { Attempt, CallContext, Outcome } from './call-kind.ts';
import { signatureHeaders } from './signature.ts';

/** What goes out at once. */
export interface Part {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What goes where. */
export interface Piece {
  delivery: Rows['webhook_deliveries'];
  endpoint: Rows['webhook_endpoints'];
  payload: object;
}

interface Circumstances {
  /** Real milliseconds. */
  timeout: number;
  secrets: readonly string[];
}

/** One attempt of a delivery, and what the scenarios of the environment make of it. */
export class ScriptedDelivery {
  readonly #piece: Piece;
  readonly #script: RuleOutcome;
  readonly #context: CallContext;

  constructor(piece: Piece, { scenarios }: Environment, context: CallContext) {
    const { delivery, endpoint, payload } = piece;
    this.#piece = piece;
    this.#context = context;
    const message = context.contract.message(delivery.event_type);
    const facts = message && factsOfMessage(message, { body: payload, to: endpoint.url ?? endpoint.kind });
    const isAsked = facts && !(delivery.postponed && delivery.attempts.length === 0);
    // Attempts end in any order, and the same calls must give the same answers: each has chances of its own.
    const generator = new Generator(`${delivery.id} ${delivery.attempts.length}`);
    this.#script = isAsked ? scenarios.outcomeFor(facts, () => generator.draw()) : NO_RULE;
  }

  /** What becomes of it when it is not to be sent now. */
  putOff(now: number): Outcome | undefined {
    const { drop, delay, hold } = this.#script.deliver ?? {};
    if (drop) return { result: 'dropped', attempts: [] };
    if (delay === undefined && hold === undefined) return undefined;
    const until = hold === undefined ? { time: now + delay! } : { hold };
    return { result: 'postponed', attempts: [], until };
  }

  /** What is sent, and whether it may break the document. */
  get payload(): { payload: unknown; isOutside: boolean } {
    const { payload } = this.#piece;
    const edited = this.#script.edit({ status: 200, headers: {}, body: payload });
    return { payload: edited?.body ?? payload, isOutside: edited?.outsideContract ?? false };
  }

  /** Sends it, or answers in the receiver's place; as often as it should be. */
  async play(send: (part: Part) => Promise<Outcome>, options: Circumstances): Promise<Outcome> {
    const { duplicate = 0 } = this.#script.deliver ?? {};
    const heard = await this.#hear(options);
    const first = await this.#once(send, heard, options);
    const attempts = [...first.attempts];
    for (let time = 0; time < duplicate; time += 1) {
      const again = await this.#once(send, heard, options);
      attempts.push(...again.attempts.map((each) => ({ ...each, is_duplicate: true })));
    }
    return { ...first, attempts };
  }

  async #once(
    send: (part: Part) => Promise<Outcome>,
    heard: Outcome | undefined,
    { secrets }: Circumstances,
  ): Promise<Outcome> {
    const { payload } = this.payload;
    const body = JSON.stringify(payload);
    const headers = this.#sign(body, secrets);
    const { result, attempts } = heard ?? (await send({ headers, body }));
    return { result, attempts: attempts.map((each) => this.#noted(each, headers, payload)) };
  }

  #noted({ duration_ms, ...rest }: Outcome['attempts'][number], headers: object, payload: unknown) {
    const { rule } = this.#script;
    return {
      duration_ms,
      headers: headers as Attempt['headers'] & object,
      ...rest,
      ...(payload !== this.#piece.payload && { payload }),
      ...(rule && { scenario: { name: rule.name, rule: rule.rule } }),
    };
  }

  /** Receivers hold the timestamp against the clock of their machine: that of the environment may stand anywhere. */
  #sign(body: string, own: readonly string[]): Record<string, string> {
    const { id } = this.#piece.delivery;
    const { signature, secret, timestamp = 0 } = this.#script.deliver ?? {};
    if (signature === 'missing') return {};
    const strange = secret === 'rotated' || signature === 'wrong' ? secretOf(`${id} ${signature}`) : secret;
    return signatureHeaders(
      'webhook',
      { id, time: machineTime() + timestamp, body },
      strange ? [strange] : own,
    );
  }

  /** What the rule says in the receiver's place; undefined: the receiver is called. */
  async #hear({ timeout }: Circumstances): Promise<Outcome | undefined> {
    const late = AbortSignal.timeout(timeout);
    const signal = AbortSignal.any([this.#context.stopping, late]);
    const reply = await this.#script.play({ signal }).catch((thrown: Error) => thrown);
    if (late.aborted) return failed(`no answer within ${timeout / 1000} s`);
    if (reply instanceof Error) return failed(reply.message);
    return reply && (reply.status === 0 ? failed('the connection ended without an answer') : heardOf(reply));
  }
}

const failed = (error: string): Outcome => ({ result: 'failed', attempts: [{ duration_ms: 0, error }] });

function heardOf({ status, body }: RuleReply): Outcome {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  const { result, ...attempt } = resultOf({ status, text, isCut: false });
  return { result, attempts: [{ duration_ms: 0, ...attempt }] };
}

/** One that nobody knows; the same for the same text. */
const secretOf = (text: string) => `whsec_${createHash('sha256').update(text).digest('base64')}`;
