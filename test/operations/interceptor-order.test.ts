import { request } from 'node:http';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { receiver } from '../support/receiver.ts';
import { askForToken, claimsIn, CLIENT, intercept, latest } from './interceptor-support.ts';

const hashOf = async (control: Agent) => (await control.get('/state/hash').expect(200)).body.hash as string;

/** One that answers when it is told to. */
async function slow() {
  let held: ServerResponse | undefined;
  const gate = await receiver((response) => (held = response));
  return { gate, answer: () => held!.end('{"decision":"ALLOW"}') };
}

describe('several interceptors of one trigger point', () => {
  it('are asked in the order of their age, and what they add is put together', async () => {
    const { api, anonymous, control } = await boot();
    const [first, second] = [await receiver(), await receiver()];
    const { id } = await intercept(api, { api_url: first.url, display_name: 'First' });
    await intercept(api, { api_url: second.url, display_name: 'Second' });
    first.answers({
      decision: 'ALLOW',
      response: { claims: { scope: 'a', custom_claims: { one: 1, both: 1 } } },
    });
    second.answers({
      decision: 'ALLOW',
      response: { claims: { scope: 'b', custom_claims: { two: 2, both: 2 } } },
    });

    const given = await askForToken({ anonymous }).expect(200);

    expect(claimsIn(given)).toMatchObject({ scope: 'b', custom_claims: { one: 1, two: 2, both: 2 } });
    const { interceptors } = await latest(control);
    expect(interceptors).toMatchObject([{ interceptor_id: id }, { decision: 'ALLOW' }]);
    expect([first, second].map(({ received }) => received.map(({ body }) => body['display_name']))).toEqual([
      ['First'],
      ['Second'],
    ]);
  });

  it('are asked until one says no', async () => {
    const { api, anonymous, control } = await boot();
    const [first, second] = [
      await receiver({ decision: 'DENY', error: { message: 'no' } }),
      await receiver(),
    ];
    await intercept(api, { api_url: first.url });
    await intercept(api, { api_url: second.url });

    await askForToken({ anonymous }).expect(403);

    expect([first, second].map(({ received }) => received.length)).toEqual([1, 0]);
    expect((await latest(control)).interceptors).toHaveLength(1);
  });

  it('are not asked when they are off, of another trigger point, or the client is the environment’s own', async () => {
    const { api, anonymous, control } = await boot();
    const gate = await receiver({ decision: 'DENY' });
    const { id } = await intercept(api, { api_url: gate.url });
    await intercept(api, { api_url: gate.url, trigger_point: 'PRE_USER_INVITATION' });
    const own = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };
    await askForToken({ anonymous }, own).expect(200);
    await api.patch(`/api/v1/interceptors/${id}:disable`).expect(200);

    await askForToken({ anonymous }).expect(200);

    expect(gate.received).toEqual([]);
    expect((await latest(control)).interceptors).toBeUndefined();
  });
});

