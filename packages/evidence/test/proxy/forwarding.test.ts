import { connect } from 'node:http2';
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished, describe, expect, test } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import { tokenOf } from '../../../../test/support/boot.ts';
import { openPort } from '../../../../test/support/port.ts';
import { recordFrom } from '../support/record.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function service(handler: Handler) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

interface Raw {
  status: number;
  headers: string[];
  body: Buffer;
  trailers: string[];
}

/** A call whose header names keep their spelling. */
async function raw(
  url: string,
  path: string,
  headers: string[] = [],
  { method = 'GET', body = '' } = {},
): Promise<Raw> {
  const { port } = new URL(url);
  const all = ['Host', 'here', ...headers] as never;
  const sent = requestHttp({ host: '127.0.0.1', port, path, method, headers: all });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const { statusCode = 0, rawHeaders, rawTrailers } = answer;
  return { status: statusCode, headers: rawHeaders, body: Buffer.concat(chunks), trailers: rawTrailers };
}

describe('nothing is changed on the way', () => {
  test('a request keeps its path, the spelling and order of its headers, and its bytes', async () => {
    let got: { url?: string; headers: string[]; body: string } | undefined;
    const { url } = await service((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        got = { url: request.url!, headers: request.rawHeaders, body: Buffer.concat(chunks).toString() };
        response.end();
      });
    });
    const recording = await recordFrom(url);
    const headers = [
      'X-Thing',
      'a',
      'authorization',
      'Bearer x',
      'X-Thing',
      'b',
      'Connection',
      'close, x-hop',
      'x-hop',
      '1',
      'Content-Length',
      '13',
    ];

    await raw(recording.url, `/a/../b/%7e{x}?q=%41+'"&q`, headers, { method: 'POST', body: '{ "a":  1.0 }' });

    expect(got?.url).toBe(`/a/../b/%7e{x}?q=%41+'"&q`);
    expect(got?.body).toBe('{ "a":  1.0 }');
    expect(got?.headers.slice(0, 10)).toEqual([
      'Host',
      new URL(url).host,
      'X-Thing',
      'a',
      'authorization',
      'Bearer x',
      'X-Thing',
      'b',
      'Content-Length',
      '13',
    ]);
    expect(got?.headers).not.toContain('x-hop');
  });

  test('an answer keeps its compression, its cookies, its trailers and its reason', async () => {
    const packed = gzipSync('{"a":1}');
    const { url } = await service((_, response) => {
      response.writeHead(418, 'Tea', [
        'Content-Type',
        'application/json',
        'Content-Encoding',
        'gzip',
        'Trailer',
        'x-sum',
        'Set-Cookie',
        'a=1',
        'Set-Cookie',
        'b=2',
        'Date',
        'Sun, 01 Mar 2026 09:00:00 GMT',
      ] as never);
      response.write(packed.subarray(0, 5));
      response.write(packed.subarray(5));
      response.addTrailers({ 'x-sum': '7' });
      response.end();
    });
    const recording = await recordFrom(url);

    const answer = await raw(recording.url, '/api/v1/organizations');

    expect(answer.status).toBe(418);
    expect(answer.body.equals(packed)).toBe(true);
    expect(answer.headers.slice(0, 12)).toEqual([
      'Content-Type',
      'application/json',
      'Content-Encoding',
      'gzip',
      'Trailer',
      'x-sum',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'Date',
      'Sun, 01 Mar 2026 09:00:00 GMT',
    ]);
    expect(answer.trailers).toEqual(['x-sum', '7']);
    const { exchanges } = await recording.stop();
    expect(exchanges[0]).toMatchObject({
      operation: 'OrganizationService_ListOrganization',
      response: {
        status: 418,
        json: { a: 1 },
        headers: { 'set-cookie': ['a=redacted-a-1', 'b=redacted-b-1'] },
      },
    });
  });

  test('a stream arrives piece by piece', async () => {
    let send: ServerResponse | undefined;
    const { url } = await service((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      send = response;
    });
    const recording = await recordFrom(url);
    const answer = await fetch(`${recording.url}/events`);
    const reader = answer.body!.getReader();

    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: 1\n\n');
    send!.end('data: 2\n\n');
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: 2\n\n');
    await reader.read();

    expect((await recording.stop()).exchanges[0]!.response.text).toBe('data: 1\n\ndata: 2\n\n');
  });

  test('HEAD and 304 have no body', async () => {
    const { url } = await service((request, response) => {
      if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '99' }).end();
      else response.writeHead(304, { etag: '"1"' }).end();
    });
    const recording = await recordFrom(url);
    const head = await raw(recording.url, '/api/v1/organizations', [], { method: 'HEAD' });
    const cached = await raw(recording.url, '/api/v1/organizations');

    expect([head.status, head.headers.includes('99'), head.body.length]).toEqual([200, true, 0]);
    expect([cached.status, cached.body.length]).toEqual([304, 0]);
    const { exchanges, shape } = await recording.stop();
    expect(exchanges.map(({ response }) => Object.keys(response))).toEqual([
      ['status', 'headers'],
      ['status', 'headers'],
    ]);
    expect(Object.keys(shape.operations['OrganizationService_ListOrganization']!)).toEqual(['304']);
  });

  test('REST over HTTP/2 is recorded like REST over HTTP/1.1', async () => {
    const real = await openPort();
    const token = await tokenOf(real.understudy.app, KNOWN_CREDENTIALS);
    const recording = await recordFrom(real.url);
    const session = connect(recording.url);
    onTestFinished(() => session.destroy());
    const stream = session.request({
      ':path': '/api/v1/organizations?page_size=1',
      authorization: `Bearer ${token}`,
    });
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(stream, 'close');

    expect(JSON.parse(Buffer.concat(chunks).toString())).toHaveProperty('organizations');
    const { exchanges } = await recording.stop();
    expect(exchanges).toMatchObject([
      { protocol: 'rest', operation: 'OrganizationService_ListOrganization' },
    ]);
  });
});

