import { once } from 'node:events';
import { connect, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Exchange } from '../../src/recordings/exchange.ts';
import { RecordingWriter } from '../../src/recordings/recording.ts';
import { exchange } from '../recordings/exchanges.ts';
import { boot } from '../support/boot.ts';
import { openPort } from '../support/port.ts';
import { recordFrom } from '../support/record.ts';

const HEAD = { service: 'https://acme.example', began: '2026-03-01T09:00:00.000Z', understudy: '1.0.0' };

/** A recording of calls that Understudy does not have. */
function recordingOf(...exchanges: Parameters<typeof exchange>[0][]): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'replay-')), 'recording');
  const writer = new RecordingWriter(folder, HEAD);
  for (const each of exchanges) {
    const { operation: _, ...unknown } = exchange({ n: writer.next(), ...each });
    writer.write(unknown as Exchange);
  }
  return folder;
}

const invoice = (path: string, json: unknown, response: Partial<Exchange['response']> = {}) => ({
  request: { path },
  response: { json, ...response },
});

const INVOICES = '/api/v1/billing/invoices';

describe('a call that no operation has', () => {
  test('gets the recorded answers one after the other, and the last one again', async () => {
    const folder = recordingOf(
      invoice(INVOICES, { invoices: [] }),
      invoice(
        INVOICES,
        { invoices: [1] },
        {
          status: 203,
          headers: { 'content-type': 'application/json', 'x-thing': 'a', 'content-encoding': 'gzip' },
        },
      ),
    );
    const { api, control } = await boot({ replay: [folder] });

    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push(await api.get(INVOICES));

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { invoices: [] }],
      [203, { invoices: [1] }],
      [203, { invoices: [1] }],
    ]);
    const [, second] = answers;
    expect(second!.headers).toMatchObject({
      'x-thing': 'a',
      'understudy-replayed': '2',
      'understudy-request-id': 'req_3',
    });
    expect(second!.headers).not.toHaveProperty('content-encoding');
    const { body: entry } = await control.get('/requests/req_3').expect(200);
    expect(entry).toMatchObject({
      path: INVOICES,
      status: 203,
      replayed: { recording: folder, exchange: 2 },
    });
    expect(entry).not.toHaveProperty('operation');
  });

  test('a reset starts again at the first answer, and each environment counts for itself', async () => {
    const folder = recordingOf(invoice(INVOICES, { n: 1 }), invoice(INVOICES, { n: 2 }));
    const { api, control, environment } = await boot({ replay: [folder] });
    const n = async (agent = api) => (await agent.get(INVOICES).expect(200)).body.n as number;
    const other = await environment('other');

    expect([await n(), await n(), await n(other.api), await n()]).toEqual([1, 2, 1, 2]);
    await control.post('/reset').expect(204);
    expect([await n(), await n(other.api)]).toEqual([1, 2]);
  });

  test('is found whatever the order of its parameters, and whatever the secrets are', async () => {
    const folder = recordingOf(
      invoice(`${INVOICES}?a=1&b=2`, 'both'),
      invoice(`${INVOICES}/redacted-link-1/open?token=redacted-token-1`, 'secret'),
    );
    const { api } = await boot({ replay: [folder] });
    expect((await api.get(`${INVOICES}?b=2&a=1`).expect(200)).body).toBe('both');
    expect((await api.get(`${INVOICES}/k39vmd/open?token=x`).expect(200)).body).toBe('secret');
    await api.get(`${INVOICES}?a=1`).expect(501);
    await api.get(`${INVOICES}/k39vmd/open?token=`).expect(501);
    await api.post(`${INVOICES}?a=1&b=2`).expect(501);
  });

  test('a text, a form and an answer without a body are sent as they are', async () => {
    const folder = recordingOf(
      {
        request: { path: '/x/text' },
        response: { headers: { 'content-type': 'text/plain; charset=utf-8' }, text: 'ä' },
      },
      {
        request: { path: '/x/form' },
        response: {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          form: { a: ['1', '2 '] },
        },
      },
      { request: { path: '/x/none', method: 'DELETE' }, response: { status: 204, headers: {} } },
    );
    const { api } = await boot({ replay: [folder] });
    const text = await api.get('/x/text').expect(200);
    expect([text.text, text.headers['content-type']]).toEqual(['ä', 'text/plain; charset=utf-8']);
    expect((await api.get('/x/form').expect(200)).body).toEqual({ a: ['1', '2 '] });
    expect((await api.delete('/x/none').expect(204)).text).toBe('');
  });
});

