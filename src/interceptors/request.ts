import type { StateLifetime } from '../journal/activity.ts';
import { machineTime } from '../state/clock.ts';
import type { Environment } from '../environment/environment.ts';
import type { InterceptorInvocation } from '../state/interceptor-invocation.ts';
import type { AllowedHosts } from '../webhooks/allowed-hosts.ts';
import type { HttpAnswer } from '../webhooks/http-client.ts';
import { signatureHeaders } from '../webhooks/endpoints.ts';
import { type AccessTokens, send, InterceptorCallError, type SendOptions } from './http-call.ts';

interface InterceptorRequestContext {
  allowed: AllowedHosts;
  tokens: AccessTokens;
}

/** One request to one interceptor. */
export class InterceptorRequest {
  readonly body: InterceptorInvocation['body'];
  readonly text: string;
  /** The headers of the latest attempt. */
  headers: Readonly<Record<string, string>> = {};
  readonly #interceptor: InterceptorInvocation['interceptor'];
  readonly #id: string;
  readonly #context: InterceptorRequestContext;

  /** `id`: the message id. */
  constructor({ interceptor, body }: InterceptorInvocation, id: string, context: InterceptorRequestContext) {
    this.#interceptor = interceptor;
    this.#id = id;
    this.#context = context;
    this.body = body;
    this.text = JSON.stringify(body);
  }

  /** Returns the answer with any status; throws `InterceptorCallError` if there is no answer in time. */
  async send({ environment, lifetime, signal: useless }: InterceptorContext): Promise<HttpAnswer> {
    const { timeout_ms: milliseconds, config } = this.#interceptor;
    const timeout = { milliseconds, signal: AbortSignal.timeout(milliseconds) };
    const signal = AbortSignal.any([useless, timeout.signal]);
    const options = { environment, lifetime, timeout, signal, allowed: this.#context.allowed };
    const { auth_config_type: type, api_key, oauth2 } = config?.auth_config ?? {};
    if (type === 'OAUTH2' && oauth2) return this.#withToken(oauth2, options);
    const key = type === 'API_KEY' && api_key ? { [api_key.header_name]: api_key.api_key } : {};
    return this.#send(key, options);
  }

  /** A known token may have been revoked before it expired, so a 401 fetches a new one and tries once more. */
  async #withToken(oauth2: Parameters<AccessTokens['get']>[0], options: SendOptions) {
    const { token, known } = await this.#context.tokens.get(oauth2, options);
    const answered = await this.#send(bearer(token), options);
    if (answered.status !== 401 || !known) return answered;
    const fresh = await this.#context.tokens.fetch(oauth2, options);
    return this.#send(bearer(fresh.token), options);
  }

  #send(proof: Record<string, string>, options: SendOptions): Promise<HttpAnswer> {
    const { api_url: url, secret } = this.#interceptor;
    if (!url)
      throw new InterceptorCallError('API_URL_MISSING', `interceptor ${this.#interceptor.id} has no api_url`);
    const message = { id: this.#id, time: machineTime(), body: this.text };
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      // The Node and Java SDKs read only `interceptor-*`, the Go SDK reads only `webhook-*`.
      ...signatureHeaders('interceptor', message, [secret]),
      ...signatureHeaders('webhook', message, [secret]),
      ...proof,
    };
    return send({ url, headers: this.headers, body: this.text }, options);
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export interface InterceptorContext {
  environment: Environment;
  lifetime: StateLifetime;
  /** Unique for each invocation in the environment. */
  id: string;
  /** Aborts when nobody needs the answer. */
  signal: AbortSignal;
}
