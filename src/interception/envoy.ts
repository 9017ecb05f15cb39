import type { Allowed } from '../outgoing/allowed.ts';
import type { Answered } from '../outgoing/post.ts';
import { signatureHeaders } from '../outgoing/sign.ts';
import { machineTime } from '../world/clock.ts';
import type { Question } from '../world/question.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Occasion } from './interception.ts';
import { send, type Circumstances } from './send.ts';
import { Unheard } from './unheard.ts';

export interface Means {
  /** Whom it may call. */
  allowed: Allowed;
  tokens: AccessTokens;
}

/** Goes to one interceptor with one question. */
export class Envoy {
  readonly body: Question['body'];
  /** The body as it is sent. */
  readonly text: string;
  /** Those of the latest attempt. */
  headers: Readonly<Record<string, string>> = {};
  readonly #interceptor: Question['interceptor'];
  readonly #id: string;
  readonly #means: Means;

  /** `id`: of the message. */
  constructor({ interceptor, body }: Question, id: string, means: Means) {
    this.#interceptor = interceptor;
    this.#id = id;
    this.#means = means;
    this.body = body;
    this.text = JSON.stringify(body);
  }

  /** The whole answer, whatever it is; throws `Unheard` where there is none in time. */
  async go({ environment, era, signal: pointless }: Occasion): Promise<Answered> {
    const { timeout_ms: milliseconds, config } = this.#interceptor;
    const patience = { milliseconds, signal: AbortSignal.timeout(milliseconds) };
    const signal = AbortSignal.any([pointless, patience.signal]);
    const circumstances = { environment, era, patience, signal, allowed: this.#means.allowed };
    const { auth_config_type: type, api_key, oauth2 } = config?.auth_config ?? {};
    if (type === 'OAUTH2' && oauth2) return this.#withToken(oauth2, circumstances);
    const key = type === 'API_KEY' && api_key ? { [api_key.header_name]: api_key.api_key } : {};
    return this.#send(key, circumstances);
  }

  /** A token that is refused may have been revoked before its time: the next one counts. */
  async #withToken(oauth2: Parameters<AccessTokens['get']>[0], circumstances: Circumstances) {
    const { token, known } = await this.#means.tokens.get(oauth2, circumstances);
    const answered = await this.#send(bearer(token), circumstances);
    if (answered.status !== 401 || !known) return answered;
    const fresh = await this.#means.tokens.fetch(oauth2, circumstances);
    return this.#send(bearer(fresh.token), circumstances);
  }

  #send(proof: Record<string, string>, circumstances: Circumstances): Promise<Answered> {
    const { api_url: url, secret } = this.#interceptor;
    if (!url) throw new Unheard('API_URL_MISSING', `interceptor ${this.#interceptor.id} has no api_url`);
    const message = { id: this.#id, time: machineTime(), body: this.text };
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      // The SDKs differ in which ones they read (reference: accounts-connections-events 6.4).
      ...signatureHeaders('interceptor', message, [secret]),
      ...signatureHeaders('webhook', message, [secret]),
      ...proof,
    };
    return send({ url, headers: this.headers, body: this.text }, circumstances);
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
