import { create } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, METHODS, openFor, told } from '../../server/grpc/support.ts';
import { boot, type Booted } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import { failure, notFound, refusal, required, tooLong } from '../../support/violations.ts';
import { OKTA, OWN_PAGE } from '../../support/fixture-ids.ts';

const PENDING = 'lri_10000000000000601';
const LOG = 'req_10000000000000703';
const USER = { sub: 'desk-18', email: 'ines@empty-desk.example' };

const path = (connection: string, request: string) =>
  `/api/v1/connections/${connection}/auth-requests/${request}/user`;
const refused = (message: string) => failure(9, 'FAILED_PRECONDITION', message);

async function stored({ control }: Booted) {
  const [request, log] = [`/state/login_requests/${PENDING}`, `/state/auth_logs/${LOG}`];
  return [(await control.get(request).expect(200)).body, (await control.get(log).expect(200)).body];
}

describe('AuthService_UpdateLoginUserDetails', () => {
  it('stores the user in the login request and the email address in the authentication log', async () => {
    const booted = await boot();
    const user = {
      ...USER,
      email_verified: true,
      groups: ['desk'],
      roles: ['admin'],
      custom_attributes: { floor: 3, tags: ['a'] },
      organization_external_id: 'desk',
      organization_external_name: 'x'.repeat(200),
    };

    const answer = await booted.api.post(path(OWN_PAGE, PENDING)).send(user).expect(200);

    expect(answer.body).toEqual({ auth_request_id: LOG });
    expect(await stored(booted)).toMatchObject([
      { status: 'COMPLETED', user },
      { status: 'PENDING', email: USER.email },
    ]);
  });

  it('stores a failed login in the login request and in the authentication log', async () => {
    const booted = await boot();

    await booted.api.post(path(OWN_PAGE, PENDING)).send({ login_failed: true }).expect(200);

    expect(await stored(booted)).toMatchObject([
      { status: 'FAILED', user: {} },
      { status: 'FAILED', email: '' },
    ]);
  });

  it.each([
    ['nothing', {}, ['user.sub', 'user.email']],
    ['no subject', { email: USER.email }, ['user.sub']],
    ['an empty email address', { ...USER, email: '' }, ['user.email']],
    ['login_failed: false without a user', { login_failed: false }, ['user.sub', 'user.email']],
  ])('refuses %s and keeps the request pending', async (_, body, fields) => {
    const booted = await boot();

    const answer = await booted.api.post(path(OWN_PAGE, PENDING)).send(body).expect(400);

    expect(answer.body).toEqual(refusal(...fields.map(required)));
    expect((await stored(booted))[0]).toMatchObject({ status: 'PENDING' });
  });

  it('enforces the maximum lengths', async () => {
    const { api } = await boot();
    const user = { ...USER, organization_external_name: 'x'.repeat(201) };

    const answer = await api
      .post(path('c'.repeat(33), PENDING))
      .send(user)
      .expect(400);

    expect(answer.body).toEqual(
      refusal(tooLong(32)('connection_id'), tooLong(200)('user.organization_external_name')),
    );
  });

  it.each([
    ['COMPLETED', 'lri_10000000000000602', 'was answered already'],
    ['FAILED', 'lri_10000000000000603', 'was answered already'],
    ['EXPIRED', 'lri_10000000000000604', 'has expired'],
  ])('refuses a request that is %s', async (_, id, why) => {
    const { api } = await boot();

    const answer = await api.post(path(OWN_PAGE, id)).send(USER).expect(400);

    expect(answer.body).toEqual(refused(`login request ${id} ${why}`));
  });

  it('refuses a second answer and an answer after the expiry time', async () => {
    const booted = await boot({ now: '2030-01-01T12:00:00Z' });
    const row = { connection_id: OWN_PAGE, auth_request_id: LOG, status: 'PENDING', expires_at: 'now+10m' };
    for (const id of ['lri_1', 'lri_2'])
      await booted.control.put(`/state/login_requests/${id}`).send(row).expect(200);
    await (await later(booted, '599s')).post(path(OWN_PAGE, 'lri_1')).send(USER).expect(200);

    const twice = await booted.api.post(path(OWN_PAGE, 'lri_1')).send(USER).expect(400);
    const late = await (await later(booted, '1s')).post(path(OWN_PAGE, 'lri_2')).send(USER).expect(400);

    expect(twice.body).toEqual(refused('login request lri_1 was answered already'));
    expect(late.body).toEqual(refused('login request lri_2 has expired'));
  });

  it.each([
    ['an unknown connection', 'conn_9', PENDING, 'connection conn_9 not found'],
    ['a resource id instead of a connection id', 'res_9', PENDING, 'connection res_9 not found'],
    ['an unknown request', OWN_PAGE, 'lri_9', 'login request lri_9 not found'],
    ['a request of another connection', OKTA, PENDING, `login request ${PENDING} not found`],
  ])('answers 404 for %s', async (_, connection, request, message) => {
    const { api } = await boot();

    const answer = await api.post(path(connection, request)).send(USER).expect(404);

    expect(answer.body).toEqual(notFound(message));
  });

  it('validates the user before it looks up the connection', async () => {
    const { api } = await boot();

    const answer = await api.post(path('conn_9', 'lri_9')).send({ sub: 'x' }).expect(400);

    expect(answer.body).toEqual(refusal(required('user.email')));
  });

  it('reports an empty login_request_id over gRPC as required', async () => {
    const { understudy, token } = await boot();
    const method = METHODS.get('AuthService_UpdateLoginUserDetails')!;
    const transport = grpcTo(await openFor(understudy));
    const message = create(method.input, { user: USER } as never);

    const response = await callRpc(transport, method, message, { authorization: `Bearer ${token}` });

    expect(told(response as ConnectError).infos[0]?.validationErrorInfo?.fieldViolations).toMatchObject([
      { field: 'connection_id', constraint: 'string.min_len' },
      { field: 'login_request_id', constraint: 'required', description: 'value is required' },
    ]);
  });

  it('deletes the request with its connection and keeps the authentication log', async () => {
    const { api, control } = await boot();
    await control.delete(`/state/connections/${OWN_PAGE}`).expect(204);

    await control.get(`/state/login_requests/${PENDING}`).expect(404);

    const { body } = await api.get('/api/v1/logs/authentication/requests').expect(200);
    expect(body.authRequests).toContainEqual(
      expect.objectContaining({ auth_request_id: LOG, connection_id: OWN_PAGE }),
    );
  });
});
