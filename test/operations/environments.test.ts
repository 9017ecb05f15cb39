import { create, toJson, type Message } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, METHODS, openFor } from '../server/grpc/support.ts';
import { boot } from '../support/boot.ts';

const PATH = '/api/v1/environments';
const ENVIRONMENT = {
  id: 'env_10000000000000001',
  create_time: '2026-01-01T00:00:00.000Z',
  update_time: '2026-01-01T00:00:00.000Z',
  display_name: 'default',
  domain: 'auth.example:8443',
  region_code: 'US',
  type: 'DEV',
  custom_domain_status: 'INITIAL',
};
const baseUrl = 'https://auth.example:8443';

describe('EnvironmentService_ListEnvironment', () => {
  it.each([
    ['', 1],
    ['?page_size=30&page_token=1', 1],
    ['?page_token=2', 0],
  ])('lists the environment of the token on the first page: %s', async (query, length) => {
    const { api } = await boot({ baseUrl });

    const { body } = await api.get(`${PATH}${query}`).expect(200);

    expect(body).toEqual({
      next_page_token: '',
      total_size: 1,
      environments: [ENVIRONMENT].slice(0, length),
    });
  });

  it('refuses a page token that is no number', async () => {
    const { api } = await boot();

    await api.get(`${PATH}?page_token=next`).expect(400);
  });
});

describe('EnvironmentService_GetEnvironment', () => {
  it('shows what the settings say', async () => {
    const { api, control } = await boot({ baseUrl });
    const environment = { display_name: 'Staging', type: 'PRD', custom_domain: 'auth.acme.example' };
    await control
      .patch('/state/settings/settings')
      .send({ environment_id: 'env_7', environment })
      .expect(200);

    const { body } = await api.get(`${PATH}/env_7`).expect(200);

    expect(body).toEqual({ environment: { ...ENVIRONMENT, id: 'env_7', ...environment } });
  });

  it('shows the same over gRPC', async () => {
    const { api, control, token, understudy } = await boot({ baseUrl });
    const environment = { custom_domain: 'auth.acme.example', custom_domain_status: 'ACTIVE' };
    await control.patch('/state/settings/settings').send({ environment }).expect(200);
    const method = METHODS.get('EnvironmentService_GetEnvironment')!;

    const heard = await callRpc(
      grpcTo(await openFor(understudy)),
      method,
      create(method.input, { id: ENVIRONMENT.id }),
      { authorization: `Bearer ${token}` },
    );

    const { body } = await api.get(`${PATH}/${ENVIRONMENT.id}`).expect(200);
    const shown = { ...body.environment, create_time: expect.any(String), update_time: expect.any(String) };
    expect(toJson(method.output, heard as Message, { useProtoFieldName: true })).toEqual({
      environment: shown,
    });
    expect(shown).toMatchObject(environment);
  });

  it('finds no other environment', async () => {
    const { api } = await boot();

    const { body } = await api.get(`${PATH}/env_2`).expect(404);

    expect(body.message).toBe('environment env_2 not found');
    await api.get(`${PATH}/org_1`).expect(400);
  });

  it('names the environment of the simulator', async () => {
    const { environment } = await boot();
    const { api } = await environment('red');

    const { body } = await api.get(PATH).expect(200);

    expect(body.environments).toMatchObject([{ display_name: 'red' }]);
  });
});
