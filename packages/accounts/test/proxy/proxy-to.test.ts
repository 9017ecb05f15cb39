import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bootOnce, boot } from '../../../../test/support/boot.ts';

const GMAIL = { connection_name: 'gmail', identifier: 'default' };

interface Heard {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Plays a provider: answers as the test says, and records the requests. */
const heard: Heard[] = [];
let answer = {
  status: 200,
  headers: {} as Record<string, string>,
  body: '{"login":"octocat"}' as string | Buffer,
};
const server: Server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    heard.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (answer.status === 0) return response.destroy();
    return response.writeHead(answer.status, answer.headers).end(answer.body);
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));
const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

let shared: ReturnType<typeof bootOnce> | undefined;
/** The simulator passes the calls of two providers on. */
async function fresh() {
  shared ??= bootOnce({
    proxyTo: [`gmail=${origin()}/api/`, `freshdesk=${origin()}`, 'exa=http://127.0.0.1:1'],
  });
  heard.length = 0;
  answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"login":"octocat"}' };
  return shared.fresh();
}

/** Sends the path as it is; most clients resolve its dots. */
async function getRaw(app: RequestListener, path: string, headers: Record<string, string>) {
  const service = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void service.close());
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  const asked = get({ port, host: '127.0.0.1', path, headers });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks = await response.toArray();
  return { status: response.statusCode, text: Buffer.concat(chunks as Buffer[]).toString() };
}

