import type { StateLifetime } from '../journal/activity.ts';
import type { Environment } from '../environment/environment.ts';
import type { InterceptorFailure, InterceptorReply } from '../state/interceptor-invocation.ts';
import { HostRefused, type AllowedHosts } from '../webhooks/allowed-hosts.ts';
import { sendOnce, type HttpAnswer, type HttpRequest } from '../webhooks/http-client.ts';
import type { Rows } from '../state/env.ts';
import { isObject } from '@understudy/text/json';

/** Largest answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 65_536;

export interface SendOptions {
  environment: Environment;
  lifetime: StateLifetime;
  allowed: AllowedHosts;
  timeout: Timeout;
  /** Aborts the call. */
  signal: AbortSignal;
}

/** Sends one request. Throws `InterceptorCallError` if there is no answer, or if it is too large. */
export async function send(
  request: Pick<HttpRequest, 'url' | 'headers' | 'body'>,
  { allowed, signal, timeout }: SendOptions,
): Promise<HttpAnswer> {
  const { url } = request;
  const answer = await sendOnce({ ...request, allowed, signal, maxBytes: MAX_ANSWER_BYTES }).catch(
    (thrown: NetworkError) => {
      if (thrown instanceof HostRefused)
        throw new InterceptorCallError('ADDRESS_REFUSED', `${url}: ${thrown.message}`);
      if (timeout.signal.aborted)
        throw new InterceptorCallError('TIMEOUT', `${url} did not answer within ${timeout.milliseconds} ms`);
      throw new InterceptorCallError(
        'UNREACHABLE',
        `${url} cannot be reached: ${thrown.message || (thrown.code ?? '')}`,
      );
    },
  );
  const { status, isCut } = answer;
  if (isCut)
    throw new InterceptorCallError('TOO_LARGE', `${url} answered more than ${MAX_ANSWER_BYTES} bytes`, {
      status,
    });
  return answer;
}

/** A limit in real time. */
interface Timeout {
  milliseconds: number;
  signal: AbortSignal;
}

type NetworkError = Error & { code?: string };

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The call to the interceptor failed, or its answer is invalid. */
export class InterceptorCallError extends Error {
  readonly code: string;
  readonly details: Pick<InterceptorReply, 'status' | 'answer'> & Pick<InterceptorFailure, 'violations'>;

  constructor(code: string, message: string, parts: InterceptorCallError['details'] = {}) {
    super(message);
    this.code = code;
    this.details = parts;
  }
}

type AuthConfig = NonNullable<NonNullable<Rows['interceptors']['config']>['auth_config']>;
type OAuth2 = NonNullable<AuthConfig['oauth2']>;

interface Token {
  text: string;
  /** Milliseconds on the environment's clock; undefined: valid until the interceptor refuses the token. */
  until: number | undefined;
}

/** Caches OAuth 2.0 client credentials tokens (RFC 6749 4.4) until they expire or the environment is reset. */
export class AccessTokens {
  readonly #tokens = new WeakMap<StateLifetime, Map<string, Token>>();

  /** `known`: the token comes from the cache and may have been revoked. */
  async get(config: OAuth2, options: SendOptions): Promise<{ token: string; known: boolean }> {
    const { environment } = options;
    const cached = this.#of(options).get(keyOf(config));
    const isValid = cached && (cached.until === undefined || cached.until > environment.clock.now());
    return isValid ? { token: cached.text, known: true } : this.fetch(config, options);
  }

  async fetch(config: OAuth2, options: SendOptions): Promise<{ token: string; known: boolean }> {
    const token = await fetchToken(config, options);
    this.#of(options).set(keyOf(config), token);
    return { token: token.text, known: false };
  }

  #of({ lifetime }: SendOptions): Map<string, Token> {
    const tokens = this.#tokens.get(lifetime) ?? new Map<string, Token>();
    this.#tokens.set(lifetime, tokens);
    return tokens;
  }
}

const keyOf = (config: OAuth2) => JSON.stringify(config);

/**
 * Unverified (interceptors/oauth-credentials): the service does not document how it authenticates; every OAuth server
 * accepts the form.
 */
async function fetchToken(config: OAuth2, options: SendOptions): Promise<Token> {
  const { token_url: url, client_id, client_secret, scope } = config;
  const form = { grant_type: 'client_credentials', client_id, client_secret, ...(scope && { scope }) };
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const request = { url, headers, body: new URLSearchParams(form).toString() };
  const { status, text } = await send(request, options);
  const answer = status === 200 ? parseJson(text) : undefined;
  const { access_token, expires_in } = isObject(answer) ? answer : {};
  if (typeof access_token !== 'string' || !TOKEN.test(access_token))
    throw new InterceptorCallError('NO_TOKEN', `${url} answered ${status} and gave no access token`);
  const seconds = Number(expires_in ?? NaN);
  return {
    text: access_token,
    until: Number.isFinite(seconds) ? options.environment.clock.now() + seconds * 1000 : undefined,
  };
}

/** A superset of the characters of RFC 6750 2.1. */
const TOKEN = /^[\x21-\x7e]+$/;
