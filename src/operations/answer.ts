import type { Env } from '../environment/env.ts';
import { failedPrecondition } from '../errors.ts';
import { render, type Sheet } from '../pages/page.ts';
import { isScript } from '../text/addresses.ts';
import type { AnswerHeaders } from '../text/json.ts';

/** An answer that is more than the body of the operation's success: it says its status and headers itself. */
export class Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: unknown;

  constructor(status: number, headers: AnswerHeaders, body?: unknown) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Someone else's answer, to be handed on as it is: an operation that the document says is open may give one. */
export class Passthrough extends Answer {}

interface RedirectOptions {
  /** 302 answers a GET, 303 a form that was sent. */
  status?: 302 | 303;
  /** Whole `Set-Cookie` values. */
  cookies?: string[];
  /** Tokens to be signed (`Env.token`), by the query parameter that they are sent in. */
  tokens?: Readonly<Record<string, string>>;
}

/** Sends the browser on. Throws for an address that runs a script: rows may have any. */
export class Redirect extends Answer {
  readonly tokens: Readonly<Record<string, string>>;

  constructor(location: string, { status = 302, cookies = [], tokens = {} }: RedirectOptions = {}) {
    if (isScript(location)) throw failedPrecondition('no browser is sent to an address that runs a script');
    const headers = {
      location: sendable(location),
      'cache-control': 'no-store',
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    };
    super(status, headers);
    this.tokens = tokens;
  }
}

/** What a header can not hold is percent-encoded, as browsers do. */
const sendable = (address: string): string =>
  address.replace(/[^!-~]+/g, (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

/** The address with further query parameters; those that are undefined are left out. */
export function withQuery(address: string, added: Readonly<Record<string, string | undefined>>): string {
  const [, before = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(address) ?? [];
  const given = Object.entries(added).filter((pair): pair is [string, string] => pair[1] !== undefined);
  if (given.length === 0) return address;
  const query = given
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return `${before}${before.includes('?') ? '&' : '?'}${query}${fragment}`;
}

interface PageOptions {
  status?: number;
  /** Whole `Set-Cookie` values. */
  cookies?: string[];
}

/** A hosted page as the answer of an operation. */
export function showPage(sheet: Sheet, { status = 200, cookies = [] }: PageOptions = {}): Answer {
  const { headers, markup } = render(sheet);
  return new Answer(status, { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) }, markup);
}

/** Who may show the portal in a frame: the sites that some client of the environment sends its users back to. */
export const framers = (env: Env): string[] =>
  env.clients
    .list()
    .flatMap(({ post_login_uris = [], post_logout_redirect_uris = [] }) => [
      ...post_login_uris,
      ...post_logout_redirect_uris,
    ]);
