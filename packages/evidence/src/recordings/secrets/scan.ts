import { SECRET_FIELDS } from '@understudy/core/contract/secret-fields.gen';
import { snakeCase } from '@understudy/core/contract/proto-json';
import { percentDecoded } from '@understudy/text/addresses';
import { isObject } from '@understudy/text/json';
import type { Exchange, RecordedMessage } from '../exchange.ts';
import { JWTS, readJwt } from './jwt.ts';
import { isIdOfOthers, randomPartOf } from './randomness.ts';

/** Something that looks like a secret and has no name of one. */
export interface Find {
  /** A JSON pointer into the exchange. */
  pointer: string;
  /** The member, header or parameter whose value it is. */
  field: string;
  /** Characters. */
  length: number;
}

/** Members that hold random values which are no secrets, besides those that the contract marks so. */
const HARMLESS = new Set([
  ...SECRET_FIELDS.harmless,
  ...'state nonce kid jti sid sub aud iss at_hash c_hash s_hash x5c x5t x5t#s256 etag if-none-match if-match'.split(
    ' ',
  ),
  ...'traceparent tracestate baggage b3 user-agent content-security-policy report-to reporting-endpoints nel'.split(
    ' ',
  ),
  ...'certificate certificates idp_certificate public_key logo_url picture favicon icon_src boundary'.split(
    ' ',
  ),
]);

/** Headers of proxies and of tracing. */
const OF_THE_WAY =
  /^(cf-|x-amz|x-amzn-|x-envoy-|x-cloud-|x-b3-|x-datadog-|sec-|access-control-|accept|content-type$|via$|alt-svc$|server$|server-timing$)|(^|[-_])(request|trace|correlation|span|message|event)[-_]?id$/;

const IDS = /(^|[_-])(ids?|uuid)$/;
/** Members of a public key, beside `kty`. */
const OF_A_KEY: readonly string[] = ['n', 'e', 'x', 'y'];

/** Whether values of this name are not looked at, because they are random in every call. */
const isRandomAnyway = (name: string) => HARMLESS.has(name) || OF_THE_WAY.test(name);

/** Whether a header is not looked at, and its value is no id of a usual form. */
export const isUnread = (header: string, value: string): boolean =>
  isRandomAnyway(header) && !(IDS.test(header) && isIdOfOthers(value));

/** What is left of secrets in a redacted exchange. `allowed`: fields that may look like one. */
export function findSecrets(exchange: Exchange, allowed: readonly string[] = []): Find[] {
  const scan = new Scan(allowed);
  scan.message(exchange.request, '/request');
  scan.path(exchange.request.path, '/request/path');
  scan.message(exchange.response, '/response');
  scan.value(exchange.response.trailers, '/response/trailers', 'trailers');
  scan.value(exchange.response.failed, '/response/failed', 'failed');
  return scan.finds;
}

class Scan {
  readonly finds: Find[] = [];
  readonly #allowed: ReadonlySet<string>;

  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed.map((name) => name.toLowerCase()));
  }

  message({ headers, json, form, text, messages }: RecordedMessage, at: string): void {
    this.value(headers, `${at}/headers`, 'headers');
    this.value(json, `${at}/json`, 'json');
    this.value(form, `${at}/form`, 'form');
    this.value(text, `${at}/text`, 'text');
    this.value(messages, `${at}/messages`, 'messages');
  }

  path(path: string, at: string): void {
    const [place = '', query = ''] = path.split('?');
    this.value(percentDecoded(place) ?? place, at, 'path');
    for (const [name, value] of new URLSearchParams(query)) {
      this.#name(name, at);
      this.value(value, `${at}?${name}`, name);
    }
  }

  value(value: unknown, at: string, field: string): void {
    if (typeof value === 'string') return this.#text(value, at, field);
    if (Array.isArray(value)) return value.forEach((each, i) => this.value(each, `${at}/${i}`, field));
    if (!isObject(value)) return;
    const isKey = typeof value['kty'] === 'string';
    for (const [name, member] of Object.entries(value)) {
      this.#name(name, at);
      if (isKey && OF_A_KEY.includes(name)) continue;
      this.value(member, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, name);
    }
  }

  #name(name: string, at: string): void {
    if (randomPartOf(name) !== undefined && !isIdOfOthers(name)) this.#add(name, `${at} (a name)`, 'names');
  }

  #text(text: string, at: string, field: string): void {
    const names = [field.toLowerCase(), snakeCase(field)];
    if (names.some((name) => isRandomAnyway(name) || this.#allowed.has(name))) return;
    // The redactor replaces the secret in the encoding.
    if (field.toLowerCase().endsWith('authorization') && /^basic /i.test(text)) return;
    if (IDS.test(names[1]!) && isIdOfOthers(text)) return;
    const left = text.replace(JWTS, (token) => this.#token(token, at)).replace(STAND_INS, '');
    const found = randomPartOf(percentDecoded(left) ?? left);
    if (found !== undefined) this.#add(found, at, field);
  }

  /** A token's claims are read like members. Its signature is a stand-in. */
  #token(token: string, at: string): string {
    const read = readJwt(token);
    if (!read || read === 'encrypted') return token;
    this.value(read.header, `${at}/(header)`, 'header');
    this.value(read.claims, `${at}/(claims)`, 'claims');
    return '';
  }

  #add(found: string, pointer: string, field: string): void {
    if (this.#allowed.has(field.toLowerCase())) return;
    const steps = pointer.split('/').map((step) => (randomPartOf(step) === undefined ? step : '{value}'));
    const named = randomPartOf(field) === undefined ? field : 'names';
    this.finds.push({ pointer: steps.join('/'), field: named, length: found.length });
  }
}

const STAND_INS = /redacted-[\w.-]+?-\d+/g;
