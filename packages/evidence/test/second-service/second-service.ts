import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromBinary, fromJson, toBinary, toJson, type DescMethod, type JsonValue } from '@bufbuild/protobuf';
import type supertest from 'supertest';
import { onTestFinished } from 'vitest';
import { pathOf } from '../../../../src/server/grpc/rpc.ts';
import { SERVICES } from '../../../../src/server/grpc/services.ts';
import { frame } from '../../../../src/server/grpc/wire.ts';

/** JSON that tests reach into, as they do with the answers of supertest. */
export type Body = supertest.Response['body'];

/** An answer on its way to the client. A distortion changes it in place. */
export interface PassingAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  /** Of an answer in JSON. */
  json?: Body;
  /** Of gRPC-Web. */
  message?: Body;
  trailers?: Record<string, string>;
}

/** What a call asked for. */
export interface PassingCall {
  /** Method and path, without the query. */
  line: string;
  query: URLSearchParams;
  /** How many calls with this line have come so far, with this one. */
  count: number;
}

/** One thing that the second service does differently. */
export interface Distortion {
  answer?: (call: PassingCall, answer: PassingAnswer) => void;
  /** Returns undefined for an event that the service does not send. */
  event?: (event: Body) => Body;
}

/**
 * A service that is Understudy but for its distortions: a proxy that changes what comes back. It speaks HTTP/1.1, and so
 * gRPC-Web but not gRPC.
 */
export async function secondService(target: string, distortions: readonly Distortion[]): Promise<string> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    void pass(request, response).catch((thrown: Error) => response.destroy(thrown));
  });
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const { pathname, searchParams: query } = new URL(url, target);
    const line = `${method} ${pathname}`;
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    const bytes = await bodyOf(request);
    const back = await fetch(`${target}${url}`, {
      method,
      redirect: 'manual',
      // The address of the proxy, so that links lead through it.
      headers: headersOf(request),
      ...(bytes.length > 0 && { body: new Uint8Array(bytes) }),
    });
    const answer = await read(back, pathname);
    for (const { answer: change } of distortions) change?.({ line, query, count }, answer);
    send(response, answer, pathname);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { connection: _, host = '', 'transfer-encoding': __, 'content-length': ___, ...others } = headers;
  return { ...(others as Record<string, string>), 'x-forwarded-host': host, 'x-forwarded-proto': 'http' };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Read extends PassingAnswer {
  bytes?: Buffer;
}

const METHODS: ReadonlyMap<string, DescMethod> = new Map(
  SERVICES.flatMap((service) => service.methods.map((method) => [pathOf(method), method] as const)),
);

async function read(back: Response, path: string): Promise<Read> {
  const bytes = Buffer.from(await back.arrayBuffer());
  const {
    'content-length': _,
    'transfer-encoding': __,
    connection: ___,
    ...headers
  } = Object.fromEntries(back.headers);
  const cookies = back.headers.getSetCookie();
  const answer: Read = {
    status: back.status,
    headers: { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
  };
  const type = back.headers.get('content-type') ?? '';
  if (type.startsWith('application/grpc-web')) return { ...answer, ...framesIn(bytes, METHODS.get(path)!) };
  return /\bjson\b/.test(type) && bytes.length > 0
    ? { ...answer, json: JSON.parse(bytes.toString()) }
    : { ...answer, bytes };
}

function send(
  response: ServerResponse,
  { status, headers, json, bytes, message, trailers }: Read,
  path: string,
): void {
  response.writeHead(status, headers);
  if (trailers) {
    const { output } = METHODS.get(path)!;
    if (message !== undefined)
      response.write(frame(toBinary(output, fromJson(output, message as JsonValue))));
    const text = Object.entries(trailers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const framed = frame(Buffer.from(text));
    framed[0] = 0x80;
    response.end(framed);
  } else if (json === undefined) response.end(bytes);
  else response.end(JSON.stringify(json));
}

function framesIn(bytes: Buffer, { output }: DescMethod): Pick<PassingAnswer, 'message' | 'trailers'> {
  const found: Pick<PassingAnswer, 'message' | 'trailers'> = { trailers: {} };
  for (let at = 0; at < bytes.length;) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    const content = bytes.subarray(at + 5, end);
    if (bytes[at] === 0)
      found.message = toJson(output, fromBinary(output, content), { useProtoFieldName: true });
    else
      for (const line of content.toString().trim().split('\r\n'))
        found.trailers![line.slice(0, line.indexOf(':'))] = line.slice(line.indexOf(':') + 1).trim();
    at = end;
  }
  return found;
}
