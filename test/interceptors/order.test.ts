import { request, createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { receiver } from '../support/receiver.ts';
import { askForToken, claimsIn, CLIENT, intercept, latest } from './support.ts';

const hashOf = async (control: Agent) => (await control.get('/state/hash').expect(200)).body.hash as string;

/** An interceptor that answers when `answer` is called. */
async function slow() {
  let held: ServerResponse | undefined;
  const interceptor = await receiver((response) => (held = response));
  return { gate: interceptor, answer: () => held!.end('{"decision":"ALLOW"}') };
}

describe('several interceptors with the same trigger point', () => {
  it('are called oldest first and their claims are merged', async () => {
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

    const response = await askForToken({ anonymous }).expect(200);

    expect(claimsIn(response)).toMatchObject({ scope: 'b', custom_claims: { one: 1, two: 2, both: 2 } });
    const { interceptors } = await latest(control);
    expect(interceptors).toMatchObject([{ interceptor_id: id }, { decision: 'ALLOW' }]);
    expect([first, second].map(({ received }) => received.map(({ body }) => body['display_name']))).toEqual([
      ['First'],
      ['Second'],
    ]);
  });

  it('are called until one denies', async () => {
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

  it('are not called when disabled, for other trigger points or for the client of the environment', async () => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver({ decision: 'DENY' });
    const { id } = await intercept(api, { api_url: interceptor.url });
    await intercept(api, { api_url: interceptor.url, trigger_point: 'PRE_USER_INVITATION' });
    const own = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };
    await askForToken({ anonymous }, own).expect(200);
    await api.patch(`/api/v1/interceptors/${id}:disable`).expect(200);

    await askForToken({ anonymous }).expect(200);

    expect(interceptor.received).toEqual([]);
    expect((await latest(control)).interceptors).toBeUndefined();
  });
});

describe('the call of an interceptor', () => {
  it('uses no id of the generator: later ids are the same as without interceptors', async () => {
    const run = async (api_url?: string) => {
      const { api, anonymous } = await boot({ now: '2030-01-01T00:00:00Z' });
      const { id } = await intercept(api, { api_url: api_url ?? 'http://127.0.0.1:1/' });
      if (!api_url) await api.patch(`/api/v1/interceptors/${id}:disable`).expect(200);
      const token = claimsIn(await askForToken({ anonymous }).expect(200));
      const { body } = await api.post('/api/v1/organizations').send({ display_name: 'Next' }).expect(201);
      return [token.jti, body.organization.id];
    };
    const interceptor = await receiver();

    expect(await run(interceptor.url)).toEqual(await run());
    expect(interceptor.received).toHaveLength(1);
  });

  it('sets last_executed_at after the operation succeeds', async () => {
    const { api, anonymous } = await boot({ now: '2030-01-01T00:00:00Z' });
    const interceptor = await receiver();
    const { id } = await intercept(api, { api_url: interceptor.url });
    const executed = async () =>
      (await api.get(`/api/v1/interceptors/${id}`)).body.interceptor.last_executed_at;
    expect(await executed()).toBeUndefined();

    await askForToken({ anonymous }).expect(200);

    expect(await executed()).toBe('2030-01-01T00:00:00.000Z');
  });

  it('does not block other requests and then continues with the changed rows', async () => {
    const { api, anonymous, control } = await boot();
    const { gate: interceptor, answer } = await slow();
    await intercept(api, { api_url: interceptor.url });
    const pending = askForToken({ anonymous }).then();
    await interceptor.came(1);
    await control
      .patch(`/state/clients/${CLIENT.client_id}`)
      .send({ scopes: ['now:other'] })
      .expect(200);
    answer();

    const response = await pending;

    expect(claimsIn(response)['scopes']).toEqual(['now:other']);
    expect(interceptor.received).toHaveLength(1);
  });

  it('is cancelled by a reset, and the waiting request changes nothing', async () => {
    const { environment, anonymous } = await boot();
    const { api, control } = await environment('worker-1');
    const { gate: interceptor } = await slow();
    await intercept(api, { api_url: interceptor.url });
    const pending = askForToken({ anonymous }).set({ 'understudy-environment': 'worker-1' }).then();
    await interceptor.came(1);
    await control.post('/reset').expect(204);
    const start = await hashOf(control);

    const { status, body } = await pending;

    const error_description = 'environment worker-1 was reset while this call waited: it did nothing';
    expect([status, body]).toEqual([400, { error: 'invalid_request', error_description }]);
    expect(await hashOf(control)).toBe(start);
  });

  it('is cancelled when the caller disconnects, and the request changes nothing', async () => {
    const { api, control, understudy } = await boot();
    const { gate: interceptor } = await slow();
    await intercept(api, { api_url: interceptor.url });
    const before = await hashOf(control);
    const server = createServer(understudy.app).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const call = request({ port, host: '127.0.0.1', path: '/oauth/token', method: 'POST', headers });
    call.on('error', () => undefined);
    call.end(new URLSearchParams({ grant_type: 'client_credentials', ...CLIENT }).toString());
    await interceptor.came(1);
    const abandoned = control.get('/requests/wait?operation=OAuth_Token&count=2&timeout=2m').then();
    call.destroy();

    const entry = (await abandoned).body.requests.at(-1);

    expect(entry).toMatchObject({ fault: { abandoned: true }, changes: [] });
    expect(entry.status).toBeUndefined();
    expect(await hashOf(control)).toBe(before);
  });
});

describe('the journal entry of a request with an interceptor', () => {
  it('contains the request, the response and a warning that templates are not evaluated', async () => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver({
      decision: 'DENY',
      error: { code: 'DOMAIN_BLOCKED', message: 'no' },
    });
    const { id } = await intercept(api, { api_url: interceptor.url, request_template: '{}' });

    await askForToken({ anonymous }).expect(403);

    expect((await latest(control)).interceptors).toEqual([
      {
        interceptor_id: id,
        trigger_point: 'PRE_M2M_TOKEN_CREATION',
        url: interceptor.url,
        request: {
          headers: expect.objectContaining({ 'content-type': 'application/json' }),
          body: interceptor.received[0]!.body,
        },
        response: { body: { decision: 'DENY', error: { code: 'DOMAIN_BLOCKED', message: 'no' } } },
        status: 200,
        decision: 'DENY',
        duration_ms: expect.any(Number),
        warnings: ['request_template is stored, but not evaluated'],
      },
    ]);
  });

  it('truncates a long response', async () => {
    const { api, anonymous, control } = await boot();
    const claims = { custom_claims: { long: 'x'.repeat(50_000) } };
    const interceptor = await receiver({ decision: 'ALLOW', response: { claims } });
    await intercept(api, { api_url: interceptor.url });

    const response = await askForToken({ anonymous }).expect(200);

    expect(claimsIn(response)).toMatchObject(claims);
    const { interceptors } = await latest(control);
    expect(JSON.stringify(interceptors).length).toBeLessThan(40_000);
    expect(JSON.stringify(interceptors)).toContain('more characters');
  });
});
