import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, METHODS, openFor } from '../server/grpc/support.ts';
import { boot, bootOnce } from '../support/boot.ts';
import { aResource, REPORTING } from '../support/resources.ts';
import { invalid } from '../support/violations.ts';
import { TASK_SERVER } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();
const RESOURCES = '/api/v1/resources';

describe('Protected resources', () => {
  it('are created with scopes, show the metadata that their server publishes, and are listed by type', async () => {
    const { api } = await fresh();

    const { id } = await aResource(api, { scopes: ['invoices:read', 'todo:read'] });

    const { body } = await api.get(`${RESOURCES}/${id}`).expect(200);
    expect(body.resource).toMatchObject({
      id: expect.stringMatching(/^res_\d{17,}$/),
      resource_uri: 'http://localhost:3002/mcp',
      access_token_expiry: '3600',
      scopes: [
        { id: 'scp_10000000000000001', name: 'todo:read', enabled: true },
        { name: 'todo:write', enabled: false },
        { name: 'invoices:read', enabled: true },
      ],
      protected_metadata: {
        resource: 'http://localhost:3002/mcp',
        scopes_supported: ['invoices:read', 'todo:read'],
        bearer_methods_supported: ['header'],
      },
    });
    const listed = await api.get(`${RESOURCES}?resource_type=MCP_SERVER`).expect(200);
    expect(listed.body).toMatchObject({
      total_size: 2,
      resources: [
        { id, scopes: body.resource.scopes },
        { id: TASK_SERVER, scopes: [{}, {}, { name: 'invoices:read', enabled: false }] },
      ],
    });
    const others = await api.get(`${RESOURCES}?resource_type=WEB`).expect(200);
    expect(others.body).toMatchObject({ total_size: 0, resources: [] });
  });

  it('may have an id of the older kind, from a fixture', async () => {
    const { api, control } = await fresh();
    const resources = [{ id: 'app_1', name: 'Older', resource_type: 'MCP_SERVER' }];
    await control
      .put('/state')
      .send({ include: ['default'], resources })
      .expect(204);

    const changed = await api.patch(`${RESOURCES}/app_1`).send({ description: 'Tasks' }).expect(200);

    expect(changed.body.resource).toMatchObject({ id: 'app_1', name: 'Older', description: 'Tasks' });
  });

  it('change what is given, or what the mask names', async () => {
    const { api } = await fresh();
    const change = async (body: object, query = '') =>
      (await api.patch(`${RESOURCES}/${TASK_SERVER}${query}`).send(body).expect(200)).body.resource as object;

    const changed = await change({ name: 'Tasks', enable_cimd: false, access_token_expiry: 60 });
    const masked = await change({}, '?update_mask=description,scopes');

    expect(changed).toMatchObject({ name: 'Tasks', enable_cimd: false, access_token_expiry: '60' });
    const scopes = [{ enabled: false }, { enabled: false }];
    expect(masked).toMatchObject({ name: 'Tasks', description: '', scopes });
  });

  it.each([
    ['resource.resource_type', { name: 'x', resource_type: 'RESOURCE_TYPE_UNSPECIFIED' }],
    ['resource.resource_type', { name: 'x' }],
    ['resource.name', { resource_type: 'WEB' }],
    ['resource.resource_uri', { name: 'x', resource_type: 'WEB', resource_uri: 'todo' }],
    ['resource.scopes[0]', { name: 'x', resource_type: 'WEB', scopes: ['todo read'] }],
  ])('are refused with a wrong %s', async (field, body) => {
    const { api } = await fresh();

    const refused = await api.post(RESOURCES).send(body).expect(400);

    const [{ validation_error_info: info }] = refused.body.details;
    expect(info.field_violations).toMatchObject([{ field }]);
  });

  it('name the fields that a mask may have', async () => {
    const { api } = await fresh();

    const refused = await api.patch(`${RESOURCES}/${TASK_SERVER}?update_mask=colour`).send({}).expect(400);

    expect(refused.body.message).toContain('the mask names colour');
  });

  it('take their clients and consents with them', async () => {
    const { api, control } = await fresh();

    await api.delete(`${RESOURCES}/${TASK_SERVER}`).expect(200);

    await api.get(`${RESOURCES}/${TASK_SERVER}`).expect(404);
    await control.get(`/state/clients/${REPORTING.client_id}`).expect(404);
    await control.get('/state/consents/usrcnst_10000000000000001').expect(404);
  });

  it('get one connection for a login page of their own, and lose it with their provider', async () => {
    const { api } = await fresh();
    const ensure = async () =>
      (await api.post(`${RESOURCES}/${TASK_SERVER}/connections`).send({}).expect(200)).body.connection;

    const made = await ensure();
    const again = await ensure();
    const login = { custom_connection_settings: { authorize_uri: 'https://login.example.com' } };
    const shown = await api.patch(`${RESOURCES}/${TASK_SERVER}`).send(login).expect(200);
    const script = { custom_connection_settings: { authorize_uri: 'javascript:alert(1)' } };
    const refused = await api.patch(`${RESOURCES}/${TASK_SERVER}`).send(script).expect(400);
    const without = await api.put(`${RESOURCES}/${TASK_SERVER}/provider:delete`).expect(200);

    expect(again).toEqual(made);
    expect(shown.body.resource.connection_details).toMatchObject({
      id: made.id,
      enabled: true,
      settings: { authorize_uri: 'https://login.example.com' },
    });
    expect(JSON.stringify(refused.body)).toContain('resource.custom_connection_settings.authorize_uri');
    expect(without.body.resource.connection_details).toBeUndefined();
    await api.get(`/api/v1/connections/${made.id}`).expect(404);
  });
});

