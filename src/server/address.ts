import type { IncomingHttpHeaders } from 'node:http';
import { header } from '../pipeline/call.ts';

export interface Addressing {
  /** The address in issuer and links; undefined: derived from each request. */
  baseUrl: string | undefined;
  /** Whether X-Forwarded-Proto and X-Forwarded-Host are believed. */
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
  socket as { encrypted?: boolean; httpVersion?: string };

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
