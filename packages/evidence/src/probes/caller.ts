import { memberOf } from '@understudy/core/scenarios/condition';
import { jsonOrText } from '@understudy/text/json';

/** The service that is asked, and how gently. */
export interface Service {
  /** Without a slash at the end. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** Milliseconds between two calls. */
  pace: number;
  /** The most calls that a run may make, without those that clean up. */
  limit: number;
  /** How often a call without an answer is made again. Absent: never. */
  patience?: number;
  /** Stops the run. */
  signal: AbortSignal;
  fetch: (address: URL, init: RequestInit) => Promise<Response>;
  wait: (milliseconds: number) => Promise<void>;
}

export interface Call {
  /** Such as `POST /api/v1/organizations`. */
  call?: string;
  /** Instead of `call`: a method of gRPC, such as `scalekit.v1.roles.RolesService/DeleteRole`. */
  rpc?: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Sent as JSON, or as the message of an RPC. */
  body?: unknown;
  /** Sent as a form. */
  form?: Record<string, string>;
  /** `none`, or a token. Without it, the token of the client. */
  token?: string;
}

interface CallOptions {
  /** The call counts neither against the limit nor stops with the run. */
  isCleanUp?: boolean;
  /** Answers that ask for patience are answers too. */
  isQuestion?: boolean;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** The call could not be made, or has no answer that the run can go on with. */
export class Obstacle extends Error {}

/** The call was made and has no answer, so that nobody knows what it has done. */
export class Unanswered extends Obstacle {}

const MOST_TRIES = 4;
/** Of a Retry-After header, in seconds. */
const LONGEST_WAIT = 60;
/** A call without an answer after this time, in milliseconds, has failed. */
const LONGEST_CALL = 60_000;

/** Calls a service at its pace. Waits and tries again when the service asks for that. */
export class Caller {
  readonly #service: Service;
  #token: string | undefined;
  #count = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  async token({ isCleanUp = false }: CallOptions = {}): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    const { clientId: client_id, clientSecret: client_secret } = this.#service;
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const request = { call: 'POST /oauth/token', form, token: 'none' };
    const { status, body } = await this.call(request, { isCleanUp });
    const token = memberOf(body, 'access_token');
    if (typeof token !== 'string') throw new Obstacle(`POST /oauth/token answered ${status} without a token`);
    return (this.#token = token);
  }

  async call(call: Call, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.#patiently(call, options);
    const isExpired = answer.status === 401 && call.token === undefined && !options.isQuestion;
    if (!isExpired) return answer;
    // A long run outlives its token.
    this.#token = undefined;
    return this.#patiently(call, options);
  }

  async #patiently(call: Call, { isCleanUp = false, isQuestion = false }: CallOptions): Promise<Answer> {
    const { pace, patience = 0 } = this.#service;
    const token = call.token === 'none' ? undefined : (call.token ?? (await this.token({ isCleanUp })));
    const wait = (milliseconds: number) => this.#wait(milliseconds, isCleanUp);
    for (let attempt = 1; ; attempt++) {
      if (pace > 0) await wait(pace);
      if (!isCleanUp) this.#countOne();
      const answer = await this.#send(call, token).catch((thrown: unknown) => unanswered(call, thrown));
      const isFailure = answer instanceof Obstacle || answer.status >= 502;
      if (isFailure && attempt <= patience) await wait(1000 * 2 ** (attempt - 1));
      else if (answer instanceof Obstacle) throw answer;
      else if (answer.status !== 429 || attempt >= MOST_TRIES || isQuestion) return answer;
      else await wait(1000 * Math.min(Number(answer.headers['retry-after']) || attempt, LONGEST_WAIT));
    }
  }

  /** A stop ends the wait, except when it is cleaned up. */
  async #wait(milliseconds: number, isCleanUp: boolean): Promise<void> {
    const { signal, wait } = this.#service;
    const waited = wait(milliseconds);
    if (isCleanUp || signal.aborted) return isCleanUp ? waited : undefined;
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    signal.addEventListener('abort', stop, { once: true });
    await Promise.race([waited, stopped]);
    signal.removeEventListener('abort', stop);
  }

  #countOne(): void {
    const { limit, signal } = this.#service;
    if (signal.aborted) throw new Obstacle('the run was stopped');
    if (this.#count >= limit) throw new Obstacle(`the run may make ${limit} calls`);
    this.#count++;
  }

  async #send(call: Call, token: string | undefined): Promise<Answer> {
    if (call.rpc !== undefined) return this.#sendRpc(call, token);
    const { url, fetch } = this.#service;
    const [method = 'GET', path = '/'] = nameOf(call).split(' ');
    const address = addressOf(url, path);
    for (const [name, value] of Object.entries(call.query ?? {}))
      for (const each of [value].flat()) address.searchParams.append(name, String(each));
    const response = await fetch(address, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(LONGEST_CALL),
      headers: {
        accept: 'application/json',
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...call.headers,
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      ...(call.form && { body: new URLSearchParams(call.form) }),
    });
    const text = await response.text();
    const body = text === '' ? undefined : jsonOrText(text);
    return { status: response.status, headers: headersOf(response), body };
  }

  /** What gRPC needs is loaded with the first call that needs it. */
  async #sendRpc({ rpc = '', body, headers }: Call, token: string | undefined): Promise<Answer> {
    const { callRpc } = await import('../rpc/rpc.ts');
    const signal = AbortSignal.timeout(LONGEST_CALL);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return callRpc(this.#service.url, { rpc, body, headers: { ...authorization, ...headers }, signal });
  }
}

/** A path may be a whole address that the service has given, such as that of a link. */
function addressOf(service: string, path: string): URL {
  if (path.startsWith('/')) return new URL(`${service}${path}`);
  if (URL.canParse(path) && new URL(path).origin === new URL(service).origin) return new URL(path);
  throw new Obstacle(`${path} is no address of the service`);
}

/** `cookies` has what a browser would send in its next call. */
function headersOf({ headers }: Response): Record<string, string> {
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]!);
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { cookies: cookies.join('; ') }) };
}

/** The method and the path, or the method of gRPC. */
export const nameOf = ({ call, rpc }: Pick<Call, 'call' | 'rpc'>): string => call ?? rpc ?? '';

/** The message of `fetch` says only that it failed; its cause says why. */
function unanswered(call: Call, thrown: unknown): Obstacle {
  if (thrown instanceof Obstacle) throw thrown;
  const { message, cause } = thrown as Error;
  const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message;
  return new Unanswered(`${nameOf(call)} had no answer: ${why}`);
}
