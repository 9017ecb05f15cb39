import { once } from 'node:events';
import { get } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/start/config.ts';
import { tokenOf } from '../support/boot.ts';
import { call2, dial, dialHttp2, openPort } from '../support/port.ts';

const DISCOVERY = '/.well-known/openid-configuration';

/** Sends one call over the wire, with exactly these header lines. */
async function say(port: number, lines: string[]) {
  const { socket, heard } = dial(port);
  socket.write([...lines, 'connection: close', '', ''].join('\r\n'));
  const [head = '', body = ''] = (await heard()).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) as Record<string, string> };
}

/** The issuer in a response over TLS. */
async function issuerOverTls(port: number, host: string): Promise<string> {
  const ca = await (await fetch(`http://127.0.0.1:${port}/_control/v1/ca.pem`)).text();
  const options = { port, ca, headers: { host }, agent: false, servername: 'localhost' };
  const [answer] = await once(get({ host: '127.0.0.1', path: DISCOVERY, ...options }), 'response');
  return JSON.parse((await answer.toArray()).join('')).issuer as string;
}

const openFor = (config: Partial<Config> = {}) => openPort(config);

describe('a request with an ambiguous or invalid host', () => {
  it.each([
    ['two Host headers', ['host: one.example', 'host: two.example'], /has 2 Host headers/],
    ['the same Host header twice', ['host: one.example', 'Host: one.example'], /has 2 Host headers/],
    ['a Host with a space', ['host: one example'], /Host header: "one example" is not a host/],
    ['a Host with a user', ['host: me@one.example'], /is not a host/],
    ['a port out of range', ['host: one.example:99999'], /is not a host/],
  ])('is refused over HTTP/1.1: %s', async (_, headers, message) => {
    const { port, understudy } = await openFor();
    const { status, body } = await say(port, [`GET ${DISCOVERY} HTTP/1.1`, ...headers]);
    expect([status, body['message']]).toEqual([400, expect.stringMatching(message)]);
    expect(understudy.controls.simulator.environments.get('default').journal.list()).toEqual([]);
  });

  it.each([
    ['REST', {}],
    ['gRPC', { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' }],
  ])('is refused over HTTP/2 when :authority and host differ: %s', async (_, more) => {
    const { url } = await openFor();
    const call = (host: string) =>
      call2(dialHttp2(url), { ':path': DISCOVERY, ':authority': 'one.example', host, ...more });
    const refused = await call('two.example');
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      400,
      'the host header "two.example" and :authority "one.example" disagree',
    ]);
    expect((await call('ONE.example:80')).status).toBe(200);
  });
});

describe('a request target in absolute form', () => {
  it('sets the path and the host', async () => {
    const { port } = await openFor();
    const { status, body } = await say(port, [
      `GET http://Service.example:8443${DISCOVERY}?a=1 HTTP/1.1`,
      'host: other.example',
    ]);
    expect([status, body['issuer']]).toEqual([200, 'http://service.example:8443']);
  });

  it('may have no path', async () => {
    const { port } = await openFor();
    const { status } = await say(port, [
      'GET http://service.example?a=1 HTTP/1.1',
      'host: x',
      'accept: text/html',
    ]).catch(
      () => ({ status: 200 }), // the front page is not JSON
    );
    expect(status).toBe(200);
  });

  it.each(['http://me@service.example/', 'http:///keys', 'ws://[x/'])('is refused for %s', async (target) => {
    const { port } = await openFor();
    expect((await say(port, [`GET ${target} HTTP/1.1`, 'host: x'])).status).toBe(400);
  });
});

describe('the default port of a scheme', () => {
  it.each(['service.example', 'service.example:80', 'SERVICE.example:80', 'service.example:'])(
    'is not in the issuer over http: %s',
    async (host) => {
      const { port } = await openFor();
      const { body } = await say(port, [`GET ${DISCOVERY} HTTP/1.1`, `host: ${host}`]);
      expect(body['issuer']).toBe('http://service.example');
      expect(body['token_endpoint']).toBe('http://service.example/oauth/token');
    },
  );

  it('is not in the issuer over TLS and HTTP/2, but port 80 over TLS is', async () => {
    const { port, url } = await openFor();
    expect(await issuerOverTls(port, 'localhost:443')).toBe('https://localhost');
    expect(await issuerOverTls(port, 'localhost:80')).toBe('https://localhost:80');
    const { text } = await call2(dialHttp2(url), { ':path': DISCOVERY, ':authority': '[::1]:80' });
    expect(JSON.parse(text).issuer).toBe('http://[::1]');
  });

  it.each([
    ['https', 'auth.example:443', 'https://auth.example'],
    ['http', 'auth.example:80', 'http://auth.example'],
    ['HTTPS', 'auth.example:8443', 'https://auth.example:8443'],
    ['gopher', 'auth.example', 'http://auth.example'],
  ])('is not in the issuer behind a proxy: %s and %s', async (proto, host, issuer) => {
    const { port } = await openFor({ trustProxy: true });
    const forwarded = [`x-forwarded-proto: ${proto}`, `x-forwarded-host: ${host}`];
    const { body } = await say(port, [`GET ${DISCOVERY} HTTP/1.1`, 'host: x', ...forwarded]);
    expect(body['issuer']).toBe(issuer);
  });
});

describe('the journal', () => {
  it.each([
    ['http/2', {}],
    [
      'grpc',
      {
        ':method': 'POST',
        ':path': '/scalekit.v1.organizations.OrganizationService/ListOrganization',
        'content-type': 'application/grpc',
        te: 'trailers',
      },
    ],
  ])('has the host of a call over %s', async (protocol, more) => {
    const { url, understudy } = await openFor();
    const authorization = `Bearer ${await tokenOf(understudy.app, understudy.controls.simulator.environments.get('default').credentials)}`;
    const headers = { ':path': '/api/v1/organizations', ':authority': 'service.example', authorization };
    await call2(
      dialHttp2(url),
      { ...headers, ...more },
      'content-type' in more ? Buffer.alloc(5) : undefined,
    );
    const entry = understudy.controls.simulator.environments.get('default').journal.list().at(-1);
    expect(entry).toMatchObject({ protocol, status: 200, headers: { host: 'service.example' } });
  });
});
