import { describe, expect, it } from 'vitest';
import { readContract } from '../../src/contract/documents.ts';
import { boot } from '../support/boot.ts';
import { create, NOW, pathOf } from '../support/connections.ts';
import { failure, invalid, notFound, refusal, tooLong } from '../support/violations.ts';
import { NORDWIND } from '../support/fixture-ids.ts';

const ENVIRONMENT = '/api/v1/connections';
const ORGANIZATION = `/api/v1/organizations/${NORDWIND}/connections`;
const UNSUPPORTED = 'OAUTH, PASSWORDLESS and WEBAUTHN are not supported yet';

const broken = (description: string, constraint: string) =>
  refusal({ field: 'connection', description, constraint });

function contractEnums() {
  const { schemas } = readContract('openapi');
  const words = (name: string) => schemas[name]!.enum as string[];
  return { ConnectionProvider: words('ConnectionProvider'), ConnectionType: words('ConnectionType') };
}

describe('ConnectionService_CreateConnection', () => {
  it('creates a DRAFT connection with the addresses, key and defaults that the service sets', async () => {
    const { api } = await boot({ now: NOW, baseUrl: 'https://idp.example' });

    const connection = await create(api, { provider: 'OKTA', type: 'OIDC' }, NORDWIND);

    const base = `https://idp.example/sso/v1/oidc/${connection.id}`;
    expect(connection).toEqual({
      auth_mode: 'USER',
      id: expect.stringMatching(/^conn_\d{17,}$/),
      provider: 'OKTA',
      type: 'OIDC',
      status: 'DRAFT',
      enabled: false,
      debug_enabled: false,
      organization_id: NORDWIND,
      ui_button_title: 'Sign in with Okta',
      configuration_type: 'CONFIGURATION_TYPE_UNSPECIFIED',
      test_connection_uri: `${base}/test`,
      attribute_mapping: { email: 'email', given_name: 'given_name', family_name: 'family_name' },
      create_time: NOW,
      update_time: NOW,
      oidc_config: {
        scopes: ['openid', 'profile', 'email'],
        token_auth_type: 'BASIC_AUTH',
        redirect_uri: `${base}/callback`,
        post_logout_redirect_uri: `${base}/logout/callback`,
        backchannel_logout_redirect_uri: `${base}/backchannel-logout`,
        sync_user_profile_on_login: true,
        jit_provisioning_with_sso_enabled: true,
      },
      key_id: expect.stringMatching(/^okta-[A-Za-z0-9]{8}$/),
      provider_key: 'OKTA',
      domains: expect.any(Array),
    });
    expect((await api.get(pathOf(connection)).expect(200)).body).toEqual({ connection });
  });

  it("sets the service provider addresses and the provider's default attribute mapping on SAML connections", async () => {
    const { api } = await boot({ baseUrl: 'https://idp.example' });

    const okta = await create(api, { provider: 'OKTA', type: 'SAML' }, NORDWIND);
    const entra = await create(api, { provider: 'MICROSOFT_AD', type: 'SAML' }, NORDWIND);

    const base = `https://idp.example/sso/v1/saml/${okta.id}`;
    expect(okta).toMatchObject({
      test_connection_uri: `${base}/test`,
      attribute_mapping: { email: 'email', given_name: 'firstName', family_name: 'lastName' },
      saml_config: {
        sp_entity_id: base,
        sp_assertion_url: `${base}/callback`,
        sp_metadata_url: `${base}/metadata`,
        sp_slo_url: `${base}/slo/callback`,
        idp_certificates: [],
        idp_name_id_format: 'EMAIL',
      },
    });
    expect(entra.attribute_mapping.email).toContain('xmlsoap.org');
  });

  it('creates a connection of IDP_SIMULATOR as COMPLETED', async () => {
    const { api } = await boot();

    const connection = await create(api, { provider: 'IDP_SIMULATOR', type: 'OIDC' }, NORDWIND);

    expect(connection).toMatchObject({ status: 'COMPLETED', enabled: false });
  });

  it.each(['OAUTH', 'PASSWORDLESS', 'WEBAUTHN'])('refuses the type %s', async (type) => {
    const { api } = await boot();

    const refused = await api
      .post(ORGANIZATION)
      .send({ provider: 'CUSTOM', type, key_id: 'WEBAUTHN' })
      .expect(400);

    expect(refused.body).toEqual(broken(UNSUPPORTED, 'type_not_supported'));
  });

  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot();

    const refused = await api
      .post('/api/v1/organizations/org_9/connections')
      .send({ provider: 'OKTA', type: 'OIDC' });

    expect(refused.status).toBe(404);
    expect(refused.body).toEqual(notFound('organization org_9 not found'));
  });
});