describe('Scopes', () => {
  it('are created once, changed, and taken from resources when they are deleted', async () => {
    const { api } = await fresh();
    const scope = { name: 'mail:read', description: 'Read mail' };

    const made = await api.post('/api/v1/scopes').send(scope).expect(201);
    await api.post('/api/v1/environments/env_10000000000000001/scopes').send(scope).expect(400);
    await api.post('/api/v1/environments/env_9/scopes').send(scope).expect(404);
    const off = await api.patch('/api/v1/scopes/scp_10000000000000001').send({ enabled: false }).expect(200);
    await api.delete('/api/v1/scopes/scp_10000000000000002').expect(200);

    expect(made.body.scope).toMatchObject({ ...scope, enabled: true });
    expect(off.body.scope).toMatchObject({ name: 'todo:read', enabled: false });
    const { body } = await api.get(`${RESOURCES}/${TASK_SERVER}`).expect(200);
    expect(body.resource.scopes).toMatchObject([
      { name: 'todo:read', enabled: false },
      { name: 'mail:read', enabled: false },
    ]);
    expect(body.resource.protected_metadata.scopes_supported).toEqual([]);
    const all = await api.get('/api/v1/scopes').expect(200);
    expect(all.body.scopes).toHaveLength(2);
  });
});

describe('Clients of a protected resource', () => {
  const CLIENTS = `${RESOURCES}/${TASK_SERVER}/clients`;
  const CONSENTS = `/api/v1/user_consents?resource_id=${TASK_SERVER}`;

  it('are created with a secret, changed, counted and deleted', async () => {
    const { api } = await fresh();

    const made = await api
      .post(CLIENTS)
      .send({ name: 'Bot', scopes: ['todo:read'] })
      .expect(201);
    const { client_id } = made.body.client;
    const at = `${CLIENTS}/${client_id}`;
    const changed = await api
      .patch(at)
      .send({ redirect_uris: ['https://bot.example/callback'] })
      .expect(200);
    const listed = await api.get(CLIENTS).expect(200);
    await api.delete(at).expect(200);

    expect(made.body).toMatchObject({
      client: { resource_id: TASK_SERVER, is_dcr: false },
      plain_secret: expect.any(String),
    });
    expect(changed.body.client).toMatchObject({
      name: 'Bot',
      redirect_uris: ['https://bot.example/callback'],
    });
    expect(listed.body).toMatchObject({
      clients: [{ client_id }, {}],
      total_dcr_clients: 0,
      total_static_clients: 2,
    });
    await api.get(at).expect(404);
  });

  it('have one to five secrets', async () => {
    const { api } = await fresh();
    const path = `/api/v1/clients/${REPORTING.client_id}/secrets`;

    const last = await api.delete(`${path}/sks_10000000000000004`).expect(400);
    for (let i = 0; i < 4; i++) await api.post(path).expect(201);
    const sixth = await api.post(path).expect(400);

    expect(last.body).toEqual(invalid('at least one secret is required'));
    expect(sixth.body).toEqual(invalid('only 5 secrets are allowed'));
  });

  it('are no clients of the environment or of another resource', async () => {
    const { api } = await fresh();
    const other = await aResource(api);

    await api.get(`/api/v1/clients/${REPORTING.client_id}`).expect(404);
    await api.get(`${RESOURCES}/${other.id}/clients/${REPORTING.client_id}`).expect(404);
    const all = await api.get('/api/v1/clients?filter.client_type=ALL').expect(200);
    expect(JSON.stringify(all.body)).not.toContain(REPORTING.client_id);
  });

  it('show the consents of the users whose external ids are given', async () => {
    const booted = await fresh();
    const { body: all } = await booted.api.get(CONSENTS).expect(200);
    const [{ external_user_id: user }] = all.consents;
    const found = async (query: string) =>
      (await booted.api.get(`${CONSENTS}${query}`).expect(200)).body.total_size as number;

    const sizes = [
      await found(`&filter.external_user_id=${user}&filter.external_user_id=x&search=nobody`),
      await found(`&filter.external_user_id=${user.toUpperCase()}&search=${user}`),
      await found(`&filter.external_user_id=%20&search=${user}`),
      await found('&filter.external_user_id=&search=nobody'),
    ];
    const many = '&filter.external_user_id=x'.repeat(26);
    const refused = await booted.api.get(`${CONSENTS}${many}`).expect(400);

    expect(sizes).toEqual([1, 0, 1, 0]);
    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field: 'filter.external_user_id', constraint: 'repeated.max_items' },
    ]);
  });

  it('show them over gRPC, where the filter is a message', async () => {
    const { understudy, api, token } = await boot();
    const { body: all } = await api.get(CONSENTS).expect(200);
    const method = METHODS.get('ClientService_ListResourceUserConsents')!;
    const transport = grpcTo(await openFor(understudy));
    const found = async (...externalUserId: string[]) => {
      const request = { resourceId: TASK_SERVER, filter: { externalUserId } };
      const message = create(method.input, request as never);
      return callRpc(transport, method, message, { authorization: `Bearer ${token}` });
    };

    expect(await found(all.consents[0].external_user_id)).toMatchObject({ totalSize: 1 });
    expect(await found('x')).toMatchObject({ totalSize: 0 });
    expect(await found()).toMatchObject({ totalSize: 1 });
  });

  it('show who consented', async () => {
    const { api } = await fresh();

    const { body } = await api.get(`${CLIENTS}/${REPORTING.client_id}`).expect(200);

    expect(body.consented_users).toEqual([
      {
        consent_id: 'usrcnst_10000000000000001',
        external_user_id: expect.any(String),
        scopes: ['todo:read'],
      },
    ]);
  });
});
