import { toJson } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, messageOf, METHODS, openFor } from '../server/grpc/support.ts';
import { boot, bootOnce, type Agent } from '../support/boot.ts';

const { fresh } = bootOnce();
const PATH = '/api/v1/environments/env_10000000000000001/settings/test-user';
const JOHN = 'john+sktest@acme.example';
const change = (api: Agent, test_user: object) => api.patch(PATH).send({ test_user });

describe('the test users of the environment', () => {
  it('are switched off and have the usual code at first', async () => {
    const { api } = await fresh();

    const { body } = await api.get(PATH).expect(200);

    expect(body).toEqual({
      test_user: { enabled: false, static_confirmation_code: '424242', emails: [] },
    });
  });

  it('are stored in lower case and once', async () => {
    const { api } = await fresh();
    const emails = [JOHN, 'John+SKTest@Acme.example', 'mara+sktest@acme.example'];

    const { body } = await change(api, { enabled: true, emails }).expect(200);

    const test_user = {
      enabled: true,
      static_confirmation_code: '424242',
      emails: [JOHN, 'mara+sktest@acme.example'],
    };
    expect(body).toEqual({ environment_id: 'env_10000000000000001', test_user });
    expect((await api.get(PATH).expect(200)).body).toEqual({ test_user });
  });

  it('keep what a change does not have', async () => {
    const { api } = await fresh();
    await change(api, { enabled: true, emails: [JOHN] }).expect(200);

    const { body } = await change(api, { static_confirmation_code: '135790' }).expect(200);

    expect(body.test_user).toEqual({ enabled: true, static_confirmation_code: '135790', emails: [JOHN] });
  });

  it('get the code, and no mail', async () => {
    const { api, control } = await fresh();
    await control.patch('/state/connections/conn_10000000000000241').send({ enabled: true }).expect(200);
    await change(api, { enabled: true, static_confirmation_code: '135790', emails: [JOHN] }).expect(200);

    const { body } = await api.post('/api/v1/passwordless/email/send').send({ email: JOHN }).expect(200);

    const code = { auth_request_id: body.auth_request_id, code: '135790' };
    await api.post('/api/v1/passwordless/email/verify').send(code).expect(200);
    expect((await control.get('/mail').expect(200)).body.mails).toEqual([]);
  });

  it.each([
    [{ emails: ['john@acme.example'] }, 'test_user.emails[0]'],
    [{ emails: ['john+test@acme.example'] }, 'test_user.emails[0]'],
    [{ emails: ['sktest+john@acme.example'] }, 'test_user.emails[0]'],
    [{ emails: ['john@acme+sktest.example'] }, 'test_user.emails[0]'],
    [{ emails: [1, 2, 3, 4, 5, 6].map((each) => `a${each}+sktest@acme.example`) }, 'test_user.emails'],
    [{ static_confirmation_code: '12345' }, 'test_user.static_confirmation_code'],
  ])('are refused: %j', async (test_user, field) => {
    const { api } = await fresh();

    const { body } = await change(api, test_user).expect(400);

    const [{ validation_error_info }] = body.details;
    expect(validation_error_info.field_violations).toMatchObject([{ field }]);
    expect((await api.get(PATH).expect(200)).body.test_user).toMatchObject({ enabled: false, emails: [] });
  });

  it('of another environment are not found', async () => {
    const { api } = await fresh();
    const other = PATH.replace('env_1', 'env_2');

    await api.get(other).expect(404);
    await api
      .patch(other)
      .send({ test_user: { enabled: true } })
      .expect(404);
  });

  it('are read and changed over gRPC', async () => {
    const { understudy, token } = await boot();
    const transport = grpcTo(await openFor(understudy));
    const id = 'env_10000000000000001';
    const ask = async (name: string, body?: object) => {
      const method = METHODS.get(`EnvironmentService_${name}`)!;
      const message = messageOf(method, { params: { id }, query: '', body });
      const answer = await callRpc(transport, method, message, { authorization: `Bearer ${token}` });
      return toJson(method.output, answer as never);
    };

    await ask('UpdateEnvironmentTestUser', { test_user: { enabled: true, emails: [JOHN] } });

    const testUser = { enabled: true, staticConfirmationCode: '424242', emails: [JOHN] };
    expect(await ask('GetEnvironmentTestUser')).toEqual({ testUser });
  });
});
