import type { Contract } from '@understudy/core/contract/contract';
import { isRpc, type Exchange } from '../recordings/exchange.ts';
import type { Recording } from '../recordings/recording.ts';
import { isObject } from '@understudy/text/json';
import { AnswerComparison, type Answer, type Question } from './answer-comparison.ts';
import { emptyComparison, verdictOf, type Comparison, type Difference } from './difference.ts';
import { compareEvents } from './event-comparison.ts';
import type { Ledger } from './ledger.ts';
import { Pairs } from './pairs.ts';
import { RequestRewriting } from './request-rewriting.ts';
import { SchemaPlaces } from './schema-place.ts';
import type { Stage } from './stage.ts';
import { claimsIn } from '../recordings/secrets/jwt.ts';
import type { Basis } from './value-comparison.ts';

interface Replay {
  recording: Recording;
  contract: Contract;
  ledger: Ledger;
  stage: Stage;
  /** The same with another seed: what differs there is made up. */
  variant?: Stage;
  /** Whether the stage has the rows of the recorded service. */
  hasRows: boolean;
}

/** How far clocks may be apart, in milliseconds, beside the time that a call took. */
const TOLERANCE = 2000;

/** Plays a recording on Understudy again and compares the answers. */
export async function recordingDrift(replay: Replay): Promise<Comparison> {
  return new RecordingDrift(replay).run();
}

class RecordingDrift {
  readonly #replay: Replay;
  readonly #ours: Actor;
  readonly #variant: Actor | undefined;
  readonly #places: SchemaPlaces;
  readonly #skew: number;
  readonly #told: Told[] = [];
  /** Ids that the service does not know either. */
  readonly #absent = new Set<string>();
  #time = 0;

  constructor(replay: Replay) {
    const { recording, stage, variant, contract } = replay;
    this.#replay = replay;
    this.#ours = new Actor(stage, recording);
    this.#variant = variant && new Actor(variant, recording);
    this.#places = new SchemaPlaces(contract);
    this.#skew = skewIn(recording.exchanges);
  }