describe('ConnectionService_CreateEnvironmentConnection', () => {
  it('fills in the settings of a catalogue application and enables the connection', async () => {
    const { api } = await boot({ baseUrl: 'https://idp.example' });

    const connection = await create(
      api,
      { provider_key: 'HUBSPOT', type: 'OAUTH' },
      undefined,
      '?flags.is_app=true',
    );

    expect(connection).toMatchObject({
      provider: 'CUSTOM',
      provider_key: 'HUBSPOT',
      key_id: expect.stringMatching(/^hubspot-[A-Za-z0-9]{8}$/),
      status: 'COMPLETED',
      enabled: true,
      test_connection_uri: '',
      attribute_mapping: {},
      oauth_config: {
        authorize_uri: expect.stringContaining('hubspot.com'),
        token_uri: expect.any(String),
        user_info_uri: expect.any(String),
        use_platform_creds: true,
        scopes: expect.arrayContaining(['crm.objects.deals.write']),
        redirect_uri: `https://idp.example/sso/v1/oauth/${connection.id}/callback`,
        is_cimd: false,
      },
    });
    expect(connection).not.toHaveProperty('organization_id');
    expect(connection.mcp_server_url).toBe(`https://idp.example/mcp/v3/connections/${connection.key_id}`);
  });

  it('creates connections that connected accounts can reference by key_id', async () => {
    const { api } = await boot();

    const { id, key_id } = await create(api, { provider_key: 'EXA', type: 'API_KEY' });

    const account = await api
      .post('/api/v1/connected_accounts')
      .send({ connector: key_id, identifier: 'ada', connected_account: {} })
      .expect(201);
    expect(account.body.connected_account).toMatchObject({
      connection_id: id,
      connector: key_id,
      provider: 'EXA',
      authorization_type: 'API_KEY',
    });
  });

  it.each([
    ['PASSWORD', 'COMPLETED', undefined],
    ['BASIC', 'COMPLETED', undefined],
    ['BEARER', 'COMPLETED', undefined],
    ['API_KEY', 'COMPLETED', undefined],
    ['TRUSTED_IDP', 'COMPLETED', undefined],
    ['NO_AUTH', 'COMPLETED', undefined],
    ['PASSWORDLESS', 'COMPLETED', 'passwordless_config'],
    ['OIDC', 'DRAFT', 'oidc_config'],
    ['SAML', 'DRAFT', 'saml_config'],
    ['OAUTH', 'DRAFT', 'oauth_config'],
    ['OAUTH_M2M', 'DRAFT', 'oauth_config'],
    ['TRELLO_OAUTH1', 'DRAFT', 'oauth_config'],
    ['SMART_FHIR', 'DRAFT', 'oauth_config'],
    ['GOOGLE_DWD', 'DRAFT', 'google_dwd_config'],
    ['WEBAUTHN', 'DRAFT', 'webauthn_config'],
  ])('creates a connection of type %s with status %s and settings %s', async (type, status, settings) => {
    const { api } = await boot();

    const connection = await create(api, { provider: 'CUSTOM', type, key_id: 'WEBAUTHN' });

    expect(connection).toMatchObject({ type, status });
    expect(Object.keys(connection).filter((name) => name.endsWith('_config'))).toEqual(
      settings ? [settings] : [],
    );
  });

  it('derives provider_key from provider, and provider from a known provider_key', async () => {
    const { api } = await boot();

    const named = await create(api, { provider: 'AUTH0', provider_key: '', type: 'OIDC' });
    const keyed = await create(api, {
      provider: 'CONNECTION_PROVIDER_UNSPECIFIED',
      provider_key: 'GMAIL',
      type: 'OAUTH',
    });
    const both = await create(api, { provider: 'CUSTOM', provider_key: 'Our CRM!', type: 'BEARER' });

    expect(named).toMatchObject({ provider: 'AUTH0', provider_key: 'AUTH0' });
    expect(keyed).toMatchObject({ provider: 'GOOGLE', provider_key: 'GMAIL' });
    expect(both).toMatchObject({ provider: 'CUSTOM', provider_key: 'Our CRM!' });
    expect(both.key_id).toMatch(/^our-crm--[A-Za-z0-9]{8}$/);
  });

  it.each([
    [{ type: 'OIDC' }, 'provider or provider_key is required.', 'provider_or_provider_key'],
    [{ type: 'OIDC', provider_key: '' }, 'provider or provider_key is required.', 'provider_or_provider_key'],
    [{ type: 'PASSWORD', provider: 'SCALEKIT' }, 'invalid value for provider_key.', 'scalekit_provider_key'],
    [
      { type: 'WEBAUTHN', provider: 'OKTA', key_id: 'passkeys' },
      'invalid value for key_id.',
      'webauthn_key_id',
    ],
  ])('refuses %j by a rule of the contract', async (body, description, constraint) => {
    const { api } = await boot();

    const refused = await api.post(ENVIRONMENT).send(body).expect(400);

    expect(refused.body).toEqual(broken(description, constraint));
  });

  it.each([
    [{ provider: 'OKTA' }, 'connection type is required'],
    [{ provider: 'OKTA', type: 'INVALID' }, 'connection type is required'],
    [
      { provider_key: 'NOBODY', type: 'OAUTH' },
      'provider NOBODY is not known; the setting tools.accept_unknown takes any provider',
    ],
  ])('refuses %j by a rule of the service', async (body, message) => {
    const { api } = await boot();

    const refused = await api.post(ENVIRONMENT).send(body).expect(400);

    expect(refused.body).toEqual(invalid(message));
  });

  it('keeps a given key_id and refuses one that is taken', async () => {
    const { api, control } = await boot();
    const before = (await control.get('/state/hash')).body.hash;

    const taken = await api
      .post(ENVIRONMENT)
      .send({ provider_key: 'SLACK', type: 'OAUTH', key_id: 'slack' })
      .expect(409);
    const long = await api
      .post(ENVIRONMENT)
      .send({ provider_key: 'SLACK', type: 'OAUTH', key_id: 'x'.repeat(301) })
      .expect(400);
    const after = (await control.get('/state/hash')).body.hash;
    const free = await create(api, { provider_key: 'SLACK', type: 'OAUTH', key_id: 'Slack' });

    expect(taken.body).toEqual(failure(6, 'ALREADY_EXISTS', 'connection with key_id slack exists already'));
    expect(long.body).toEqual(refusal(tooLong(300)('connection.key_id')));
    expect(after).toBe(before);
    expect(free.key_id).toBe('Slack');
  });

  it('does not enable a social connection by itself', async () => {
    const { api } = await boot();

    const social = await create(
      api,
      { provider: 'GITHUB', type: 'OAUTH' },
      undefined,
      '?flags.is_login=true',
    );

    expect(social).toMatchObject({ status: 'COMPLETED', enabled: false });
  });

  it('returns the MCP server address of an application', async () => {
    const { api } = await boot({ baseUrl: 'https://idp.example' });

    const connection = await create(api, { provider_key: 'APIFYMCP', type: 'BEARER', key_id: 'web' });

    expect(connection.mcp_server_url).toBe('https://idp.example/mcp/v3/connections/web');
  });

  it('returns no MCP server address for a connection that users sign in with', async () => {
    const { api } = await boot();

    const social = await create(
      api,
      { provider: 'GOOGLE', type: 'OAUTH', provider_key: 'GOOGLE', key_id: 'social' },
      undefined,
      '?flags.is_login=true',
    );

    expect(social).not.toHaveProperty('mcp_server_url');
  });
});

