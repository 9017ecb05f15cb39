import type { Era } from '../environments/news.ts';
import { isObject } from '../json-object.ts';
import type { Rows } from '../world/schema.ts';
import { parse, send, type Circumstances } from './send.ts';
import { Unheard } from './unheard.ts';

type AuthConfig = NonNullable<NonNullable<Rows['interceptors']['config']>['auth_config']>;
export type OAuth2 = NonNullable<AuthConfig['oauth2']>;

interface Token {
  text: string;
  /** Milliseconds on the environment's clock; absent: good until it is refused. */
  until: number | undefined;
}

/** Tokens for interceptors that want one (RFC 6749 4.4), kept until they expire or the environment is put back. */
export class AccessTokens {
  readonly #tokens = new WeakMap<Era, Map<string, Token>>();

  /** `known`: it was there already, and may have been revoked. */
  async get(config: OAuth2, circumstances: Circumstances): Promise<{ token: string; known: boolean }> {
    const { environment } = circumstances;
    const kept = this.#of(circumstances).get(keyOf(config));
    const isGood = kept && (kept.until === undefined || kept.until > environment.clock.now());
    return isGood ? { token: kept.text, known: true } : this.fetch(config, circumstances);
  }

  async fetch(config: OAuth2, circumstances: Circumstances): Promise<{ token: string; known: boolean }> {
    const token = await fetchToken(config, circumstances);
    this.#of(circumstances).set(keyOf(config), token);
    return { token: token.text, known: false };
  }

  #of({ era }: Circumstances): Map<string, Token> {
    const tokens = this.#tokens.get(era) ?? new Map<string, Token>();
    this.#tokens.set(era, tokens);
    return tokens;
  }
}

const keyOf = (config: OAuth2) => JSON.stringify(config);

/** Unverified: the service does not say how it proves itself there; the form is what every server takes. */
async function fetchToken(config: OAuth2, circumstances: Circumstances): Promise<Token> {
  const { token_url: url, client_id, client_secret, scope } = config;
  const form = { grant_type: 'client_credentials', client_id, client_secret, ...(scope && { scope }) };
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const letter = { url, headers, body: new URLSearchParams(form).toString() };
  const { status, text } = await send(letter, circumstances);
  const answer = status === 200 ? parse(text) : undefined;
  const { access_token, expires_in } = isObject(answer) ? answer : {};
  if (typeof access_token !== 'string' || !TOKEN.test(access_token))
    throw new Unheard('NO_TOKEN', `${url} answered ${status} and gave no access token`);
  const seconds = Number(expires_in ?? NaN);
  return {
    text: access_token,
    until: Number.isFinite(seconds) ? circumstances.environment.clock.now() + seconds * 1000 : undefined,
  };
}

/** What a header may hold (RFC 6750 2.1, and a little more). */
const TOKEN = /^[\x21-\x7e]+$/;