describe('asking an interceptor', () => {
  it('uses up no id: what comes is called as it would be without', async () => {
    const run = async (api_url?: string) => {
      const { api, anonymous } = await boot({ now: '2030-01-01T00:00:00Z' });
      const { id } = await intercept(api, { api_url: api_url ?? 'http://127.0.0.1:1/' });
      if (!api_url) await api.patch(`/api/v1/interceptors/${id}:disable`).expect(200);
      const token = claimsIn(await askForToken({ anonymous }).expect(200));
      const { body } = await api.post('/api/v1/organizations').send({ display_name: 'Next' }).expect(201);
      return [token.jti, body.organization.id];
    };
    const gate = await receiver();

    expect(await run(gate.url)).toEqual(await run());
    expect(gate.received).toHaveLength(1);
  });

  it('is noted on it once what it has allowed stands', async () => {
    const { api, anonymous } = await boot({ now: '2030-01-01T00:00:00Z' });
    const gate = await receiver();
    const { id } = await intercept(api, { api_url: gate.url });
    const executed = async () =>
      (await api.get(`/api/v1/interceptors/${id}`)).body.interceptor.last_executed_at;
    expect(await executed()).toBeUndefined();

    await askForToken({ anonymous }).expect(200);

    expect(await executed()).toBe('2030-01-01T00:00:00.000Z');
  });

  it('lets others change things meanwhile, and goes on with them', async () => {
    const { api, anonymous, control } = await boot();
    const { gate, answer } = await slow();
    await intercept(api, { api_url: gate.url });
    const waiting = askForToken({ anonymous }).then();
    await gate.came(1);
    await control
      .patch(`/state/clients/${CLIENT.client_id}`)
      .send({ scopes: ['now:other'] })
      .expect(200);
    answer();

    const given = await waiting;

    expect(claimsIn(given)['scopes']).toEqual(['now:other']);
    expect(gate.received).toHaveLength(1);
  });

  it('ends with a reset, and the call does nothing', async () => {
    const { environment, anonymous } = await boot();
    const { api, control } = await environment('worker-1');
    const { gate } = await slow();
    await intercept(api, { api_url: gate.url });
    const waiting = askForToken({ anonymous }).set({ 'understudy-environment': 'worker-1' }).then();
    await gate.came(1);
    await control.post('/reset').expect(204);
    const start = await hashOf(control);

    const { status, body } = await waiting;

    const error_description = 'environment worker-1 was reset while this call waited: it did nothing';
    expect([status, body]).toEqual([400, { error: 'invalid_request', error_description }]);
    expect(await hashOf(control)).toBe(start);
  });

  it('ends when the caller leaves, and nothing has happened', async () => {
    const { api, control, understudy } = await boot();
    const { gate } = await slow();
    await intercept(api, { api_url: gate.url });
    const before = await hashOf(control);
    const server = createServer(understudy.app).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const call = request({ port, host: '127.0.0.1', path: '/oauth/token', method: 'POST', headers });
    call.on('error', () => undefined);
    call.end(new URLSearchParams({ grant_type: 'client_credentials', ...CLIENT }).toString());
    await gate.came(1);
    const heard = control.get('/requests/wait?operation=OAuth_Token&count=2&timeout=2m').then();
    call.destroy();

    const entry = (await heard).body.requests.at(-1);

    expect(entry).toMatchObject({ fault: { abandoned: true }, changes: [] });
    expect(entry.status).toBeUndefined();
    expect(await hashOf(control)).toBe(before);
  });
});

describe('the journal', () => {
  it('tells how an interceptor was asked, and that its templates are not evaluated', async () => {
    const { api, anonymous, control } = await boot();
    const gate = await receiver({ decision: 'DENY', error: { code: 'DOMAIN_BLOCKED', message: 'no' } });
    const { id } = await intercept(api, { api_url: gate.url, request_template: '{}' });

    await askForToken({ anonymous }).expect(403);

    expect((await latest(control)).interceptors).toEqual([
      {
        interceptor_id: id,
        trigger_point: 'PRE_M2M_TOKEN_CREATION',
        url: gate.url,
        request: {
          headers: expect.objectContaining({ 'content-type': 'application/json' }),
          body: gate.received[0]!.body,
        },
        response: { body: { decision: 'DENY', error: { code: 'DOMAIN_BLOCKED', message: 'no' } } },
        status: 200,
        decision: 'DENY',
        duration_ms: expect.any(Number),
        warnings: ['request_template is kept, but not evaluated'],
      },
    ]);
  });

  it('keeps the beginning of an answer that is long', async () => {
    const { api, anonymous, control } = await boot();
    const claims = { custom_claims: { long: 'x'.repeat(50_000) } };
    const gate = await receiver({ decision: 'ALLOW', response: { claims } });
    await intercept(api, { api_url: gate.url });

    const given = await askForToken({ anonymous }).expect(200);

    expect(claimsIn(given)).toMatchObject(claims);
    const { interceptors } = await latest(control);
    expect(JSON.stringify(interceptors).length).toBeLessThan(40_000);
    expect(JSON.stringify(interceptors)).toContain('more characters');
  });
});
