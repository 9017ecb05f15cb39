import { once } from 'node:events';
import {
  connect,
  createServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { onTestFinished, describe, expect, test } from 'vitest';
import { recordFrom } from '../support/record.ts';

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

async function grpcService(handler: Handler) {
  const server = createServer();
  const sessions = new Set<{ destroy(): void; goaway(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {});
    handler(stream, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sessions };
}

function answer(stream: ServerHttp2Stream, body: Buffer): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(body);
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function clientOf(url: string): ClientHttp2Session {
  const session = connect(url);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

const PATH = '/acme.v1.Things/Get';

function open(session: ClientHttp2Session, path = PATH) {
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request(headers);
  stream.on('error', () => {});
  return stream;
}

async function call(session: ClientHttp2Session, body: Buffer, path = PATH) {
  const stream = open(session, path);
  const chunks: Buffer[] = [];
  let status: unknown;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('response', (headers) => (status ??= headers['grpc-status']));
  stream.on('trailers', (headers) => (status ??= headers['grpc-status']));
  stream.end(body);
  await new Promise((resolve) => stream.once('close', resolve));
  return { status, body: Buffer.concat(chunks), code: stream.rstCode };
}

async function readAll(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The field 1, a text. */
const message = (text: string) => {
  const bytes = Buffer.from(text);
  const length: number[] = [];
  for (let left = bytes.length; ; left >>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left < 128) return Buffer.concat([Buffer.from([0x0a, ...length]), bytes]);
  }
};

describe('RPCs through the recorder', () => {
  test('many at once each get their own answer', async () => {
    const service = await grpcService(async (stream) => answer(stream, await readAll(stream)));
    const recording = await recordFrom(service.url);
    const session = clientOf(recording.url);
    const bodies = Array.from({ length: 200 }, (_, i) => framed(message(`number ${i}`)));

    const answers = await Promise.all(bodies.map((body) => call(session, body)));

    expect(answers).toEqual(bodies.map((body) => ({ status: '0', body, code: 0 })));
    const { exchanges } = await recording.stop();
    expect(exchanges).toHaveLength(200);
    for (const { request, response } of exchanges) expect(response.messages).toEqual(request.messages);
  });

  test('messages of many frames and of any size pass, and are kept up to a megabyte', async () => {
    const service = await grpcService(async (stream) => answer(stream, await readAll(stream)));
    const recording = await recordFrom(service.url);
    const session = clientOf(recording.url);
    const bodies = ['word '.repeat(5000), 'word '.repeat(1_000_000)].map((text) => framed(message(text)));

    for (const body of bodies) expect((await call(session, body)).body.equals(body)).toBe(true);

    const { exchanges } = await recording.stop();
    expect(exchanges[0]!.response.messages).toEqual([{ '@fields': [{ no: 1, text: 'word '.repeat(5000) }] }]);
    expect(exchanges[1]!.response).toMatchObject({ bytes: bodies[1]!.length });
  });

  test('a caller that cancels ends the call to the service', async () => {
    let cancelled: Promise<unknown> | undefined;
    const service = await grpcService((stream) => {
      cancelled = once(stream, 'close').then(() => stream.rstCode);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.write(framed(message('one')));
    });
    const recording = await recordFrom(service.url);
    const stream = open(clientOf(recording.url));
    stream.end(framed(Buffer.alloc(0)));
    await once(stream, 'data');

    stream.close(8);

    expect(await cancelled).toBe(8);
    const { exchanges } = await recording.stop();
    expect(exchanges[0]!.response.failed).toBe('the caller has cancelled the call');
  });

  test('a service that resets a call resets it for the caller', async () => {
    const service = await grpcService((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.write(framed(message('one')), () => stream.destroy(new Error('broken')));
    });
    const recording = await recordFrom(service.url);
    const { code } = await call(clientOf(recording.url), framed(Buffer.alloc(0)));
    expect(code).toBe(2);
    const { exchanges } = await recording.stop();
    expect(exchanges[0]!.response.failed).toBe('the service has reset the call with the code 2 of HTTP/2');
  });

  test('a service that closes its connection gets a new one', async () => {
    const service = await grpcService(async (stream) => answer(stream, await readAll(stream)));
    const recording = await recordFrom(service.url);
    const session = clientOf(recording.url);
    const body = framed(message('one'));
    expect((await call(session, body)).status).toBe('0');
    const [first] = service.sessions;
    const gone = once(first as unknown as ClientHttp2Session, 'close');
    first!.goaway();
    first!.destroy();
    await gone;

    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await call(session, body)).status);

    expect(statuses.at(-1)).toBe('0');
    expect(service.sessions.size).toBe(2);
  });
});
