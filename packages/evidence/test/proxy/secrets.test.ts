import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { fromJson, toJson, type JsonObject } from '@bufbuild/protobuf';
import { ConnectError, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { onTestFinished, describe, expect, test } from 'vitest';
import { readJwt } from '../../src/recordings/secrets/jwt.ts';
import { callRpc, METHODS } from '../../../../test/server/grpc/support.ts';
import { tokenOf } from '../../../../test/support/boot.ts';
import { openPort } from '../../../../test/support/port.ts';
import { recordFrom } from '../support/record.ts';
import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: unknown;
}

interface Call extends Answer {
  path?: string;
  method?: string;
  request?: {
    headers?: Record<string, string>;
    json?: unknown;
    form?: Record<string, string>;
    body?: Buffer;
    type?: string;
  };
}

/** Answers every call with what is planted next. */
async function plantedService() {
  let next: Answer = {};
  const server = createServer((request: IncomingMessage, response) => {
    request.resume().on('end', () => {
      const { status = 200, headers = {}, body } = next;
      const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
      response.writeHead(status, { ...(isJson && { 'content-type': 'application/json' }), ...headers });
      response.end(isJson ? JSON.stringify(body) : body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const plant = (answer: Answer) => void (next = answer);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, plant };
}

async function send(
  url: string,
  { path = '/api/v1/organizations', method, request = {} }: Call,
): Promise<void> {
  const { headers = {}, json, form, body, type } = request;
  const sent = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
  const media =
    type ?? (json === undefined ? form && 'application/x-www-form-urlencoded' : 'application/json');
  const whole = body ?? sent;
  const answer = await fetch(url + path, {
    method: method ?? (whole === undefined ? 'GET' : 'POST'),
    headers: { ...headers, ...(media !== undefined && { 'content-type': media }) },
    ...(whole !== undefined && { body: typeof whole === 'string' ? whole : new Uint8Array(whole) }),
    redirect: 'manual',
  });
  await answer.arrayBuffer();
}

/** As a service would draw it. */
const secretFor = (place: string) => createHash('sha256').update(place).digest('base64url').slice(0, 32);

const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const jwt = (signature: string, claims: object = {}) =>
  `${base64({ alg: 'RS256', kid: 'snk_1' })}.${base64({ sub: 'usr_1', name: 'Lena Vogt', ...claims })}.${signature}`;

/** Forty places and more, each with a secret of its own. `stops`: nothing names it, so the exchange is not written. */
const PLACES: Record<string, (secret: string) => Call & { stops?: string }> = {
  'a bearer token': (s) => ({ request: { headers: { authorization: `Bearer ${s}` } } }),
  'Basic credentials': (s) => ({
    request: { headers: { authorization: `Basic ${Buffer.from(`skc_1:${s}`).toString('base64')}` } },
  }),
  'a cookie': (s) => ({ request: { headers: { cookie: `theme=dark; session=${s}` } } }),
  'credentials for a proxy': (s) => ({ request: { headers: { 'proxy-authorization': `Bearer ${s}` } } }),
  'the header of an API key': (s) => ({ request: { headers: { 'x-api-key': s } } }),
  'a signature of a webhook': (s) => ({ request: { headers: { 'webhook-signature': `v1,${s}` } } }),
  'an authorization without a scheme': (s) => ({ request: { headers: { 'x-authorization': s } } }),
  'the name of a program': (s) => ({ request: { headers: { 'user-agent': `curl/8 (${s})` } } }),
  'the tag of an answer': (s) => ({ headers: { etag: `W/"${s}"` } }),
  'the header of a proxy': (s) => ({ headers: { 'cf-thing': `a=1; b=${s}` } }),
  'a member of one letter': (s) => ({ body: { x: s }, stops: '/response/json/x' }),
  'an authorization in JSON': (s) => ({
    body: { call: { x_authorization: s } },
    stops: '/response/json/call/x_authorization',
  }),
  'a header that nobody knows': (s) => ({
    request: { headers: { 'x-thing': s } },
    stops: '/request/headers/x-thing',
  }),
  'a secret in the query': (s) => ({ path: `/oauth/authorize?client_id=skc_1&client_secret=${s}` }),
  'a code in the query': (s) => ({ path: `/cb?state=xyz&code=${s}` }),
  'an encoded value in the query': (s) => ({ path: `/cb?password=${encodeURIComponent(`${s} &=/?`)}` }),
  'an address in the query': (s) => ({
    path: `/oauth/logout?post_logout_redirect_uri=${encodeURIComponent(`https://app.example/?token=${s}`)}`,
  }),
  'a parameter that nobody knows': (s) => ({ path: `/cb?thing=${s}`, stops: '/request/path?thing' }),
  'the path of a magic link': (s) => ({ path: `/magicLink/${s}` }),
  'a path that nobody knows': (s) => ({ path: `/x/${s}`, stops: '/request/path' }),
  'a password in JSON': (s) => ({ request: { json: { user: { password: s } } } }),
  'a password of words': (s) => ({ request: { json: { password: `${s.slice(0, 8)} horse "battery" ü` } } }),
  'free JSON': (s) => ({ request: { json: { organization: { metadata: { client_secret: s } } } } }),
  'JSON in a text': (s) => ({ request: { json: { payload: JSON.stringify({ refresh_token: s }) } } }),
  'a list of codes': (s) => ({ request: { json: { backup_codes: [s, `${s}2`] } } }),
  'credentials of a connection': (s) => ({
    request: { json: { static_auth: { details: { region: 'eu', anything: s } } } },
  }),
  'a member that nobody knows': (s) => ({
    request: { json: { organization: { 'a/b': [{ thing: s }] } } },
    stops: '/request/json/organization/a~1b/0/thing',
  }),
  'the name of a member': (s) => ({
    request: { json: { metadata: { [s]: 1 } } },
    stops: '/request/json/metadata (a name)',
  }),
  'a secret in a form': (s) => ({
    request: { form: { grant_type: 'client_credentials', client_secret: s } },
  }),
  'a refresh token in a form': (s) => ({ request: { form: { refresh_token: s } } }),
  'a form with spaces': (s) => ({ request: { form: { password: `${s.slice(0, 9)} +%&= ${s.slice(9)}` } } }),
  'an answer of SAML': (s) => ({
    request: { form: { SAMLResponse: Buffer.from(`<a>${s}</a>`).toString('base64') } },
  }),
  'an assertion': (s) => ({ request: { form: { client_assertion: jwt(s) } } }),
  'a set cookie': (s) => ({ headers: { 'set-cookie': `sid=${s}; Path=/; HttpOnly; Max-Age=60` } }),
  'the query of a redirect': (s) => ({
    status: 302,
    headers: { location: `https://app.example/cb?code=${s}&state=1` },
  }),
  'the fragment of a redirect': (s) => ({
    status: 302,
    headers: { location: `https://app.example/#id_token=${jwt(s)}` },
  }),
  'the user of an address': (s) => ({ body: { issuer: `https://lena:${s}@idp.example/metadata` } }),
  'a token in an answer': (s) => ({ body: { access_token: jwt(s), expires_in: 3600 } }),
  'an opaque token in an answer': (s) => ({ body: { access_token: s } }),
  'a token under another name': (s) => ({ body: { thing: jwt(s) } }),
  'a claim of a token': (s) => ({ body: { id_token: jwt('c2lnbmF0dXJl', { client_secret: s }) } }),
  'a new secret': (s) => ({ body: { plain_secret: s, secret: { id: 'sks_1', secret_suffix: 'x1' } } }),
  'a link for one use': (s) => ({ body: { link: `https://acme.example/portal/${s}` } }),
  'a token in a sentence': (s) => ({ body: { message: `the token ${jwt(s)} has expired` } }),
  'a password in a mail': (s) => ({ body: { text: `Hello,\nyour password: ${s}\n` } }),
  'a link in a mail': (s) => ({
    body: { html: `<p>Hello</p><a href="https://acme.example/magicLink/${s}">Sign in</a>` },
  }),
  'a link with a parameter in a mail': (s) => ({
    headers: { 'content-type': 'text/plain' },
    body: `Open https://acme.example/accept?invitation_token=${s} to join.`,
  }),
  'a field of a page': (s) => ({
    headers: { 'content-type': 'text/html' },
    body: `<form><input type="hidden" name="csrf_token" value="${s}"></form>`,
  }),
  'a page that nobody knows': (s) => ({
    headers: { 'content-type': 'text/html' },
    body: `<script>start("${s}")</script>`,
  }),
  'a compressed answer': (s) => ({
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ client_secret: s })),
  }),
  bytes: (s) => ({
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.from(`\u0000${s}`),
  }),
  'base64 of JSON': (s) => ({
    body: { state: Buffer.from(JSON.stringify({ refresh_token: s })).toString('base64') },
  }),
  'a private key': (s) => ({
    body: { pem: `-----BEGIN PRIVATE KEY-----\nMIIEvQ${s}\n${s}\n-----END PRIVATE KEY-----\n` },
  }),
  'the secret of a webhook': (s) => ({ body: { note: `whsec_${s}` } }),
  'a description of an error': (s) => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: `secret=${s}1! is wrong` },
  }),
  'an error that repeats a secret': (s) => ({
    request: { json: { password: s } },
    status: 400,
    body: { message: `${s} is not allowed here` },
  }),
  'JSON without a media type': (s) => ({
    request: { body: Buffer.from(JSON.stringify({ api_key: s })), type: '' },
  }),
};

