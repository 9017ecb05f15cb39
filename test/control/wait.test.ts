import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Understudy } from '../../src/simulator.ts';
import { boot, type Agent } from '../support/boot.ts';
import { eventually } from '../support/process.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

/** Waits until an environment has this many subscribers. */
const listening = ({ controls }: Understudy, name: string, wanted: number) =>
  eventually(
    () => controls.simulator.environments.get(name).activity.subscribers,
    (count) => count === wanted,
  );

describe('Control_WaitForRequests', () => {
  it('responds at once when enough calls are in the journal', async () => {
    const { api, control } = await boot();
    await api.get(ORGANIZATION).expect(200);
    await api.get('/api/v1/organizations/org_1').expect(404);

    const { body } = await control
      .get('/requests/wait?operation=OrganizationService_Get*&count=2&timeout=0s')
      .expect(200);

    expect(body.requests).toMatchObject([{ status: 200 }, { status: 404 }]);
  });

  it('responds when the last of the calls has arrived', async () => {
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

  it('reads what has come before it gives up, if the machine has stopped the process meanwhile', async () => {
    const { api, control, understudy } = await boot();
    const before = understudy.controls.simulator.environments.get('default').activity.subscribers;
    const waiting = control
      .get('/requests/wait?operation=OrganizationService_GetOrganization&timeout=500ms')
      .expect(200)
      .then();
    await listening(understudy, 'default', before + 1);

    const calling = api.get(ORGANIZATION).expect(200).then();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);

    await Promise.all([waiting, calling]);
  });

  it('counts only later calls with `since`, and only those that match', async () => {
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

  it('does not count a call that arrived before `since` and is answered later', async () => {
    const { api, control, understudy } = await boot();
    const rule = { on: 'OrganizationService_GetOrganization', times: 1, fault: { delay: '300ms' } };
    await control
      .post('/scenarios')
      .send({ name: 'slow', rules: [rule] })
      .expect(201);
    const early = api.get(ORGANIZATION).expect(200);
    const answered = early.then(() => undefined);
    await eventually(
      async () =>
        (await control.get('/requests?operation=OrganizationService_GetOrganization')).body
          .requests as object[],
      (requests) => requests.length === 1,
    );
    const between = await api.get('/api/v1/organizations').expect(200);
    const since = between.headers['understudy-request-id'];

    const waiting = control
      .get(`/requests/wait?operation=OrganizationService_GetOrganization&since=${since}&timeout=2m`)
      .expect(200);
    const late = async () => {
      await listening(understudy, 'default', 1);
      await answered;
      return api.get(ORGANIZATION).expect(200);
    };
    const [{ body }, { headers }] = await Promise.all([waiting, late()]);

    expect(body.requests).toMatchObject([{ id: headers['understudy-request-id'] }]);
  });

  it('lists the calls so far when it times out', async () => {
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

  it('shows the nearest calls when it times out', async () => {
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

  it('ends when the client disconnects, and unsubscribes', async () => {
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
    ['/mail/wait', 'no matching mail came within 4s'],
    ['/outgoing/wait', 'no matching call came within 4s'],
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

  it('has the default timeout that the document declares', async () => {
    const { control } = await boot();

    const { body } = await control.get('/openapi.json').expect(200);

    expect(body.components.parameters.Timeout).toMatchObject({ name: 'timeout', schema: { default: '4s' } });
  });
});
