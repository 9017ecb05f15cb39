import type { IncomingHttpHeaders } from 'node:http';
import { header } from '../pipeline/call.ts';

export interface Addressing {
  /** What issuer and links say; undefined: what the request says of itself. */
  baseUrl: string | undefined;
  /** X-Forwarded-Proto and -Host count. */
  trustProxy: boolean;
}

interface Addressed {
  socket: object;
  headers: IncomingHttpHeaders;
  /** The path at which somebody's own Express app has mounted this one. */
  baseUrl?: string | undefined;
}

/** What the request says of where it was sent to. */
export function addressOf(request: Addressed, { trustProxy }: Pick<Addressing, 'trustProxy'>) {
  const forwarded = (name: string) =>
    trustProxy ? header(request, `x-forwarded-${name}`)?.split(',')[0]?.trim().toLowerCase() : undefined;
  const protocol = protocolIn(forwarded('proto')) ?? (socketOf(request).encrypted ? 'https' : 'http');
  const host = canonicalHost(forwarded('host') || authorityOf(request) || 'localhost', protocol);
  return { host, origin: `${protocol}://${host}${request.baseUrl ?? ''}` };
}

/** As the client named it: HTTP/1.1 has it in `Host`, HTTP/2 in `:authority`. */
export const authorityOf = (request: Pick<Addressed, 'headers'>): string | undefined =>
  header(request, ':authority') ?? request.headers.host;

/**
 * Lower case, without the port that the scheme implies (RFC 3986 6.2.3): some clients name that port and others do not,
 * and an issuer is compared letter by letter.
 */
export function canonicalHost(host: string, protocol: 'http' | 'https'): string {
  return host.toLowerCase().replace(protocol === 'https' ? HTTPS_PORT : HTTP_PORT, '');
}

const HTTP_PORT = /:(0*80)?$/;
const HTTPS_PORT = /:(0*443)?$/;

const protocolIn = (text: string | undefined) => (text === 'http' || text === 'https' ? text : undefined);

/** A connection may say of itself what the request does not. */
export const socketOf = ({ socket }: Pick<Addressed, 'socket'>) =>
  socket as { encrypted?: boolean; httpVersion?: string };

/** The same host and the same port, which the other scheme does not imply. */
export function otherScheme(url: string, scheme: 'http' | 'https'): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol === `${scheme}:`) return url;
  const implied = protocol === 'https:' ? '443' : '80';
  return `${scheme}://${hostname}:${port || implied}${pathname.replace(/\/+$/, '')}`;
}

/**
 * The port speaks both, and what TLS shows may not be trusted here: so it is asked without TLS, at the same port. What
 * stands in front of it may speak TLS alone.
 */
export const waysTo = (url: string): string[] =>
  url.startsWith('https:') ? [otherScheme(url, 'http'), url] : [url];