describe('what goes wrong', () => {
  test('a service that cannot be reached is a 502 with the reason, and UNAVAILABLE for gRPC', async () => {
    const { url, server } = await service(() => {});
    server.close();
    const recording = await recordFrom(url);

    const answer = await fetch(`${recording.url}/api/v1/organizations`);

    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      code: 14,
      message: expect.stringMatching(
        /^understudy record: the service cannot be reached: connect ECONNREFUSED/,
      ) as string,
    });
    expect(await grpcStatus(recording.url)).toBe('14');
    const { exchanges, shape } = await recording.stop();
    for (const { response } of exchanges)
      expect(response.failed).toMatch(/^the service cannot be reached: .*ECONNREFUSED/);
    expect(shape.operations).toEqual({});
  });

  test('an answer that breaks off does so for the caller, and is marked', async () => {
    const { url } = await service((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"a":', () => response.destroy());
    });
    const recording = await recordFrom(url);

    const answer = await fetch(`${recording.url}/api/v1/organizations`);

    await expect(answer.text()).rejects.toThrow();
    const { exchanges } = await recording.stop();
    expect(exchanges[0]!.response).toMatchObject({
      status: 200,
      failed: expect.stringMatching(/^the service has closed/) as string,
    });
  });

  test('a caller that leaves ends the call to the service', async () => {
    let gone: Promise<unknown> | undefined;
    const { url } = await service((request, response) => {
      gone = new Promise((resolve) => request.on('error', () => {}).once('close', resolve));
      response.writeHead(200).write('x');
    });
    const recording = await recordFrom(url);
    const leaving = new AbortController();
    await fetch(`${recording.url}/api/v1/organizations`, { signal: leaving.signal });

    leaving.abort();

    await gone;
    const { exchanges } = await recording.stop();
    expect(exchanges[0]!.response.failed).toBe('the caller has closed the connection');
  });

  test('an answer that is no HTTP harms no other call', async () => {
    const { url } = await service((request, response) => {
      if (request.url === '/bad') request.socket.end('HTTP/1.1 200 OK\r\nX-\u0001: \u0000\r\n\r\n');
      else response.end('{}');
    });
    const recording = await recordFrom(url);

    expect((await fetch(`${recording.url}/bad`)).status).toBe(502);
    expect((await fetch(`${recording.url}/good`)).status).toBe(200);
  });

  test('a body over the limit passes, and only its length is kept', async () => {
    const { url } = await service((request, response) => {
      let size = 0;
      request.on('data', (chunk: Buffer) => (size += chunk.length));
      request.on('end', () =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ size })),
      );
    });
    const recording = await recordFrom(url);
    const body = JSON.stringify({ text: 'x'.repeat(20_000_000) });

    const answer = await fetch(`${recording.url}/api/v1/organizations`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });

    expect(await answer.json()).toEqual({ size: body.length });
    const { exchanges } = await recording.stop();
    expect(exchanges[0]!.request).toMatchObject({ bytes: body.length });
    expect(exchanges[0]!.request).not.toHaveProperty('json');
  });

  test('a small body that unpacks to a huge one keeps its length only', async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000));
    const { url } = await service((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(packed),
    );
    const recording = await recordFrom(url);
    const answer = await raw(recording.url, '/api/v1/organizations');
    expect(answer.body.length).toBe(packed.length);
    expect((await recording.stop()).exchanges[0]!.response.bytes).toBe(packed.length);
  });

  test('a body that is nested as deeply as it can be stops nothing', async () => {
    const { url } = await service((_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('['.repeat(400_000) + ']'.repeat(400_000)),
    );
    const recording = await recordFrom(url);
    expect((await raw(recording.url, '/api/v1/organizations')).status).toBe(200);
    expect((await raw(recording.url, '/api/v1/organizations')).status).toBe(200);
    await recording.stop();
    expect(recording.told.every((line) => /^exchange \d is not written: /.test(line))).toBe(true);
  });

  test('two recorders in a circle refuse the call', async () => {
    let second = '';
    const relay = await service((request, response) => {
      fetch(`${second}${request.url}`, {
        headers: { 'understudy-record': String(request.headers['understudy-record']) },
      }).then(
        async (answer) => response.writeHead(answer.status).end(await answer.text()),
        () => response.destroy(),
      );
    });
    const recording = await recordFrom(relay.url);
    second = recording.url;

    const answer = await fetch(`${recording.url}/api/v1/organizations`);

    expect(answer.status).toBe(508);
    expect(await answer.text()).toContain('--to must name the service');
  });

  test('many calls at once are all recorded, each whole', async () => {
    const { url } = await service((request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ path: request.url }));
    });
    const recording = await recordFrom(url);
    const paths = Array.from({ length: 300 }, (_, i) => `/x/${i}`);

    await Promise.all(paths.map(async (path) => (await fetch(recording.url + path)).text()));

    const { exchanges } = await recording.stop();
    expect(exchanges.map(({ n }) => n)).toEqual(paths.map((_, i) => i + 1));
    for (const { request, response } of exchanges) expect(response.json).toEqual({ path: request.path });
  });

  test('bytes that are no HTTP close their connection and nothing else', async () => {
    const { url } = await service((_, response) => response.end('{}'));
    const recording = await recordFrom(url);
    const socket = connectTcp(Number(new URL(recording.url).port), '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write('\u0000\u0001 garbage\r\n\r\n');
    await once(socket, 'close');
    expect((await fetch(recording.url)).status).toBe(200);
  });
});

