import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import supertest from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULTS } from '../../src/start/config.ts';
import { createUnderstudy } from '../../src/simulator.ts';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { ask, authorizeUrl, exchange, OWN } from '../operations/oauth-support.ts';
import { ADA } from '../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';

interface Received {
  method: string;
  url: string;
  type: string | undefined;
  token: string;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts an application that receives back-channel logout calls. */
async function receiver(answer: Answer = (response) => response.end()) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const token = new URLSearchParams(text).get('logout_token') ?? '';
      received.push({ method, url, type: headers['content-type'], token });
      answer(response, request);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout` };
}

const setLogoutUris = (control: Agent, ...uris: string[]) =>
  control.patch(`/state/clients/${OWN.client_id}`).send({ back_channel_logout_uris: uris }).expect(200);

async function signInAda(booted: Booted) {
  const browser = new Browser(booted);
  const page = await browser.open(authorizeUrl());
  const back = await page.submit({ user_id: 'usr_10000000000000101' });
  const { body } = await ask(booted.anonymous, exchange(back.query('code')!)).expect(200);
  const { sid } = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString());
  return { browser, id_token: body.id_token as string, sid: sid as string };
}

/** Waits for the next outgoing call. */
const nextCall = async (control: Agent, query = '') =>
  (await control.get(`/outgoing/wait?timeout=2m${query}`).expect(200)).body;

/** Ways to end Ada's session. */
const ENDINGS: Record<
  string,
  (booted: Booted, of: Awaited<ReturnType<typeof signInAda>>) => Promise<unknown>
> = {
  'a logout': (_, { browser, id_token }) => browser.open(`/oidc/logout?id_token_hint=${id_token}`),
  'a logout on the page': async (_, { browser }) => (await browser.open('/oidc/logout')).submit(),
  'an API call that revokes the session': ({ api }, { sid }) =>
    api.post(`/api/v1/sessions/${sid}/revoke`).expect(200),
  'the session expires': ({ control }) => control.post('/clock/advance').send({ by: '40d' }).expect(200),
  'the user is deleted': ({ api }) => api.delete(`/api/v1/users/${ADA}`).expect(200),
  'the control API deletes the session': ({ control }, { sid }) =>
    control.delete(`/state/sessions/${sid}`).expect(204),
};

describe('back-channel logout', () => {
  it('posts a signed logout token when a session ends', async () => {
    const booted = await boot({ now: NOW });
    const { received, url } = await receiver();
    await setLogoutUris(booted.control, url);
    const { browser, id_token, sid } = await signInAda(booted);

    await browser.open(`/oidc/logout?id_token_hint=${id_token}`);
    const call = await nextCall(booted.control);

    const [{ token, ...sent }] = received as [Received];
    expect(sent).toEqual({ method: 'POST', url: '/logout', type: 'application/x-www-form-urlencoded' });
    expect(decodeProtectedHeader(token)).toEqual({
      alg: 'RS256',
      kid: expect.any(String),
      typ: 'logout+jwt',
    });
    const { body: keys } = await booted.anonymous.get('/keys').expect(200);
    const verified = await jwtVerify(token, createLocalJWKSet(keys as JSONWebKeySet), {
      issuer: 'http://localhost:8080',
      audience: OWN.client_id,
      typ: 'logout+jwt',
      currentDate: new Date(NOW),
    });
    const seconds = Date.parse(NOW) / 1000;
    expect(verified.payload).toEqual({
      iss: 'http://localhost:8080',
      aud: [OWN.client_id],
      iat: seconds,
      exp: seconds + 120,
      jti: expect.stringMatching(/^tkn_\d+$/),
      sid,
      sub: ADA,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(call).toMatchObject({
      kind: 'back_channel_logout',
      url,
      status: 'DELIVERED',
      client_id: OWN.client_id,
      session_id: sid,
      attempts: [{ status: 200, time: NOW, duration_ms: expect.any(Number) }],
    });
  });

  it.each(Object.keys(ENDINGS))('is sent after %s', async (ending) => {
    const booted = await boot({ now: NOW });
    const { received, url } = await receiver();
    await setLogoutUris(booted.control, url);
    const ada = await signInAda(booted);

    await ENDINGS[ending]!(booted, ada);
    const call = await nextCall(booted.control, `&url=${encodeURIComponent(url)}`);

    expect(call.status).toBe('DELIVERED');
    expect(received.length).toBeGreaterThan(0);
    const { body } = await booted.control.get('/outgoing').expect(200);
    expect(
      body.calls.filter(({ session_id }: { session_id: string }) => session_id === ada.sid),
    ).toHaveLength(1);
  });

  it('is sent once to each address of each application that shares the session', async () => {
    const booted = await boot({ now: NOW });
    const [one, other] = [await receiver(), await receiver()];
    await setLogoutUris(booted.control, one.url, other.url);
    const spa = { back_channel_logout_uris: [one.url] };
    await booted.control.patch('/state/clients/skc_10000000000000003').send(spa).expect(200);
    const portal = { back_channel_logout_uris: [other.url] };
    await booted.control.patch('/state/clients/skc_10000000000000002').send(portal).expect(200);
    const { sid } = await signInAda(booted);
    const client_ids = [OWN.client_id, 'skc_10000000000000002', 'skc_10000000000000003'];
    await booted.control.patch(`/state/sessions/${sid}`).send({ client_ids }).expect(200);

    await booted.api.post(`/api/v1/sessions/${sid}/revoke`).expect(200);
    await nextCall(booted.control, '&status=DELIVERED');

    const { body } = await booted.control.get('/outgoing?kind=back_channel_logout').expect(200);
    expect(body.calls.map((call: Record<string, unknown>) => [call['client_id'], call['url']])).toEqual([
      [OWN.client_id, one.url],
      [OWN.client_id, other.url],
      ['skc_10000000000000002', other.url],
    ]);
  });

  it.each([
    [
      'refuses the token',
      (response: ServerResponse) => void response.writeHead(400).end('{"error":"iss"}'),
      { status: 400, answer: '{"error":"iss"}' },
    ],
    [
      'redirects',
      (response: ServerResponse) => void response.writeHead(302, { location: '/other' }).end(),
      { status: 302, error: 'redirects are not followed' },
    ],
    [
      'closes the connection',
      (response: ServerResponse) => void response.destroy(),
      { error: 'socket hang up' },
    ],
    [
      'never ends its response',
      (response: ServerResponse) => void response.write('x'.repeat(100_000)),
      { status: 200, answer: 'x'.repeat(4096) },
    ],
  ])('is sent only once to an application that %s', async (_, answer, attempt) => {
    const booted = await boot({ now: NOW });
    const { received, url } = await receiver(answer);
    await setLogoutUris(booted.control, url);
    const { sid } = await signInAda(booted);

    await booted.api.post(`/api/v1/sessions/${sid}/revoke`).expect(200);
    const call = await nextCall(booted.control);

    expect(call.attempts).toMatchObject([attempt]);
    expect(call.status).toBe('status' in attempt && attempt.status === 200 ? 'DELIVERED' : 'FAILED');
    expect(received.map(({ url }) => url)).toEqual(['/logout']);
  });

  it('is sent only over http and https', async () => {
    const booted = await boot();
    await setLogoutUris(booted.control, 'file:///etc/passwd');
    const { sid } = await signInAda(booted);

    await booted.api.post(`/api/v1/sessions/${sid}/revoke`).expect(200);
    const call = await nextCall(booted.control, '&status=FAILED');

    expect(call.attempts).toMatchObject([{ error: 'only http and https addresses are called' }]);
  });

  it('does not delay the call that ends the session or the calls to other applications', async () => {
    const booted = await boot();
    const hanging = await receiver(() => undefined);
    const answering = await receiver();
    await setLogoutUris(booted.control, hanging.url, answering.url);
    const { sid } = await signInAda(booted);

    await booted.api.post(`/api/v1/sessions/${sid}/revoke`).expect(200);
    const call = await nextCall(booted.control);
    const { body } = await booted.control.get('/outgoing?status=PENDING').expect(200);

    expect(call.url).toBe(answering.url);
    expect(body.calls).toMatchObject([{ url: hanging.url, attempts: [] }]);
  });

  it('calls can be deleted through the control API, even while one is in flight', async () => {
    const booted = await boot();
    const hanging = await receiver(() => undefined);
    const answering = await receiver();
    await setLogoutUris(booted.control, hanging.url, answering.url);
    const { sid } = await signInAda(booted);
    await booted.api.post(`/api/v1/sessions/${sid}/revoke`).expect(200);
    await nextCall(booted.control);

    await booted.control.delete('/outgoing').expect(204);

    expect((await booted.control.get('/outgoing').expect(200)).body.calls).toEqual([]);
  });

  it('does not write its result into the rows after a reset', async () => {
    const booted = await boot({ now: NOW });
    let answerFirst = (): unknown => undefined;
    const { received, url } = await receiver((response) => {
      if (received.length === 1) answerFirst = () => response.end();
      else response.end();
    });
    const end = async () => {
      await setLogoutUris(booted.control, url);
      const { sid } = await signInAda(booted);
      await booted.api.post(`/api/v1/sessions/${sid}/revoke`).expect(200);
    };
    await end();
    const first = await firstReceived(received);
    await booted.control.post('/reset').expect(204);

    await end();
    const call = await nextCall(booted.control);
    answerFirst();

    expect(first.token).not.toBe('');
    expect(call.attempts).toHaveLength(1);
    expect((await booted.control.get('/outgoing').expect(200)).body.calls).toEqual([call]);
  });

  it('counts pending calls in the state hash, but not their results', async () => {
    const hashes: string[] = [];
    for (const answer of [(response: ServerResponse) => response.end(), () => undefined]) {
      const booted = await boot({ now: NOW, baseUrl: 'http://localhost:8080' });
      const { received, url } = await receiver(answer);
      await setLogoutUris(booted.control, url);
      const { sid } = await signInAda(booted);
      const before = (await booted.control.get('/state/hash').expect(200)).body.hash;
      await booted.api.post(`/api/v1/sessions/${sid}/revoke`).expect(200);
      const pending = (await booted.control.get('/state/hash').expect(200)).body.hash;
      await firstReceived(received);
      if (hashes.length === 0) await nextCall(booted.control);
      const after = (await booted.control.get('/state/hash').expect(200)).body.hash;
      expect([pending === before, after === pending]).toEqual([false, true]);
      hashes.push(after);
    }
  });
});

async function firstReceived(received: readonly Received[]): Promise<Received> {
  for (;;) {
    const [first] = received;
    if (first) return first;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a simulator with a data directory', () => {
  it('makes pending back-channel calls after a restart', async () => {
    const data = await mkdtemp(join(tmpdir(), 'understudy-outgoing-'));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    let isUp = false;
    const { received, url } = await receiver((response) => isUp && response.end());
    const start = () => createUnderstudy({ ...DEFAULTS, data, logLevel: 'silent' }, () => undefined);
    const first = await start();
    const control = (path: string) => `/_control/v1${path}`;
    const client = { back_channel_logout_uris: [url] };
    await supertest(first.app)
      .patch(control(`/state/clients/${OWN.client_id}`))
      .send(client)
      .expect(200);
    await supertest(first.app).delete(control('/state/sessions/ses_10000000000000401')).expect(204);
    const cutOff = await firstReceived(received);
    await first.close();
    isUp = true;

    const second = await start();
    const call = await supertest(second.app).get(control('/outgoing/wait?timeout=2m')).expect(200);
    await second.close();

    expect(call.body).toMatchObject({ status: 'DELIVERED', attempts: [{ status: 200 }] });
    expect(received.map(({ token }) => token)).toEqual([cutOff.token, cutOff.token]);
  });
});

describe('Control_WaitForOutgoingCall', () => {
  it('lists the other calls when the timeout ends', async () => {
    const booted = await boot();
    await setLogoutUris(booted.control, 'ftp://app.example/logout');
    const { sid } = await signInAda(booted);
    await booted.api.post(`/api/v1/sessions/${sid}/revoke`).expect(200);
    const call = await nextCall(booted.control);

    const late = await booted.control.get('/outgoing/wait?status=DELIVERED&timeout=1ms').expect(408);
    const later = await booted.control.get(`/outgoing/wait?since=${call.id}&timeout=1ms`).expect(408);

    const { id, kind, url, status } = call;
    expect(late.body).toMatchObject({
      message: 'no matching call came within 1ms',
      others: [{ id, kind, url, status }],
    });
    expect(later.body.others).toEqual([]);
    expect((await booted.control.get(`/outgoing/${id}`).expect(200)).body).toEqual(call);
    const none = await booted.control.get('/outgoing/out_1').expect(404);
    expect(none.body.message).toContain('outgoing call out_1 not found');
  });
});
