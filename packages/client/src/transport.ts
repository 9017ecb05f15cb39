import { suggest } from '@understudy/text/suggestion';
import type { CallOptions, Loose } from './types.ts';
import { controlRoutes } from '@understudy/core/contract/control-routes.gen';
import type { ControlId, ControlInput, ControlOutput } from '@understudy/core/contract/types';
import { ConnectionError, failureOf } from './errors.ts';
import { parseDuration, DEFAULT_WAIT } from '@understudy/text/duration';
import type { Duration } from '@understudy/core/contract/name-patterns';

/** The names of all options of a type: a table that lacks one does not compile. */
export type NamesOf<T> = Readonly<Record<keyof T, unknown>>;

/** The options that every call takes. */
export const CALL: NamesOf<CallOptions> = { signal: true, timeout: true };

/**
 * Throws for a misspelt option, which would silently do nothing: plain JavaScript has no compiler to catch
 * it.
 */
export function checkOptions<T extends object>(call: string, options: T, names: NamesOf<T>): void {
  if (!isObject(options))
    throw new TypeError(`${call} takes its options as an object, not ${printed(options)}`);
  const known = Object.keys(names);
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(`${call} has no option ${name}${suggest(name, known) || optionList(known)}`);
}

/** Refuses an argument that is not text, with the signature of the call: JavaScript has no types that would tell. */
export function checkText(signature: string, name: string, value: unknown): void {
  if (typeof value !== 'string')
    throw new TypeError(`${signature} takes ${name} as text, not ${printed(value)}`);
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const printed = (value: unknown) => JSON.stringify(value) ?? typeof value;

const optionList = (known: readonly string[]) => `; its options are ${known.join(', ')}`;

export interface ControlOptions {
  /** The bearer token if UNDERSTUDY_CONTROL_TOKEN is set. */
  token?: string | undefined;
  /** The environment of the calls; `default` if omitted. */
  environment?: string | undefined;
  /** Milliseconds until a call times out: 60 000 if omitted, 0 for no limit. */
  timeout?: number | undefined;
  /** Aborts every call of the client. */
  signal?: AbortSignal | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** The input of a control call. */
type CallInput<K extends ControlId> = {
  [Part in 'path' | 'query' | 'body' | 'headers']?: Loose<ControlInput<K>[Part]>;
};

interface AnyInput {
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A service that starts on a busy machine may take long for its first answer. */
const TIMEOUT = 60_000;
/** The client's timeout of a waiting call is longer than the service's. */
export function timeoutFor(wait: Duration = DEFAULT_WAIT, options: CallOptions = {}): CallOptions {
  const milliseconds = typeof wait === 'number' ? wait : (parseDuration(wait) ?? 0);
  return { timeout: milliseconds + TIMEOUT, ...options };
}

/** Sends calls of the control document and throws their errors. */
export class Transport {
  readonly url: string;
  readonly options: ControlOptions;

  constructor(url: string, options: ControlOptions) {
    this.url = url.replace(/\/+$/, '');
    this.options = options;
  }

  of(environment: string): Transport {
    return new Transport(this.url, { ...this.options, environment });
  }

  async call<K extends ControlId>(
    id: K,
    given: CallInput<K> = {},
    options: CallOptions = {},
  ): Promise<ControlOutput<K>> {
    const response = await this.open(id, given, options);
    const isJson = response.headers.get('content-type')?.includes('json');
    const output = response.status === 204 ? undefined : isJson ? response.json() : response.text();
    return (await output) as ControlOutput<K>;
  }

  /** Returns the response before its body is read. */
  async open<K extends ControlId>(
    id: K,
    given: CallInput<K> = {},
    options: CallOptions = {},
  ): Promise<Response> {
    const { method } = controlRoutes[id];
    const url = this.#address(id, given as AnyInput);
    checkOptions(`${method} ${url}`, options, CALL);
    const response = await this.#send(method, url, given as AnyInput, options);
    if (!response.ok) throw await failureOf({ method, url, status: response.status }, response);
    return response;
  }

  #address(id: ControlId, { path = {}, query = {} }: AnyInput): string {
    const { environment } = this.options;
    const route = controlRoutes[id];
    const env = route.ofEnvironment && environment !== undefined ? `/environments/${environment}` : '';
    const values = path as Record<string, unknown>;
    const filled = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? '';
      checkText(`the call of ${route.method} ${route.path}`, name, value);
      return encodeURIComponent(value as string);
    });
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    const asked = search.size > 0 ? `?${search.toString()}` : '';
    const base = filled.startsWith('/_control/') ? '' : `/_control/v1${env}`;
    return `${this.url}${base}${filled}${asked}`;
  }

  async #send(
    method: string,
    url: string,
    { body, headers: more }: Pick<AnyInput, 'body' | 'headers'>,
    options: CallOptions,
  ): Promise<Response> {
    const {
      token,
      fetch = globalThis.fetch,
      timeout = TIMEOUT,
    } = { ...this.options, ...definedOptions(options) };
    const type = typeof body === 'string' ? 'application/yaml' : 'application/json';
    const headers = {
      ...more,
      ...(body !== undefined && { 'content-type': type }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const callers = [this.options.signal, options.signal].filter((signal) => signal !== undefined);
    const signal = AbortSignal.any(timeout > 0 ? [...callers, AbortSignal.timeout(timeout)] : callers);
    try {
      return await fetch(url, { method, headers, signal, ...(text && { body: text }) });
    } catch (thrown) {
      // An abort by the caller stays the caller's own error.
      throw callers.some(({ aborted }) => aborted)
        ? thrown
        : connectionErrorOf(`${method} ${url}`, thrown, timeout);
    }
  }
}

/** An undefined option counts as missing. */
const definedOptions = (options: CallOptions): CallOptions =>
  options.timeout === undefined ? {} : { timeout: options.timeout };

function connectionErrorOf(call: string, thrown: unknown, timeout: number): ConnectionError {
  const { name, cause } = thrown as Error & { cause?: Error & { code?: string } };
  const reason =
    name === 'TimeoutError'
      ? `no answer within ${timeout} ms`
      : cause?.message || cause?.code || (thrown as Error).message;
  return new ConnectionError(`${call}: ${reason}`, { cause: thrown });
}
