import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Understudy } from '../../src/simulator.ts';
import { boot, type Agent } from '../support/boot.ts';
import { eventually } from '../support/process.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

/** Resolves when so many wait for something to happen there. */
const listening = ({ controls }: Understudy, name: string, wanted: number) =>
  eventually(
    () => controls.simulator.environments.get(name).activity.subscribers,
    (count) => count === wanted,
  );

describe('Control_WaitForRequests', () => {
  it('answers at once when enough calls are in the journal', async () => {
    const { api, control } = await boot();
    await api.get(ORGANIZATION).expect(200);
    await api.get('/api/v1/organizations/org_1').expect(404);

    const { body } = await control
      .get('/requests/wait?operation=OrganizationService_Get*&count=2&timeout=0s')
      .expect(200);

    expect(body.requests).toMatchObject([{ status: 200 }, { status: 404 }]);
  });

  it('answers when the last of them has come', async () => {
    const { api, control } = await boot();

    const waiting = control.get(
      '/requests/wait?operation=OrganizationService_GetOrganization&count=2&timeout=2m',
    );
    const [, , { body }] = await Promise.all([
      api.get(ORGANIZATION).expect(200),
      api.get(ORGANIZATION).expect(200),
      waiting.expect(200),
    ]);

    expect(body.requests).toHaveLength(2);
  });

  it('counts later calls alone with `since`, and only those that match', async () => {
    const { api, control } = await boot();
    const first = await api.get(ORGANIZATION).expect(200);
    const since = first.headers['understudy-request-id'];

    const waiting = control.get(
      `/requests/wait?path=/api/v1/organizations/{id}&status=4xx&since=${since}&timeout=2m`,
    );
    const calls = async () => {
      await api.get('/api/v1/organizations').expect(200);
      await api.get(ORGANIZATION).expect(200);
      await api.get('/api/v1/organizations/org_1').expect(404);
    };
    const [{ body }] = await Promise.all([waiting.expect(200), calls()]);

    expect(body.requests).toMatchObject([{ path: '/api/v1/organizations/org_1', status: 404 }]);
  });

  it('says what had come when time is up', async () => {
    const { api, control } = await boot();
    await api.get(ORGANIZATION).expect(200);

    const late = await control
      .get('/requests/wait?operation=OrganizationService_GetOrganization&count=2&timeout=10ms')
      .expect(408);

    expect(late.body).toMatchObject({
      code: 4,
      message: 'after 10ms, 1 of 2 calls had come',
      details: [{ error_code: 'DEADLINE_EXCEEDED' }],
      count: 1,
      requests: [{ operation: 'OrganizationService_GetOrganization' }],
    });
  });

  it('shows the nearest calls when time is up', async () => {
    const { api, control } = await boot();
    await api.get(ORGANIZATION).expect(200);

    const late = await control
      .get('/requests/wait?operation=OrganizationService_GetOrganization&status=404&timeout=10ms')
      .expect(408);

    expect(late.body).toMatchObject({
      requests: [],
      nearest: [{ path: ORGANIZATION, differences: [{ field: 'status', expected: '404', actual: 200 }] }],
    });
  });

  it.each([
    [
      'operation=OrganizationService_GetOrganisation',
      400,
      'did you mean OrganizationService_GetOrganization?',
    ],
    ['operation=Nothing*', 400, 'no operation matches Nothing*'],
    ['timeout=1h', 400, 'timeout: 1h is longer than a call may wait, 5m'],
    ['timeout=soon', 400, 'Validation error'],
    ['count=0', 400, 'Validation error'],
    ['status=600', 400, 'Validation error'],
    ['since=req_99', 404, 'request req_99 not found'],
  ])('refuses %s', async (query, status, message) => {
    const { control } = await boot();

    const refused = await control.get(`/requests/wait?${query}`).expect(status);

    expect(refused.body.message).toContain(message);
  });

  it.each([
    ['reset', (control: Agent) => control.post('/reset').set('understudy-environment', 'blue')],
    ['dropped', (control: Agent) => control.delete('/environments/blue')],
  ])('ends when the environment is %s', async (how, act) => {
    const { control, environment, understudy } = await boot();
    const blue = await environment('blue');
    const waiting = blue.control.get('/requests/wait?path=/nothing&timeout=2m').expect(410);

    const acting = listening(understudy, 'blue', 1).then(() => act(control).expect(204));
    const [{ body }] = await Promise.all([waiting, acting]);

    expect(body.message).toBe(`environment blue was ${how} while this call waited`);
  });

  it('ends when the caller leaves, and keeps nothing', async () => {
    const { understudy } = await boot();
    const server = createServer(understudy.app).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;

    const request = get(`http://127.0.0.1:${port}/_control/v1/requests/wait?path=/nothing&timeout=5m`);
    request.on('error', () => {});
    await listening(understudy, 'default', 1);
    request.destroy();

    await listening(understudy, 'default', 0);
  });
});

describe('a wait without a timeout', () => {
  it.each([
    ['/requests/wait?operation=UserService_ListUsers', 'after 4s, 0 of 1 calls had come'],
    ['/mail/wait', 'no such mail after 4s'],
    ['/outgoing/wait', 'no such call after 4s'],
    ['/webhooks/deliveries/wait', 'after 4s, 0 of 1 deliveries had come'],
  ])('ends after 4 s, before test runners end the test: %s', async (path, message) => {
    const { control } = await boot();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting = control.get(path).then();
    await eventually(
      () => vi.getTimerCount(),
      (count) => count === 1,
    );

    await vi.advanceTimersByTimeAsync(3999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);

    expect((await waiting).body.message).toMatch(message);
  });

  it('is as long as the document says', async () => {
    const { control } = await boot();

    const { body } = await control.get('/openapi.json').expect(200);

    expect(body.components.parameters.Timeout).toMatchObject({ name: 'timeout', schema: { default: '4s' } });
  });
});