describe('a new connection', () => {
  const { ConnectionProvider, ConnectionType } = contractEnums();

  it.each(ConnectionType.filter((type) => type !== 'INVALID'))('can have the type %s', async (type) => {
    const { api } = await boot();
    const key = type === 'WEBAUTHN' && { key_id: 'WEBAUTHN' };

    const { body } = await api
      .post(ENVIRONMENT)
      .send({ provider: 'CUSTOM', type, ...key })
      .expect(201);

    expect(body.connection).toMatchObject({ type, provider: 'CUSTOM' });
  });

  it.each(ConnectionProvider.filter((each) => each !== 'CONNECTION_PROVIDER_UNSPECIFIED'))(
    'can have the provider %s, given by name or by key',
    async (provider) => {
      const { api } = await boot({ fixture: 'empty' });

      for (const wanted of [{ provider, provider_key: provider }, { provider_key: provider }]) {
        const { body } = await api
          .post(ENVIRONMENT)
          .send({ ...wanted, type: 'OIDC' })
          .expect(201);
        expect(body.connection).toMatchObject({ provider, provider_key: provider });
      }
    },
  );

  it.each(['default', 'empty'])(
    'can have the built-in provider GOOGLEDWD with the %s fixture',
    async (fixture) => {
      const { api } = await boot({ fixture });
      const wanted = { provider_key: 'GOOGLEDWD', type: 'GOOGLE_DWD', key_id: 'workspace' };
      const { body } = await api.post(`${ENVIRONMENT}?flags.is_app=true`).send(wanted).expect(201);
      const { id, ...created } = body.connection;
      expect(created).toMatchObject({ ...wanted, provider: 'GOOGLE', status: 'DRAFT' });

      const google_dwd_config = { service_account_json: '{"client_email":"bot@example.com"}' };
      await api.patch(`${ENVIRONMENT}/${id}`).send({ google_dwd_config }).expect(200);
      await api.patch(`${ENVIRONMENT}/${id}:enable`).expect(200);
      const account = { authorization_details: { google_dwd: { subject: 'ada@acme.example' } } };
      const made = await api
        .post('/api/v1/connected_accounts')
        .send({ connector: 'workspace', identifier: 'ada', connected_account: account })
        .expect(201);

      expect(made.body.connected_account).toMatchObject({
        status: 'ACTIVE',
        provider: 'GOOGLEDWD',
        authorization_type: 'GOOGLE_DWD',
      });
    },
  );
});