const codes = {
  'a code in a mail': (s: string) => ({ body: { text: `Your code is ${s}.` } }),
  'a number': (s: string) => ({ body: { otp: Number(s) } }),
};

test('there are forty places', () => {
  expect(Object.keys(PLACES).length).toBeGreaterThanOrEqual(40);
});

describe('a secret is never on disk', () => {
  test.each(Object.entries(PLACES))('%s', async (place, callFor) => {
    const secret = secretFor(place);
    const service = await plantedService();
    const recording = await recordFrom(service.url);
    const { stops, ...call } = callFor(secret);
    service.plant(call);

    await send(recording.url, call);

    const { exchanges, text } = await recording.stop();
    for (const form of formsOf(secret)) expect(text).not.toContain(form);
    expect(recording.told.join('\n')).not.toContain(secret);
    expect(exchanges).toHaveLength(stops === undefined ? 1 : 0);
    if (stops === undefined) expect(recording.told).toEqual([]);
    else expect(recording.told[0]).toContain(`is not written: ${stops} (`);
  });

  test.each(Object.entries(codes))('%s', async (_, callFor) => {
    const service = await plantedService();
    const recording = await recordFrom(service.url);
    service.plant(callFor('839201'));
    await send(recording.url, {});
    const { exchanges, text } = await recording.stop();
    expect(exchanges).toHaveLength(1);
    expect(text).not.toContain('839201');
  });
});

