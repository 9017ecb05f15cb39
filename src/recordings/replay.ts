import type { Contract } from '../contract/contract.ts';
import { FAILURES } from '../errors.ts';
import type { AnswerHeaders } from '../text/json.ts';
import { suggest } from '../text/suggestion.ts';
import { isRpc, type Exchange, type RecordedResponse } from './exchange.ts';
import { readRecording } from './recording.ts';

/** A call that no operation has. */
export interface UnknownCall {
  method: string;
  /** With the query. */
  url: string;
}

export interface Replayed {
  /** The folder, as the user has named it. */
  recording: string;
  /** The number of the exchange. */
  exchange: number;
  status: number;
  headers: AnswerHeaders;
  body: unknown;
}

/** Equal calls of a recording, in the order in which they began. */
interface Examples {
  call: PatternCall;
  answers: Replayed[];
}

/** To compare more takes too long. */
const MOST_NAMES = 1000;

/** Answers calls that our contract does not know as a recorded service has answered them. */
export class Replay {
  readonly #examples = new Map<string, Examples>();
  /** How often each call was answered, since the rows of an environment were last replaced. */
  readonly #counts = new WeakMap<object, Map<Examples, number>>();

  /** Throws FileError for a folder that is not a recording. */
  constructor(folders: readonly string[], contract: Contract) {
    for (const folder of folders)
      for (const exchange of readRecording(folder).exchanges)
        if (!isKnown(exchange, contract)) this.#add(folder, exchange);
  }

  /** The next recorded answer, and the last one again and again. `lifetime`: that of the environment's rows. */
  answerTo(call: UnknownCall, lifetime: object): Replayed | undefined {
    const examples = this.#find(call);
    if (!examples) return undefined;
    const counts = this.#counts.get(lifetime) ?? new Map<Examples, number>();
    this.#counts.set(lifetime, counts);
    const count = counts.get(examples) ?? 0;
    counts.set(examples, count + 1);
    return examples.answers[Math.min(count, examples.answers.length - 1)];
  }

  /** For the end of a message: the nearest recorded call. */
  hint({ method, url }: UnknownCall): string {
    const calls = [...this.#examples.values()].slice(0, MOST_NAMES);
    const names = calls.map(({ call }) => `${call.method} ${call.url}`);
    return `, and the recording has no such call${suggest(`${method} ${url}`, names)}`;
  }

  #add(folder: string, exchange: Exchange): void {
    const answer = answerOf(folder, exchange);
    if (!answer) return;
    const { method, path: url } = exchange.request;
    const call = new PatternCall({ method, url });
    const examples = this.#examples.get(call.key) ?? { call, answers: [] };
    this.#examples.set(call.key, examples);
    examples.answers.push(answer);
  }

  #find(call: UnknownCall): Examples | undefined {
    const asked = new PatternCall(call);
    const same = this.#examples.get(asked.key);
    return (
      same ?? [...this.#examples.values()].find((each) => each.call.hasStandIns && each.call.matches(asked))
    );
  }
}

function isKnown(
  { protocol, operation, request: { method, path } }: Exchange,
  { router }: Contract,
): boolean {
  if (protocol === 'webhook') return true; // nothing that the service was asked
  if (isRpc({ protocol })) return operation !== undefined;
  try {
    return Boolean(router.route(method, path.split('?', 1)[0]!));
  } catch {
    return false;
  }
}

const STAND_IN = /redacted-[\w.-]+?-\d+/;

/** A call whose secrets are stand-ins, which fit every value. The order of parameters does not matter. */
class PatternCall {
  readonly method: string;
  readonly url: string;
  readonly key: string;
  readonly hasStandIns: boolean;
  readonly #segments: readonly string[];
  readonly #parameters: readonly string[];

  constructor({ method, url }: UnknownCall) {
    const [place = '', query = ''] = url.split('?');
    const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`);
    this.method = method;
    this.url = url;
    this.#segments = place.split('/');
    this.#parameters = pairs.toSorted();
    this.key = JSON.stringify([method, place, this.#parameters]);
    this.hasStandIns = STAND_IN.test(this.key);
  }

  matches(other: PatternCall): boolean {
    return (
      this.method === other.method &&
      areAlike(this.#segments, other.#segments) &&
      areAlike(this.#parameters, other.#parameters)
    );
  }
}

const areAlike = (recorded: readonly string[], asked: readonly string[]): boolean =>
  recorded.length === asked.length && recorded.every((each, i) => isAlike(each, asked[i]!));

function isAlike(recorded: string, asked: string): boolean {
  const [before = '', ...rest] = recorded.split(STAND_IN);
  const after = rest.at(-1);
  if (after === undefined) return recorded === asked;
  return asked.length > before.length + after.length && asked.startsWith(before) && asked.endsWith(after);
}

/** Undefined for an answer that broke off or whose body is not kept. */
function answerOf(recording: string, exchange: Exchange): Replayed | undefined {
  const { response, n } = exchange;
  if (response.failed !== undefined || response.bytes !== undefined) return undefined;
  const told = { recording, exchange: n };
  const code = isRpc(exchange) ? Number(response.trailers?.['grpc-status'] ?? 0) : 0;
  if (code !== 0)
    return { ...told, status: statusOfCode(code), headers: {}, body: response.json ?? { code } };
  const headers = headersOf(response.headers);
  if (isRpc(exchange)) return { ...told, status: 200, headers, body: response.messages?.[0] ?? {} };
  return { ...told, status: response.status, headers: withType(response, headers), body: bodyOf(response) };
}

const statusOfCode = (code: number): number =>
  Object.values(FAILURES).find(({ grpc }) => grpc === code)?.http ?? FAILURES.internal.http;

/** A JSON text would be sent as it is. */
function bodyOf({ json, form, text }: RecordedResponse): unknown {
  if (typeof json === 'string') return JSON.stringify(json);
  if (!form) return json ?? text;
  const pairs = Object.entries(form).flatMap(([name, values]) => values.map((value) => [name, value]));
  return new URLSearchParams(pairs).toString();
}

/** Those that say how the recorded answer was sent, and those that Understudy writes itself. */
const NOT_REPLAYED =
  /^(content-encoding|content-type|content-length|date|trailer|grpc-.*|connect-.*|understudy-.*|access-control-.*)$/;

const headersOf = (headers: RecordedResponse['headers']): AnswerHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_REPLAYED.test(name)));

/** The media type of an RPC is that of its caller. */
const withType = (
  { headers: { 'content-type': type } }: RecordedResponse,
  headers: AnswerHeaders,
): AnswerHeaders => (type === undefined ? headers : { ...headers, 'content-type': type });
