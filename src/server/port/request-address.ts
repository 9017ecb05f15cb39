import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http2';
import { ApiError, invalidArgument } from '../../errors.ts';
import { canonicalHost } from '../address.ts';
import { refuse } from '../sending.ts';

/** A target in absolute form, as clients of proxies send it: scheme, authority, path with query. */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)$/i;
const HOST = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i;
const MOST_KNOWN = 1000;

/** Refuses a request whose host is missing, malformed or ambiguous. */
export const checkTarget: RequestHandler = (request, response, next) => {
  const flaw = normalizeAddress(request);
  if (flaw) refuse(request, response, flaw);
  else next();
};

/** Splits an absolute target into path and `Host`. Returns the error if the address of an HTTP/1.1 request is wrong. */
export function normalizeAddress(request: IncomingMessage): ApiError | undefined {
  const [first, ...others] = hostsIn(request.rawHeaders);
  if (others.length > 0)
    return invalidArgument(`the request has ${others.length + 1} Host headers: it must have one`);
  const [, authority, rest = ''] = ABSOLUTE.exec(request.url ?? '/') ?? [];
  if (authority === undefined) return first === undefined ? undefined : hostError('Host header', first);
  // RFC 9112 3.2.2: the host of the target overrides the header.
  request.url = rest.startsWith('/') ? rest : `${request.method === 'OPTIONS' ? '*' : '/'}${rest}`;
  request.headers.host = authority;
  return authority === ''
    ? invalidArgument('the request target names no host')
    : hostError('target', authority);
}

/** The same check for HTTP/2. RFC 9113 8.3.1: `:authority` and `host` must not differ. */
export function checkAddress(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  isEncrypted: boolean,
): ApiError | undefined {
  const { ':authority': authority, host } = headers;
  const known = authority ?? host;
  if (known === undefined) return invalidArgument('the request names no host: it must have :authority');
  if (host === undefined) return hostError(':authority', known);
  const canonical = (text: string) => canonicalHost(text, isEncrypted ? 'https' : 'http');
  const other = hostsIn(rawHeaders).find((each) => canonical(each) !== canonical(known));
  if (other === undefined) return hostError('host', known);
  const where = authority === undefined ? 'another host header' : ':authority';
  return invalidArgument(`the host header ${quoted(other)} and ${where} ${quoted(known)} disagree`);
}

/** The error for a target in which Express finds no path, such as `ws://[x/`. */
export const unreadableTarget = ({ url = '' }: IncomingMessage): ApiError =>
  invalidArgument(`the request target ${quoted(url)} is neither a path nor an http address`);

const known = new Set<string>();

function hostError(place: string, host: string): ApiError | undefined {
  if (host === '' || known.has(host)) return undefined;
  if (!HOST.test(host) || !URL.canParse(`http://${host}`))
    return invalidArgument(`${place}: ${quoted(host)} is not a host such as localhost:8080`);
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(host);
  return undefined;
}

function hostsIn(rawHeaders: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') found.push(rawHeaders[i + 1]!);
  }
  return found;
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 100));