/** A secret is as good in an encoding. */
const formsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ...[0, 1, 2].map((lead) =>
    Buffer.from(`${'x'.repeat(lead)}${secret}`)
      .toString('base64')
      .slice(4, 36),
  ),
];

describe('a secret of an RPC is never on disk', () => {
  const transports: Record<string, (url: string) => Transport> = {
    grpc: (url) => createGrpcTransport({ baseUrl: url }),
    'grpc-web over HTTP/1.1': (url) => createGrpcWebTransport({ baseUrl: url, httpVersion: '1.1' }),
    'grpc-web over HTTP/2': (url) => createGrpcWebTransport({ baseUrl: url, httpVersion: '2' }),
    'connect with JSON': (url) =>
      createConnectTransport({ baseUrl: url, httpVersion: '1.1', useBinaryFormat: false }),
    'connect in binary, compressed': (url) => createConnectTransport({ baseUrl: url, httpVersion: '2' }),
  };

  test.each(Object.entries(transports))('%s', async (name, transportTo) => {
    const service = await openPort();
    const token = await tokenOf(service.understudy.app, KNOWN_CREDENTIALS);
    const recording = await recordFrom(service.url);
    const transport = transportTo(recording.url);
    const call = async (id: string, fields: JsonObject) => {
      const method = METHODS.get(id)!;
      const message = fromJson(method.input, fields);
      const answer = await callRpc(transport, method, message, { authorization: `Bearer ${token}` });
      return answer instanceof ConnectError ? answer : (toJson(method.output, answer) as JsonObject);
    };

    const made = await call('ClientService_CreateClient', {
      client: { name: 'Portal', clientType: 'WEB_APP' },
    });
    const clientId = ((made as JsonObject)['client'] as JsonObject)['id']!;
    const { plainSecret } = (await call('ClientService_CreateClientSecret', { clientId })) as JsonObject;
    const missing = await call('ClientService_GetClient', { clientId: 'skc_404' });

    expect(plainSecret).toMatch(/^test_/);
    expect(missing).toMatchObject({ code: 5 });
    const { exchanges, text, shape } = await recording.stop();
    expect(recording.told).toEqual([]);
    expect(text).not.toContain(plainSecret);
    expect(text).not.toContain(token.split('.')[2]);
    const protocol = name.split(' ')[0]!;
    expect(
      exchanges.map((each) => [
        each.protocol,
        each.operation,
        each.response.trailers?.['grpc-status'] ?? '0',
      ]),
    ).toEqual([
      [protocol, 'ClientService_CreateClient', '0'],
      [protocol, 'ClientService_CreateClientSecret', '0'],
      [protocol, 'ClientService_GetClient', '5'],
    ]);
    expect(exchanges[1]!.response.messages).toMatchObject([{ plain_secret: 'redacted-plain_secret-1' }]);
    expect(exchanges[2]!.response.json).toMatchObject({
      code: 5,
      details: [{ error_code: 'RESOURCE_NOT_FOUND' }],
    });
    expect(Object.keys(shape.operations['ClientService_GetClient']!)).toEqual(['grpc 5']);
  });
});

