import { isSecret, PLACED_SECRETS } from '@understudy/core/journal/redaction';
import { snakeCase } from '@understudy/core/contract/proto-json';
import { percentDecoded } from '@understudy/text/addresses';
import { isObject, jsonIn } from '@understudy/text/json';
import type { Exchange, RecordedMessage } from '../exchange.ts';
import { encodeJson, JWTS, readJwt, type Jwt } from './jwt.ts';
import { randomPartOf } from './randomness.ts';
import { isUnread } from './scan.ts';
import { StandIns } from './stand-ins.ts';

/** Headers that the contract does not name. */
const SECRET_HEADERS =
  /^(.*authorization|cookie2?|set-cookie2?|.*[-_]?(signature|token|secret|password|api[-_]?key|assertion|jwt))$/;

/** What issuers put before a key, so that it is recognized. */
const MARKED_KEYS =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\w\s\\+/=-]*|\b(whsec_|sk_live_|sk_test_|rk_live_|gh[pousr]_|github_pat_|xox[abeprs]-|glpat-|AKIA|ya29\.)[\w+/=-]{8,}/g;

/** A code for one use in a mail or a message. */
const TOLD_CODES =
  /\b((?:codes?|otp|passcodes?|pin|password)\b[^\d\n]{0,40})(\d{4,8})\b|\b(\d{4,8})(?= is your\b)/gi;
