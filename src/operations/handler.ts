import type { Input, OperationId, Output } from '../contract/types.ts';
import type { Env } from '../state/env.ts';
import { failedPrecondition, type ApiError } from '../contract/errors.ts';
import { render, type PageContent } from '../pages/page.ts';
import { isScript } from '@understudy/text/addresses';
import type { AnswerHeaders } from '@understudy/text/json';

/**
 * The function of one operation. It reads only its input and the environment and changes only the
 * environment. It returns a `CustomReply` for a page, a redirect or a third party's reply.
 */
export type Handler<K extends OperationId> = (input: Input<K>, env: Env) => Output<K> | CustomReply;

export type Operations = { [K in OperationId]: Handler<K> };

/** An operation's reply with its own status and headers, such as a page or a redirect. */
export class CustomReply {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: unknown;
  /** The refusal that the page shows, for the journal. */
  refusal: ApiError | undefined;

  constructor(status: number, headers: AnswerHeaders, body?: unknown) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/**
 * A third party's reply, passed on unchanged. Only operations with an open response in the document may
 * return one.
 */
export class Passthrough extends CustomReply {}

/** An answer in JSON with headers of its own, such as an entity tag. It must fit the contract, as any other answer. */
export class Answer extends CustomReply {
  /** What the journal says about the call. */
  readonly note: string | undefined;

  constructor(status: number, headers: AnswerHeaders, body?: unknown, note?: string) {
    super(status, headers, body);
    this.note = note;
  }
}

interface RedirectOptions {
  /** 302 after a GET, 303 after a submitted form. */
  status?: 302 | 303;
  /** Values of `Set-Cookie` headers, each with its attributes. */
  cookies?: string[];
  /** Tokens that the address gets as query parameters, by the name of the parameter. The pipeline signs them. */
  tokens?: Readonly<Record<string, string>>;
}

/** A redirect. Throws for an address that runs a script, because rows may hold any address. */
export class Redirect extends CustomReply {
  readonly tokens: Readonly<Record<string, string>>;

  constructor(location: string, { status = 302, cookies = [], tokens = {} }: RedirectOptions = {}) {
    if (isScript(location))
      throw failedPrecondition('a redirect must not lead to an address that runs a script');
    const headers = {
      location: sendable(location),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    };
    super(status, headers);
    this.tokens = tokens;
  }
}

/** Percent-encodes characters that a header cannot hold, as browsers do. */
const sendable = (address: string): string =>
  address.replace(/[^!-~]+/g, (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

/** Adds query parameters to an address; undefined ones are left out. */
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
  /** Values of `Set-Cookie` headers, each with its attributes. */
  cookies?: string[];
}

export function showPage(sheet: PageContent, { status = 200, cookies = [] }: PageOptions = {}): CustomReply {
  const { headers, markup } = render(sheet);
  return new CustomReply(
    status,
    { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    markup,
  );
}

/**
 * The sites that may show the portal in a frame: those of the redirect URIs of the environment's clients. Clients of
 * protected resources do not count, because anybody can register one.
 */
export const framers = (env: Env): string[] =>
  env.clients
    .list('client_type', 'ALL')
    .flatMap(({ post_login_uris = [], post_logout_redirect_uris = [] }) => [
      ...post_login_uris,
      ...post_logout_redirect_uris,
    ]);