describe('stand-ins', () => {
  const twice = async (first: Call, second: Call, allowed: string[] = []) => {
    const service = await plantedService();
    const recording = await recordFrom(service.url, { allowed });
    for (const call of [first, second]) {
      service.plant(call);
      await send(recording.url, call);
    }
    return recording.stop();
  };

  test('equal secrets have equal stand-ins, wherever they are', async () => {
    const secret = secretFor('equal');
    const { exchanges } = await twice(
      { request: { form: { client_secret: secret } } },
      {
        request: { headers: { authorization: `Basic ${Buffer.from(`skc_1:${secret}`).toString('base64')}` } },
        body: { text: `it was ${secret}` },
      },
    );
    const [first, second] = exchanges;
    expect(first!.request.form).toEqual({ client_secret: ['redacted-client_secret-1'] });
    const [, credentials = ''] = String(second!.request.headers['authorization']).split(' ');
    expect(Buffer.from(credentials, 'base64').toString()).toBe('skc_1:redacted-client_secret-1');
    expect(second!.response.json).toEqual({ text: 'it was redacted-client_secret-1' });
  });

  test('a token can still be read, and equal tokens stay equal', async () => {
    const token = jwt(secretFor('signature'), { email: 'lena@nordwind.example' });
    const { exchanges } = await twice(
      { body: { id_token: token } },
      { body: { access_token: token, other: jwt(secretFor('2')) } },
    );
    const [first, second] = exchanges.map(({ response }) => response.json as Record<string, string>);
    expect(readJwt(first!['id_token']!)).toMatchObject({
      header: { alg: 'RS256', kid: 'snk_1' },
      claims: { sub: 'usr_1', name: 'Lena Vogt', email: 'lena@nordwind.example' },
    });
    expect(second!['access_token']).toBe(first!['id_token']);
    expect(second!['other']).not.toBe(first!['id_token']);
  });

  test('an allowed field keeps its values', async () => {
    const [a, b] = [secretFor('a'), secretFor('b')];
    const { exchanges } = await twice({ body: { thing: a } }, { body: { link: b } }, ['thing', 'LINK']);
    expect(exchanges.map(({ response }) => response.json)).toEqual([{ thing: a }, { link: b }]);
  });

  test('a recording that goes on gives no stand-in a second time', async () => {
    const service = await plantedService();
    const first = await recordFrom(service.url);
    await send(first.url, { request: { form: { client_secret: secretFor('one') } } });
    await first.stop();
    const second = await recordFrom(service.url, { folder: first.folder });
    await send(second.url, { request: { form: { client_secret: secretFor('other') } } });

    const { exchanges } = await second.stop();

    expect(exchanges.map(({ n, request }) => [n, request.form])).toEqual([
      [1, { client_secret: ['redacted-client_secret-1'] }],
      [2, { client_secret: ['redacted-client_secret-2'] }],
    ]);
  });

  test('values of people and programs are kept as they are', async () => {
    const body = {
      id: 'org_83544995172188677',
      environment_id: 'env_58345499215790610',
      create_time: '2026-03-01T09:00:00.123456Z',
      display_name: 'Nordwind Handelsgesellschaft mbH & Co. KG',
      description: 'organization-settings-update-failed: UNSUPPORTED_MEDIA_TYPE',
      email: 'lena.vogt+test@nordwind-handelsgesellschaft.example',
      redirect_uri: 'https://app.nordwind.example/api/v1/callbacks/authentication?state=abc',
      scopes: ['https://www.googleapis.com/auth/userinfo.email', 'organizations:read', 'offline_access'],
      code: 'RESOURCE_NOT_FOUND',
      phone: '+4915112345678',
      version: 'v1.2.3-beta.4',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
      next_page_token: 'eyJpZCI6Im9yZ18xMjM0NSJ9AAAB',
      request_id: '0b8f6a9e-3b0e-4a3f-9a43-3a7d2b9f8a10',
    };
    const { exchanges } = await twice({ body }, {});
    expect(exchanges[0]!.response.json).toEqual(body);
  });
});