/** `password: hunter2` in a text. A value of letters alone is a word of a sentence. */
const TOLD_SECRETS =
  /\b([a-z_-]{0,40}(?:token|secret|password|passphrase|api[_-]?key|private[_-]?key|otp)["']?\s*[:=]\s*["']?)(?=[^\s"'<>,;]*[\d!@#$%^&*?])([^\s"'<>,;&}]{4,})/gi;
/** A value with its percent-encoding. */
const ENCODED = /(?<![\w.~+*-])[\w.~+*-]*%[0-9a-f]{2}[\w.~+*%-]*/gi;
const BASE64 = /[\w+/-]{16,}={0,2}/g;
const URL_START = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#@]*@)?([^/?#@]*)/i;
/** Encodings in encodings. */
const DEEPEST = 3;

/** Replaces the secrets of exchanges by stand-ins. A secret that has a name in one place is replaced in all places. */
export class Redactor {
  readonly #standIns: StandIns;
  readonly #allowed: ReadonlySet<string>;

  /** `written`: what the recording holds already. `allowed`: members that keep their values. */
  constructor(written = '', allowed: readonly string[] = []) {
    this.#standIns = new StandIns(written);
    this.#allowed = new Set(allowed.map((name) => name.toLowerCase()));
  }

  exchange(exchange: Exchange): Exchange {
    this.#once(exchange); // a secret may stand in a text before the member that names it
    return this.#once(exchange);
  }

  #once({ request, response, ...others }: Exchange): Exchange {
    const { trailers, failed } = response;
    return {
      ...others,
      request: { ...request, ...this.#message(request), path: this.#path(request.path) },
      response: {
        ...response,
        ...this.#message(response),
        ...(trailers && { trailers: this.#headers(trailers) as Record<string, string> }),
        ...(failed !== undefined && { failed: this.text(failed) }),
      },
    };
  }

  #message({ headers, json, form, text, messages }: RecordedMessage): RecordedMessage {
    return {
      headers: this.#headers(headers),
      ...(json !== undefined && { json: this.value(json) }),
      ...(form && { form: this.value(form) as Record<string, string[]> }),
      ...(text !== undefined && { text: this.text(text) }),
      ...(messages && { messages: messages.map((each) => this.value(each)) }),
    };
  }

  /** `name`: the member that holds the value. */
  value(value: unknown, name = '', isSecretBelow = false): unknown {
    if (this.#allowed.has(name.toLowerCase())) return value;
    const hides = isSecretBelow || isSecret(name, value);
    if (typeof value === 'string') return hides ? this.#secret(value, name) : this.text(value);
    if (typeof value === 'number') return hides ? this.#standIns.numberFor(value, nameOf(name)) : value;
    if (Array.isArray(value)) return value.map((each) => this.value(each, name, hides));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([key, member]): [string, unknown] => [
      this.text(key),
      this.value(member, key, hides),
    ]);
    return Object.fromEntries(members);
  }

  text(text: string, depth = 0): string {
    if (text.length < 4) return text;
    const read = depth < DEEPEST ? asJson(text) : undefined;
    if (read !== undefined) return this.#json(text, read);
    let shown = text.replace(MARKED_KEYS, (key) => this.#secret(key, 'key'));
    shown = shown.replace(JWTS, (token) => this.#jwt(token) ?? token);
    for (const pattern of PLACED_SECRETS)
      shown = shown.replace(pattern, (whole: string, before: string) => this.#placed(whole, before));
    shown = shown
      .replace(TOLD_CODES, (_, before = '', after = '', first = '') =>
        first ? this.#secret(first, 'code') : `${before}${this.#secret(after, 'code')}`,
      )
      .replace(
        TOLD_SECRETS,
        (_, before: string, secret: string) => `${before}${this.#secret(secret, 'secret')}`,
      );
    shown = this.#standIns.replaceIn(shown);
    return depth < DEEPEST ? this.#decoded(shown, depth + 1) : shown;
  }

  /** Secrets in the encodings of a text. */
  #decoded(text: string, depth: number): string {
    const unescaped = text.replace(ENCODED, (part) => {
      const plain = fromPercent(part);
      const shown = plain === undefined ? undefined : this.text(plain, depth);
      return shown === undefined || shown === plain ? part : encodeURIComponent(shown);
    });
    return unescaped.replace(BASE64, (part) => {
      const plain = fromBase64(part);
      const isHidden = plain !== undefined && this.#hidesSecret(plain, depth);
      return isHidden ? this.#standIns.for(part, 'encoded') : part;
    });
  }

  /** A text that is JSON itself. Without a secret, it stays as it was written. */
  #json(text: string, read: unknown): string {
    const shown = JSON.stringify(this.value(read));
    return shown === JSON.stringify(read) ? text : shown;
  }

  #hidesSecret(plain: string, depth: number): boolean {
    return this.text(plain, depth) !== plain;
  }

  #placed(whole: string, before: string): string {
    const secret = whole.slice(before.length);
    const [name = 'link'] = /[\w.-]+(?==)/.exec(before) ?? [];
    if (this.#allowed.has(name.toLowerCase())) return whole;
    const plain = fromPercent(secret) ?? secret;
    // An error of OAuth may be named as a code is.
    return `${before}${isSecret(name, plain) || !before.endsWith('=') ? encodeStandIn(this.#secret(plain, name)) : secret}`;
  }

  /** What remains to be read is a token's content, and the place of an address. */
  #secret(secret: string, name: string): string {
    if (secret === '' || /^redacted-[\w.-]+-\d+$/.test(secret)) return secret;
    const jwt = this.#jwt(secret);
    if (jwt !== undefined) return jwt;
    const [, scheme, host] = URL_START.exec(secret) ?? [];
    if (host === undefined) return this.#standIns.for(secret, nameOf(name));
    const [last = ''] = secret.match(/[^/?#=&]+$/) ?? [];
    if (last !== host) this.#standIns.for(last, nameOf(name));
    return `${scheme}${host}/${this.#standIns.for(secret, nameOf(name))}`;
  }

  /** Keeps what can be read, apart from secrets in it. Equal tokens get equal signatures. */
  #jwt(token: string): string | undefined {
    const read = readJwt(token);
    if (read === undefined) return undefined;
    if (read === 'encrypted') return this.#standIns.for(token, 'token');
    return this.#withoutSignature(read);
  }

  #withoutSignature({ claims, signed: [header, payload], signature }: Jwt): string {
    const shown = this.value(claims);
    const isSame = JSON.stringify(shown) === JSON.stringify(claims);
    const fake = signature && Buffer.from(this.#standInOf(signature)).toString('base64url');
    return `${header}.${isSame ? payload : encodeJson(shown)}.${fake}`;
  }

  #standInOf(signature: string): string {
    const plain = Buffer.from(signature, 'base64url').toString();
    return /^redacted-signature-\d+$/.test(plain) ? plain : this.#standIns.for(signature, 'signature');
  }

  #headers(headers: RecordedMessage['headers']): RecordedMessage['headers'] {
    const shown = Object.entries(headers).map(([name, value]): [string, string | string[]] => [
      name,
      Array.isArray(value) ? value.map((each) => this.#header(name, each)) : this.#header(name, value),
    ]);
    return Object.fromEntries(shown);
  }

  #header(name: string, value: string): string {
    if (this.#allowed.has(name)) return value;
    if (/^(set-)?cookie2?$/.test(name)) return this.#cookies(value, name.startsWith('set-'));
    const [, scheme = '', credentials = ''] = /^(basic|bearer|digest|token) +(.*)$/i.exec(value) ?? [];
    if (scheme.toLowerCase() === 'basic') return `${scheme} ${this.#basic(credentials)}`;
    if (scheme !== '' && name.endsWith('authorization'))
      return `${scheme} ${this.#secret(credentials, 'token')}`;
    const isHidden = SECRET_HEADERS.test(name) || isSecret(name.replaceAll('-', '_'), value);
    if (isHidden && !/^(page|next-page)[-_]token$/.test(name)) return this.#secret(value, name);
    const shown = this.text(value);
    return isUnread(name, shown) ? this.#withoutRandom(shown, name) : shown;
  }

  /** Nobody misses what is different in every call. */
  #withoutRandom(text: string, name: string): string {
    let shown = text;
    for (let part = randomPartOf(shown); part !== undefined; part = randomPartOf(shown))
      shown = shown.replaceAll(part, this.#standIns.for(part, nameOf(name)));
    return shown;
  }

  /** The name of the client stays; the secret is the same as in a form. */
  #basic(credentials: string): string {
    const [, client, secret = ''] =
      /^([^:]*):(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
    if (client === undefined) return this.#secret(credentials, 'basic');
    const plain = fromPercent(secret) ?? secret;
    return Buffer.from(`${this.text(client)}:${this.#secret(plain, 'client_secret')}`).toString('base64');
  }

  #cookies(value: string, isSet: boolean): string {
    const pairs = value.split(/; */);
    const shown = pairs.map((pair, i) => {
      const [name = '', ...rest] = pair.split('=');
      const isAttribute = isSet && i > 0;
      if (rest.length === 0 || isAttribute) return pair;
      return `${name}=${encodeStandIn(this.#secret(rest.join('='), name))}`;
    });
    return shown.join('; ');
  }

  /** Parameters are read one by one, because their values are encoded. */
  #path(path: string): string {
    const [place, query] = splitOnce(path, '?');
    const shownPlace = this.text(place);
    if (query === undefined) return shownPlace;
    const pairs = query.split('&').map((pair) => {
      const [name, value] = splitOnce(pair, '=');
      if (value === undefined) return this.text(name);
      const [plainName, plain] = [name, value].map((each) => fromPercent(each.replaceAll('+', ' ')) ?? each);
      const shown = this.value(plain, plainName) as string;
      return shown === plain
        ? `${this.text(name)}=${value}`
        : `${this.text(name)}=${encodeURIComponent(shown)}`;
    });
    return `${shownPlace}?${pairs.join('&')}`;
  }
}

const nameOf = (name: string) => snakeCase(name).replace(/^_/, '') || 'secret';

/** A token that is kept has characters of addresses already. */
const encodeStandIn = (shown: string) => (/^[\w.~-]*$/.test(shown) ? shown : encodeURIComponent(shown));

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Undefined if nothing is encoded, or if the encoding is broken. */
const fromPercent = (text: string) => (text.includes('%') ? percentDecoded(text) : undefined);

/** Undefined for what is no text in base64. */
function fromBase64(part: string): string | undefined {
  const bytes = Buffer.from(part, /[-_]/.test(part) ? 'base64url' : 'base64');
  const text = bytes.toString();
  const isText = Buffer.from(text).equals(bytes) && !/[^\P{C}\n\r\t]/u.test(text);
  return isText && text.length >= 8 ? text : undefined;
}

const asJson = (text: string) => (/^\s*[{[]/.test(text) ? jsonIn(text) : undefined);