async function grpcStatus(url: string): Promise<unknown> {
  const session = connect(url);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/scalekit.v1.organizations.OrganizationService/ListOrganization',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.end(Buffer.alloc(5));
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  stream.resume();
  await once(stream, 'close');
  session.destroy();
  return headers['grpc-status'];
}

describe('webhooks', () => {
  test('come back through the inbox, and go on unchanged', async () => {
    const got: { url: string; body: string; signature: unknown }[] = [];
    const app = await service((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        got.push({
          url: request.url!,
          body: Buffer.concat(chunks).toString(),
          signature: request.headers['webhook-signature'],
        });
        response.writeHead(201).end('{}');
      });
    });
    const target = await service((_, response) => response.end('{}'));
    const recording = await recordFrom(target.url, { webhooksTo: `${app.url}/hooks?x=1` });
    const body = JSON.stringify({ id: 'evt_1', type: 'organization.created', data: { id: 'org_1' } });

    const answer = await fetch(`${recording.url}/_record/webhooks`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-signature': 'v1,c2lnbmF0dXJlIG9mIGEgd2ViaG9vaw==',
      },
    });

    expect(answer.status).toBe(201);
    expect(got).toEqual([{ url: '/hooks?x=1', body, signature: 'v1,c2lnbmF0dXJlIG9mIGEgd2ViaG9vaw==' }]);
    const { exchanges, shape } = await recording.stop();
    expect(exchanges).toMatchObject([
      {
        protocol: 'webhook',
        request: {
          path: '/hooks?x=1',
          json: { type: 'organization.created' },
          headers: { 'webhook-signature': 'redacted-webhook-signature-1' },
        },
      },
    ]);
    expect(shape.events['organization.created']!.fields['data.id']).toMatchObject({ present: 1 });
  });

  test('without an address to go to, the inbox says so', async () => {
    const { url } = await service((_, response) => response.end('{}'));
    const recording = await recordFrom(url);
    const answer = await fetch(`${recording.url}/_record/webhooks`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('--webhooks-to URL');
  });
});

test('a long text is kept, because answers depend on it, and long bytes are not', async () => {
  const texts = ['x'.repeat(40_000), 'word '.repeat(8000)];
  const base64 = Buffer.from(Array.from({ length: 30_000 }, (_, i) => (i * i * 31) % 251)).toString('base64');
  const { url } = await service((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ image: base64, page: `data:image/png;base64,${base64}`, texts }));
  });
  const recording = await recordFrom(url);

  await (await fetch(`${recording.url}/api/v9/things`)).text();

  const { exchanges } = await recording.stop();
  expect(exchanges[0]?.response.json).toEqual({
    image: '(40000 characters of bytes)',
    page: '(40022 characters of bytes)',
    texts,
  });
});