describe('--proxy-to', () => {
  it('passes a call on as it came, with the credentials of the account', async () => {
    const { api } = await fresh();
    const { body } = await api
      .get('/api/v1/connected_accounts/auth?connector=gmail&identifier=default')
      .expect(200);
    const { access_token } = body.connected_account.authorization_details.oauth_token;

    await api
      .post('/proxy/v1/users/me/messages%2F7:send?q=a%20b&q=c')
      .set({ ...GMAIL, 'x-own': 'mine', 'content-type': 'application/json' })
      .send('{"a": 1}')
      .expect(200);

    expect(heard).toMatchObject([
      { method: 'POST', url: '/api/v1/users/me/messages%2F7:send?q=a%20b&q=c', body: '{"a": 1}' },
    ]);
    expect(heard[0]!.headers).toMatchObject({ 'x-own': 'mine', authorization: `Bearer ${access_token}` });
    expect(Object.keys(heard[0]!.headers)).not.toEqual(expect.arrayContaining(['connection_name']));
    expect(heard[0]!.headers).not.toHaveProperty('identifier');
  });

  it.each([
    '/proxy/../up',
    '/proxy/a/../../up',
    '/proxy/%2e%2e/up',
    '/proxy/a%2f..%2Fup',
    '/proxy/%252e%252E%252fup',
    '/proxy/a\\\\..\\\\up',
    '/proxy/v1/..',
    '/proxy/v1/..;/..;/up',
    '/proxy/..%3bx/up',
  ])('passes nothing on that leaves the address: %s', async (path) => {
    const { understudy, token, own } = await fresh();
    const headers = { ...GMAIL, authorization: `Bearer ${token}`, 'understudy-environment': own.name };

    const { status, text } = await getRaw(understudy.app, path, headers);

    expect(status).toBe(400);
    expect(text).toMatch(/leaves the address of GMAIL, which --proxy-to gives/i);
    expect(heard).toEqual([]);
  });

  it('sends user name and password as the provider wants them', async () => {
    const { api } = await fresh();

    await api
      .get('/proxy/api/v2/tickets/7')
      .set({ connection_name: 'freshdesk', identifier: 'support-desk' })
      .expect(200);

    expect(heard[0]!.headers.authorization).toMatch(/^Basic \w+/);
  });

  it('answers what the provider answers, also a failure', async () => {
    const { api } = await fresh();
    answer = { status: 429, headers: { 'retry-after': '7', 'content-type': 'text/csv' }, body: 'slow,down' };

    const refused = await api.get('/proxy/user').set(GMAIL).expect(429);

    expect(refused.text).toBe('slow,down');
    expect(refused.headers).toMatchObject({ 'retry-after': '7', 'content-type': 'text/csv' });
  });

  it('is in the journal with its answer, without secrets', async () => {
    const { api, control } = await fresh();
    await api.get('/proxy/user?access_token=at_secret').set(GMAIL).expect(200);

    const { body } = await control.get('/requests?operation=ActionsProxy_Get').expect(200);

    const [{ providers }] = body.requests;
    expect(providers).toMatchObject([
      {
        provider: 'GMAIL',
        method: 'GET',
        status: 200,
        request: { headers: { authorization: '[redacted]' } },
        response: { body: { login: 'octocat' } },
      },
    ]);
    expect(JSON.stringify(providers)).not.toContain('at_secret');
  });

  it('sets last_used_at and keeps a token that was refreshed for the call', async () => {
    const { api, control } = await fresh();
    const { now } = (await control.put('/clock').send({ mode: 'frozen' }).expect(200)).body;
    const { rows } = (await control.get('/state/connected_accounts').expect(200)).body;
    const { id } = rows.find(({ identifier }: { identifier: string }) => identifier === 'default');
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: now }).expect(200);

    await api.get('/proxy/user').set(GMAIL).expect(200);

    const { body } = await api
      .get('/api/v1/connected_accounts/auth?connector=gmail&identifier=default')
      .expect(200);
    const { last_used_at, token_expires_at, authorization_details } = body.connected_account;
    expect(last_used_at).toBe(now);
    expect(Date.parse(token_expires_at)).toBe(Date.parse(now) + 3_600_000);
    expect(heard[0]!.headers.authorization).toBe(`Bearer ${authorization_details.oauth_token.access_token}`);
  });

  it('says why a provider did not answer', async () => {
    const { api } = await fresh();
    answer = { ...answer, status: 0 };

    const cut = await api.get('/proxy/user').set(GMAIL).expect(503);
    const down = await api
      .get('/proxy/user')
      .set({ connection_name: 'exa', identifier: 'research-bot' })
      .expect(503);

    expect(cut.body.message).toMatch(/^http:\S+\/api, which plays GMAIL, cannot be reached: socket hang up$/);
    expect(down.body.message).toMatch(
      /^http:\/\/127.0.0.1:1, which plays EXA, cannot be reached: .*ECONNREFUSED/,
    );
    expect(down.body.details[0].error_code).toBe('UNAVAILABLE');
  });

  it('refuses an answer that it cannot pass on unchanged', async () => {
    const { api } = await fresh();
    answer = { status: 200, headers: {}, body: Buffer.from([0x89, 0x50, 0xff, 0x00]) };

    const { body } = await api.get('/proxy/v1/picture').set(GMAIL).expect(503);

    expect(body.message).toContain('which plays GMAIL, answered with something other than text in UTF-8');
  });

  it('calls nobody if a scenario answers or the account is not active', async () => {
    const { api, control } = await fresh();
    const rules = [{ on: 'ActionsProxy_Get', times: 1, reply: { error: 'rate_limited' } }];
    await control.post('/scenarios').send({ name: 'proxied', rules }).expect(201);
    const { body } = await control.get('/state/connected_accounts').expect(200);

    await api.get('/proxy/user').set(GMAIL).expect(429);
    for (const { id } of body.rows)
      await control.patch(`/state/connected_accounts/${id}`).send({ status: 'EXPIRED' });
    await api.get('/proxy/user').set(GMAIL).expect(400);

    expect(heard).toEqual([]);
  });

  it.each([
    [['github'], /^--proxy-to: github must be a provider and an http or https address/],
    [['github=ftp://x'], /must be a provider and an http or https address: github=http:/],
    [['github=http://other.example'], /--proxy-to: not called: other.example does not match --webhook-allow/],
  ])('is refused at the start: %s', async (proxyTo, message) => {
    await expect(boot({ proxyTo, webhookAllow: ['app.example'] })).rejects.toThrow(message);
  });
});
