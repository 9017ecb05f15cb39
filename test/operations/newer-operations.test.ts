import { create as createMessage } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent } from '../support/boot.ts';
import { bootPort } from '../support/mcp.ts';
import { callRpc, grpcTo, METHODS } from '../server/grpc/support.ts';

const { fresh } = bootOnce();
const onPort = bootPort();
const origin = (at: (url: string) => string) => new URL(at('http://localhost/')).origin;

describe("the redirect addresses of the environment's own client", () => {
  const PATH = '/api/v1/environment/redirect-uris';
  const add = (api: Agent, redirect_uri: string) => api.post(PATH).send({ redirect_uri });
  const remove = (api: Agent, address: string) =>
    api.delete(`${PATH}?redirect_uri=${encodeURIComponent(address)}`);

  it('are added and removed, and keep a default without a placeholder', async () => {
    const { api, control } = await fresh();
    const { clients } = (await api.get('/api/v1/clients').expect(200)).body;
    await control.patch(`/state/clients/${clients[0].id}`).send({ post_login_uris: [] }).expect(200);

    await add(api, 'https://a.example/back').expect(200);
    await add(api, 'https://{{slug}}.b.example/back').expect(200);
    await add(api, 'https://*.c.example/back').expect(200);
    await add(api, 'https://a.example/back').expect(409);
    await add(api, 'not an address').expect(400);
    await add(api, 'https://app-{{slug}}.b.example/back').expect(400);
    const { body } = await remove(api, 'https://a.example/back').expect(200);

    expect(body).toMatchObject({
      client_id: clients[0].id,
      redirect_uris: ['https://*.c.example/back', 'https://{{slug}}.b.example/back'],
    });
    await remove(api, 'https://a.example/back').expect(404);
    await remove(api, 'https://*.c.example/back').expect(200);
    await remove(api, 'https://{{slug}}.b.example/back').expect(400);
  });

  it('end at five', async () => {
    const { api, control } = await fresh();
    const { clients } = (await api.get('/api/v1/clients').expect(200)).body;
    await control.patch(`/state/clients/${clients[0].id}`).send({ post_login_uris: [] }).expect(200);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await add(api, `https://${name}.example/back`).expect(200);

    await add(api, 'https://f.example/back').expect(400);
  });

  it('stand beside the address at which sign-ins start', async () => {
    const { api } = await fresh();
    const set = (initiate_login_uri: string) =>
      api.put('/api/v1/environment/initiate-login-uri').send({ initiate_login_uri });

    const { body } = await set('https://a.example/login').expect(200);

    expect(body.initiate_login_uri).toBe('https://a.example/login');
    await set('').expect(400);
    await set('login').expect(400);
  });
});

describe('the branding of an organization', () => {
  const PATH = '/api/v1/organizations/org_10000000000000001/portal_customizations';

  it("is the environment's until settings are saved, which stay when it goes back", async () => {
    const { api } = await fresh();
    const put = (source: string, customization_settings?: object) =>
      api.put(PATH).send({ source: `BRANDING_SOURCE_${source}`, customization_settings });
    const settings = { primary_color: '#123456' };

    expect((await api.get(PATH).expect(200)).body.branding).toEqual({
      source: 'BRANDING_SOURCE_ENVIRONMENT',
    });
    await put('CUSTOM').expect(400);
    await put('CUSTOM', settings).expect(200);
    const back = await put('ENVIRONMENT').expect(200);
    const again = await put('CUSTOM').expect(200);

    expect(back.body.branding).toMatchObject({
      source: 'BRANDING_SOURCE_ENVIRONMENT',
      customization_settings: settings,
    });
    expect(again.body.branding).toMatchObject({
      source: 'BRANDING_SOURCE_CUSTOM',
      customization_settings: settings,
    });
    await put('UNSPECIFIED').expect(400);
    await api.get(PATH.replace('org_10000000000000001', 'org_1')).expect(404);
  });

  it('is not shown with the organization', async () => {
    const { api } = await fresh();
    const source = 'BRANDING_SOURCE_ENVIRONMENT';
    const own = '/api/v1/organizations/org_10000000000000001';
    await api.put(PATH).send({ source }).expect(200);

    const { body } = await api.get(own).expect(200);
    await api.patch(own).send({ display_name: 'Acme' }).expect(200);
    const list = await api.get('/api/v1/organizations').expect(200);
    await api.get('/api/v1/organizations:search?query=acme').expect(200);

    expect(body.organization).not.toHaveProperty('branding');
    expect(JSON.stringify(list.body)).not.toContain('branding');
  });
});

describe('operations of the newest SDK', () => {
  it('answer over gRPC', async () => {
    const { at, token } = await onPort();
    const call = (name: string, message: object = {}) => {
      const method = METHODS.get(name)!;
      const headers = { authorization: `Bearer ${token}` };
      return callRpc(grpcTo(origin(at)), method, createMessage(method.input, message as never), headers);
    };

    const mine = (await call('ProviderService_ListMyProviders')) as unknown as {
      providers: { isCustom: boolean }[];
    };
    expect(mine.providers.length).toBeGreaterThan(0);
    expect(mine.providers.every(({ isCustom }) => isCustom)).toBe(true);
    expect(
      await call('ClientService_SetEnvironmentInitiateLoginUri', { initiateLoginUri: 'https://a.example/x' }),
    ).toMatchObject({ initiateLoginUri: 'https://a.example/x' });
    const organizationId = 'org_10000000000000001';
    expect(await call('OrganizationService_GetOrganizationBranding', { organizationId })).toMatchObject({
      branding: { source: 1 },
    });
    const error = (await call('OrganizationService_GetOrganizationBranding', {
      organizationId: 'org_1',
    })) as ConnectError;
    expect(error.code).toBe(5);
  });
});