describe('the usual answer stays', () => {
  test('for a call that Understudy knows', async () => {
    const folder = recordingOf({
      request: { path: '/api/v1/organizations' },
      response: { json: { recorded: true } },
    });
    const { api } = await boot({ replay: [folder] });
    const { body, headers } = await api.get('/api/v1/organizations').expect(200);
    expect(body).toHaveProperty('organizations');
    expect(headers).not.toHaveProperty('understudy-replayed');
  });

  test('for a call that was not recorded, with the nearest one that was', async () => {
    const folder = recordingOf(invoice(INVOICES, {}), {
      request: { path: '/x/things' },
      response: { json: {} },
    });
    const { api } = await boot({ replay: [folder] });
    expect((await api.get('/x/thinks').expect(404)).body.message).toBe(
      'no operation has the path /x/thinks, and the recording has no such call; did you mean GET /x/things?',
    );
    expect((await api.get('/zzz').expect(404)).body.message).toBe(
      'no operation has the path /zzz, and the recording has no such call',
    );
  });

  test('for an answer that broke off, or whose body is not kept', async () => {
    const folder = recordingOf(
      { request: { path: '/x/broken' }, response: { failed: 'the service has closed the connection' } },
      { request: { path: '/x/huge' }, response: { bytes: 9_000_000 } },
    );
    const { api } = await boot({ replay: [folder] });
    await api.get('/x/broken').expect(404);
    await api.get('/x/huge').expect(404);
  });

  test('for a call that names an unknown environment', async () => {
    const folder = recordingOf(invoice('/x/things', {}));
    const { anonymous } = await boot({ replay: [folder] });
    await anonymous.get('/x/things').set('understudy-environment', 'nobody').expect(404);
  });
});

test('a folder that is no recording ends the start', async () => {
  await expect(boot({ replay: [tmpdir()] })).rejects.toThrow('it is not a recording');
});

/** Answers `/acme.v9.Things/Get` with the field 1 `thing` and the field 2 7, and another method with an error. */
async function unknownService(): Promise<string> {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.resume();
    if (headers[':path'] !== '/acme.v9.Things/Get')
      return stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': '9',
          'grpc-message': 'not%20now',
        },
        { endStream: true },
      );
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(framed(MESSAGE));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const MESSAGE = Buffer.from([0x0a, 5, ...Buffer.from('thing'), 0x10, 7]);

function framed(message: Buffer, flags = 0): Buffer {
  const head = Buffer.from([flags, 0, 0, 0, 0]);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function callGrpc(url: string, path: string) {
  const session = connect(url);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.end(framed(Buffer.alloc(0)));
  const chunks: Buffer[] = [];
  let trailers: IncomingHttpHeaders = {};
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('trailers', (headers) => (trailers = headers));
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  await once(stream, 'close');
  const all: Record<string, unknown> = { ...headers, ...trailers };
  return {
    status: all['grpc-status'],
    message: all['grpc-message'],
    replayed: all['understudy-replayed'],
    body: Buffer.concat(chunks),
  };
}

test('an unknown RPC that was recorded is answered in each framing', async () => {
  const recording = await recordFrom(await unknownService());
  const real = await callGrpc(recording.url, '/acme.v9.Things/Get');
  await callGrpc(recording.url, '/acme.v9.Things/Fail');
  expect(real).toMatchObject({ status: '0', body: framed(MESSAGE) });
  await recording.stop();
  const { url } = await openPort({ replay: [recording.folder] });

  const grpc = await callGrpc(url, '/acme.v9.Things/Get');
  const failed = await callGrpc(url, '/acme.v9.Things/Fail');
  const missing = await callGrpc(url, '/acme.v9.Things/Put');
  const post = async (type: string, body: Buffer) => {
    const headers = { 'content-type': type };
    const answer = await fetch(`${url}/acme.v9.Things/Get`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    return Buffer.from(await answer.arrayBuffer());
  };

  expect(grpc).toEqual({ status: '0', message: undefined, replayed: '1', body: framed(MESSAGE) });
  expect(failed).toMatchObject({ status: '9', message: 'not%20now' });
  expect(missing).toMatchObject({ status: '12' });
  expect(decodeURIComponent(String(missing.message))).toContain(
    'the recording has no such call; did you mean POST /acme.v9.Things/Get?',
  );
  expect(await post('application/grpc-web+proto', framed(Buffer.alloc(0)))).toEqual(
    Buffer.concat([framed(MESSAGE), framed(Buffer.from('grpc-status: 0\r\n'), 0x80)]),
  );
});