  async run(): Promise<Comparison> {
    const { exchanges } = this.#replay.recording;
    const calls = exchanges.filter(
      ({ protocol, response }) => protocol !== 'webhook' && response.failed === undefined,
    );
    for (const exchange of calls) await this.#exchange(exchange);
    await this.#events();
    doubtPaging(this.#told);
    return this.#result();
  }

  async #exchange(exchange: Exchange): Promise<void> {
    await this.#setTime(exchange);
    const question = this.#questionOf(exchange);
    const variant = this.#variant && (await this.#performVariant(exchange, question, this.#variant));
    const { answer, strange } = await this.#ours.perform(exchange);
    const theirs: Answer = exchange.response;
    const comparison = new AnswerComparison(
      this.#basis(exchange, this.#ours.pairs, variant !== undefined),
      question,
    );
    comparison.compare({ theirs, ours: answer, variant });
    const { all: differences, noise } = comparison.found;
    if (isNotFound(theirs)) for (const value of strange) this.#absent.add(value);
    const doubtful = [...strange].find((value) => !this.#absent.has(value));
    if (doubtful !== undefined && !this.#replay.hasRows && lacksRow(theirs, answer))
      doubt(differences, doubtful);
    const path = exchange.request.path.split('?', 1)[0]!;
    const subject = exchange.operation ?? `${exchange.request.method} ${path}`;
    this.#told.push({ subject, exchange: exchange.n, differences, noise });
  }

  /** The other run learns its ids from the same answers. Its answer is returned as if both had the same address. */
  async #performVariant(
    exchange: Exchange,
    question: Question,
    { stage, pairs, perform }: Actor,
  ): Promise<Answer> {
    const { answer } = await perform(exchange);
    new AnswerComparison(this.#basis(exchange, pairs, false), question).compare({
      theirs: exchange.response,
      ours: answer,
    });
    const text = JSON.stringify(answer).replaceAll(hostOf(stage.url), hostOf(this.#ours.stage.url));
    return JSON.parse(text) as Answer;
  }

  /** Without a clock that can be set, the two runs were at different times. */
  async #setTime({ at }: Exchange): Promise<void> {
    this.#time = Math.max(this.#time, Date.parse(at) + this.#skew);
    for (const actor of [this.#ours, this.#variant]) await actor?.stage.setTime?.(this.#time);
  }

  #questionOf(exchange: Exchange): Question {
    const { contract, ledger } = this.#replay;
    const operation = exchange.operation === undefined ? undefined : contract.operation(exchange.operation);
    const isOrdered = operation !== undefined && ledger.isOrdered(operation.id);
    return { operation, isOrdered, isRpc: isRpc(exchange) };
  }

  #basis({ at, ended }: Pick<Exchange, 'at' | 'ended'>, pairs: Pairs, hasVariant: boolean): Basis {
    const { stage, hasRows } = this.#replay;
    const tolerance = TOLERANCE + Math.max(0, Date.parse(ended) - Date.parse(at));
    const began = Date.parse(this.#replay.recording.exchanges[0]!.at) + this.#skew;
    return { pairs, places: this.#places, began, hasRows, hasVariant, ...(stage.setTime && { tolerance }) };
  }

  async #events(): Promise<void> {
    const { recording, stage } = this.#replay;
    const ours = await stage.events?.();
    const { at, ended } = recording.exchanges.at(-1) ?? {
      at: recording.head.began,
      ended: recording.head.began,
    };
    const basis = this.#basis({ at, ended }, this.#ours.pairs, false);
    // A service may take its time to send an event.
    const patient = {
      ...basis,
      ...(basis.tolerance !== undefined && { tolerance: basis.tolerance + TOLERANCE }),
    };
    for (const { type, exchange, differences, noise } of ours
      ? compareEvents(recording.exchanges, ours, patient)
      : [])
      this.#told.push({ subject: type, exchange, differences, noise });
  }

  #result(): Comparison {
    const { ledger } = this.#replay;
    const result = emptyComparison();
    const { compared, counts, noise: reasons, findings } = result;
    for (const { subject, exchange, differences, noise } of this.#told) {
      compared.push(subject);
      counts[verdictOf(differences, noise.size)] += 1;
      for (const [reason, count] of noise) reasons[reason] = (reasons[reason] ?? 0) + count;
      for (const difference of differences) {
        const rules = difference.verdict === 'drift' ? ledger.rulesFor(subject, difference) : [];
        findings.push({ ...difference, subject, ...(exchange !== undefined && { exchange }), rules });
      }
    }
    return result;
  }
}

/** What was compared. */
interface Told {
  subject: string;
  exchange: number | undefined;
  differences: Difference[];
  noise: ReadonlyMap<string, number>;
}

/** If a page of a list has rows from before the recording, no page says how long the list is. */
function doubtPaging(told: readonly Told[]): void {
  const isStrange = ({ kind, verdict }: Difference) => kind === 'rows' && verdict === 'unknown';
  const unsure = new Set(
    told.filter(({ differences }) => differences.some(isStrange)).map(({ subject }) => subject),
  );
  for (const { subject, differences } of told)
    for (const difference of differences)
      if (unsure.has(subject) && difference.kind === 'paging') difference.verdict = 'unknown';
}

/** A request about a row that Understudy does not have shows nothing. */
function doubt(differences: Difference[], value: string): void {
  for (const difference of differences) {
    difference.verdict = 'unknown';
    difference.message += `; ${value} is from before the recording, and --fixture gives Understudy its row`;
  }
}

const isNotFound = ({ status, trailers }: Answer): boolean =>
  status === 404 || trailers?.['grpc-status'] === '5';

const hostOf = (address: string) => address.replace(/^https?:\/\//, '');

/** Whether the answers differ as they do if Understudy lacks a row. */
const lacksRow = (theirs: Answer, ours: Answer): boolean =>
  (isSuccess(theirs) && !isSuccess(ours)) || (isNotFound(ours) && !isNotFound(theirs));

const isSuccess = ({ status, trailers }: Answer) =>
  status < 400 && (trailers?.['grpc-status'] ?? '0') === '0';

/** One Understudy that does what the recorded client did. */
class Actor {
  readonly stage: Stage;
  readonly pairs: Pairs;

  constructor(stage: Stage, { head, exchanges }: Recording) {
    this.stage = stage;
    this.pairs = new Pairs(head.service.replace(/\/$/, ''), stage.url);
    for (const [theirs, ours] of credentialsIn(exchanges, stage)) this.pairs.join(theirs, ours);
  }

  perform = async (exchange: Exchange): Promise<{ answer: Answer; strange: ReadonlySet<string> }> => {
    const rewriting = new RequestRewriting(this.pairs, this.stage);
    const request = await rewriting.rewritten(exchange);
    const answer = isRpc(exchange) ? await this.stage.sendRpc(request) : await this.stage.send(request);
    return { answer, strange: rewriting.strange };
  };
}

/** The client that asked for the first token is the one whose credentials the stage has. */
function credentialsIn(
  exchanges: readonly Exchange[],
  { clientId, clientSecret }: Stage,
): [string, string][] {
  for (const { request } of exchanges) {
    const [id] = request.form?.['client_id'] ?? [];
    const [secret] = request.form?.['client_secret'] ?? [];
    if (id === undefined || request.form?.['grant_type']?.[0] !== 'client_credentials') continue;
    return [[id, clientId], ...(secret === undefined ? [] : [[secret, clientSecret] as [string, string]])];
  }
  return [];
}

/** How far the clock of the service was ahead of the recorder's, in milliseconds. A token says when it was issued. */
function skewIn(exchanges: readonly Exchange[]): number {
  for (const { at, ended, response } of exchanges) {
    const token = isObject(response.json) ? response.json['access_token'] : undefined;
    const claims = typeof token === 'string' ? claimsIn(token)?.claims : undefined;
    if (typeof claims?.['iat'] === 'number')
      return skewOf(claims['iat'] * 1000, Date.parse(at), Date.parse(ended));
  }
  for (const { at, ended, response } of exchanges) {
    const date = Date.parse(String(response.headers['date']));
    if (!Number.isNaN(date)) return skewOf(date, Date.parse(at), Date.parse(ended));
  }
  return 0;
}

/** Times in whole seconds may be nearly a second early. */
const skewOf = (time: number, from: number, to: number) =>
  time > from - 1500 && time < to + 500 ? 0 : time + 500 - from;
