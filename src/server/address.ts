import type { RequestHandler } from 'express';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders as Http2Headers } from 'node:http2';
import { ApiError, invalidArgument } from '../contract/errors.ts';
import { header } from '../pipeline/call.ts';
import { refuse } from './sending.ts';

export interface Addressing {
  /** The address in issuer and links; undefined: derived from each request. */
  baseUrl: string | undefined;
  /** Whether X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-For are believed. */
  trustProxy: boolean;
}

interface Addressed {
  socket: object;
  headers: IncomingHttpHeaders;
  /** The path at which another Express app has mounted this one. */
  baseUrl?: string | undefined;
}

/** The address to which the request was sent, according to its headers and connection. */
export function addressOf(request: Addressed, { trustProxy }: Pick<Addressing, 'trustProxy'>) {
  const forwarded = (name: string) =>
    trustProxy ? header(request, `x-forwarded-${name}`)?.split(',')[0]?.trim().toLowerCase() : undefined;
  const protocol = protocolIn(forwarded('proto')) ?? (socketOf(request).encrypted ? 'https' : 'http');
  const host = canonicalHost(forwarded('host') || authorityOf(request) || 'localhost', protocol);
  return { host, origin: `${protocol}://${host}${request.baseUrl ?? ''}` };
}

/** The IP address of the caller: what a trusted proxy says, or else that of the connection. */
export function callerOf(
  request: Addressed,
  { trustProxy }: Pick<Addressing, 'trustProxy'>,
): string | undefined {
  const told = trustProxy ? header(request, 'x-forwarded-for')?.split(',')[0]?.trim() : undefined;
  return (told || socketOf(request).remoteAddress)?.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The host as the client named it: `Host` in HTTP/1.1, `:authority` in HTTP/2. */
export const authorityOf = (request: Pick<Addressed, 'headers'>): string | undefined =>
  (request.headers[':authority'] as string | undefined) ?? request.headers.host;

/**
 * Lower case and without the scheme's default port (RFC 3986 6.2.3). Some clients send that port and others do not, but
 * issuers are compared character by character.
 */
export function canonicalHost(host: string, protocol: 'http' | 'https'): string {
  return host.toLowerCase().replace(protocol === 'https' ? HTTPS_PORT : HTTP_PORT, '');
}

const HTTP_PORT = /:(0*80)?$/;
const HTTPS_PORT = /:(0*443)?$/;

const protocolIn = (text: string | undefined) => (text === 'http' || text === 'https' ? text : undefined);

/** The socket with its optional properties: whether it uses TLS, and the caller's HTTP version if it was replayed. */
export const socketOf = ({ socket }: Pick<Addressed, 'socket'>) =>
  socket as { encrypted?: boolean; httpVersion?: string; remoteAddress?: string };

/** The same address with another scheme. Keeps the port, which must then be written out. */
export function otherScheme(url: string, scheme: 'http' | 'https'): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol === `${scheme}:`) return url;
  const implied = protocol === 'https:' ? '443' : '80';
  return `${scheme}://${hostname}:${port || implied}${pathname.replace(/\/+$/, '')}`;
}

/**
 * The addresses to try in order. The port serves both schemes, so the first try is without TLS, because the certificate
 * may not be trusted here. A proxy in front of the port may accept only TLS.
 */
export const waysTo = (url: string): string[] =>
  url.startsWith('https:') ? [otherScheme(url, 'http'), url] : [url];

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
function normalizeAddress(request: IncomingMessage): ApiError | undefined {
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
  headers: Http2Headers,
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
