import {
  Agent as HttpAgent,
  request as requestHttp,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { headersOfPart } from './headers.ts';
import type { Passing } from './recorder.ts';

/** Shorter than what servers keep idle connections open, so that no call hits one that is just being closed. */
const IDLE = 2000;
const AGENTS = {
  'http:': new HttpAgent({ keepAlive: true, timeout: IDLE }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE }),
};

/** Where a call goes, and what is added to it. */
interface Destination {
  service: URL;
  /** With its query, as the caller has written it. */
  path: string;
  /** Names and values alternate. */
  added?: readonly string[];
}

/** Forwards a call byte by byte, and tells `passing` what has passed. */
export function forwardHttp1(
  request: IncomingMessage,
  response: ServerResponse,
  destination: Destination,
  passing: Passing,
): void {
  passing.request(request.rawHeaders);
  const refused = (thrown: unknown) => refuse(response, passing, reasonOf(thrown as Error));
  try {
    const outer = open(request, destination);
    request.on('data', passing.requestBody).pipe(outer);
    request.on('error', () => outer.destroy());
    response.on('close', () => {
      if (response.writableFinished) return;
      passing.end('the caller has closed the connection');
      outer.destroy();
    });
    outer.on('error', refused);
    outer.on('response', (answer) => relay(answer, response, passing));
  } catch (thrown) {
    refused(thrown);
  }
}

function open(request: IncomingMessage, { service, path, added = [] }: Destination) {
  const send = service.protocol === 'https:' ? requestHttps : requestHttp;
  return send({
    protocol: service.protocol,
    hostname: service.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: service.port,
    path,
    method: request.method!,
    headers: [...headersToSend(request, service.host), ...added],
    agent: AGENTS[service.protocol as keyof typeof AGENTS],
  });
}

function headersToSend(request: IncomingMessage, host: string): string[] {
  const kept = headersOfPart(request.rawHeaders, request.headers.connection);
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  return ['Host', host, ...kept, ...(isChunked ? ['Transfer-Encoding', 'chunked'] : [])];
}

function relay(answer: IncomingMessage, response: ServerResponse, passing: Passing): void {
  const { statusCode: status = 502, statusMessage = '', rawHeaders } = answer;
  response.sendDate = false;
  try {
    response.writeHead(status, statusMessage, headersOfPart(rawHeaders, answer.headers.connection));
  } catch (thrown) {
    answer.destroy();
    return refuse(response, passing, reasonOf(thrown as Error)); // an answer that HTTP does not allow
  }
  passing.response(status, rawHeaders);
  response.flushHeaders();
  answer.on('data', passing.responseBody);
  answer.on('end', () => {
    if (answer.rawTrailers.length > 0) response.addTrailers(pairsOf(answer.rawTrailers));
    response.end();
    passing.end(undefined, answer.rawTrailers);
  });
  answer.on('error', () => {
    passing.end('the service has closed the connection in the middle of its answer');
    response.destroy();
  });
  answer.pipe(response, { end: false });
}

const pairsOf = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, raw[i + 1]!]] : []));

/** The service cannot be reached, or has closed the connection without an answer. */
function refuse(response: ServerResponse, passing: Passing, reason: string): void {
  if (response.headersSent || response.destroyed) {
    passing.end(reason);
    response.destroy();
    return;
  }
  const body = JSON.stringify({ code: 14, message: `understudy record: ${reason}`, details: [] });
  passing.response(502, ['content-type', 'application/json']);
  passing.responseBody(Buffer.from(body));
  passing.end(reason);
  response.writeHead(502, { 'content-type': 'application/json' }).end(body);
}

/** Why a certificate is not trusted, as OpenSSL names it. */
const UNTRUSTED = /UNABLE_TO_(VERIFY|GET)|SELF_SIGNED|CERT_UNTRUSTED/;

/** Node tries several addresses of a name, and then has several errors without a text of their own. */
export function reasonOf(error: Error & { errors?: readonly Error[]; code?: string }): string {
  const cause = (error.cause ?? error) as typeof error;
  const told = cause.message || cause.errors?.map(({ message }) => message).join(', ') || cause.name;
  const isUntrusted = UNTRUSTED.test(cause.code ?? '');
  const hint = isUntrusted ? '; set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority' : '';
  return `the service cannot be reached: ${told}${hint}`;
}
