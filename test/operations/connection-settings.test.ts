import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import {
  create,
  FIXED,
  IDP_CERTIFICATE,
  MASK,
  NEXT_CERTIFICATE,
  NOW,
  refused,
  update,
} from '../support/connections.ts';
import { invalid, notFound } from '../support/violations.ts';
import { NORDWIND } from '../support/fixture-ids.ts';

describe('saml_config', () => {
  const SAML = { provider: 'OKTA', type: 'SAML' };
  const addresses = {
    idp_entity_id: 'https://idp.nordwind.example',
    idp_sso_url: 'https://idp.nordwind.example/sso',
  };

  it('reads the issuer and the expiry time of a certificate', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, SAML, NORDWIND);

    const started = await update(api, created, { saml_config: addresses });
    const done = await update(api, created, { saml_config: { idp_certificate: IDP_CERTIFICATE } });

    expect([started.status, done.status]).toEqual(['IN_PROGRESS', 'COMPLETED']);
    expect(done.saml_config).toMatchObject({ ...addresses, idp_name_id_format: 'EMAIL' });
    expect(done.saml_config.idp_certificates).toEqual([
      {
        certificate: IDP_CERTIFICATE,
        create_time: NOW,
        expiry_time: '2036-11-18T15:48:10.000Z',
        id: expect.stringMatching(/^cert_\d{17,}$/),
        issuer: 'O=Nordwind, CN=idp.nordwind.example',
      },
    ]);
  });

  it('keeps the same certificate, replaces it by another and removes it for an empty string', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, SAML, NORDWIND);
    const certificates = async (idp_certificate?: string) => {
      const settings = { ...addresses, ...(idp_certificate !== undefined && { idp_certificate }) };
      return (await update(api, created, { saml_config: settings })).saml_config.idp_certificates;
    };

    const first = await certificates(IDP_CERTIFICATE);
    expect(await certificates()).toEqual(first);
    expect(await certificates(IDP_CERTIFICATE)).toEqual(first);
    expect(await certificates(NEXT_CERTIFICATE)).toMatchObject([
      { issuer: 'CN=next.nordwind.example', certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE/) },
    ]);
    expect(await certificates('')).toEqual([]);
  });

  it('refuses an invalid certificate', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, SAML, NORDWIND);

    expect(await refused(api, created, { saml_config: { idp_certificate: 'MIIDnope' } })).toEqual(
      invalid('idp_certificate is not an X.509 certificate'),
    );
  });

  it('is complete with a metadata URL and accepts a custom sp_entity_id', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, SAML, NORDWIND);

    const updated = await update(api, created, {
      saml_config: {
        idp_metadata_url: 'https://idp.example/metadata',
        sp_entity_id: 'urn:former',
        force_authn: true,
      },
    });

    expect(updated).toMatchObject({
      status: 'COMPLETED',
      saml_config: {
        sp_entity_id: 'urn:former',
        force_authn: true,
        sp_slo_url: created.saml_config.sp_slo_url,
      },
    });
  });
});

describe('ConnectionService_UpdateEnvironmentConnection', () => {
  it('merges a client id and secret into the catalogue settings and turns off use_platform_creds', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, { provider_key: 'HUBSPOT', type: 'OAUTH' });

    const updated = await update(api, created, {
      provider_key: 'HUBSPOT',
      key_id: created.key_id,
      type: 'OAUTH',
      oauth_config: { client_id: 'test-client-id', client_secret: 'hush-hush' },
    });

    expect(updated).toMatchObject({ status: 'COMPLETED', enabled: true });
    expect(updated.oauth_config).toEqual({
      ...created.oauth_config,
      client_id: 'test-client-id',
      client_secret: MASK,
      use_platform_creds: false,
    });
  });

  it('merges them also when the row has no oauth_config', async () => {
    const { api } = await boot(FIXED);

    const updated = await update(
      api,
      { id: 'conn_10000000000000202' },
      { oauth_config: { client_id: 'a', client_secret: 'b' } },
    );

    expect(updated).toMatchObject({ status: 'COMPLETED', enabled: true });
    expect(updated.oauth_config.authorize_uri).toContain('slack.com');
  });

  it('fills optional settings with zero values', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, { provider_key: 'HUBSPOT', type: 'OAUTH' });

    const updated = await update(api, created, {
      oauth_config: {
        optional_scopes: {},
        extensions: { smart: { aud: 'https://fhir.example' } },
        prompt: 'consent',
      },
    });

    expect(updated.oauth_config).toMatchObject({
      prompt: 'consent',
      optional_scopes: { scopes: [], field_name: '' },
      extensions: { smart: { aud: 'https://fhir.example', domain: '' }, extra_authorize_params: {} },
    });
  });

  it.each([
    [
      'OAUTH',
      {
        authorize_uri: 'https://a.example',
        token_uri: 'https://t.example',
        client_id: 'a',
        client_secret: 'b',
      },
    ],
    ['OAUTH_M2M', { token_uri: 'https://t.example', client_id: 'a', client_secret: 'b' }],
    [
      'TRELLO_OAUTH1',
      {
        authorize_uri: 'https://a.example',
        token_uri: 'https://t.example',
        client_id: 'a',
        client_secret: 'b',
      },
    ],
    [
      'SMART_FHIR',
      {
        authorize_uri: 'https://a.example',
        token_uri: 'https://t.example',
        client_id: 'a',
        client_secret: 'b',
        extensions: { smart: { aud: 'https://fhir.example' } },
      },
    ],
  ])('completes %s only when all required settings are given', async (type, settings) => {
    const { api } = await boot(FIXED);

    for (const left of Object.keys(settings)) {
      const created = await create(api, { provider: 'CUSTOM', type });
      const { [left]: _, ...rest } = settings as Record<string, unknown>;
      expect(await update(api, created, { oauth_config: rest })).toMatchObject({ status: 'IN_PROGRESS' });
      const whole = { [left]: (settings as Record<string, unknown>)[left] };
      expect(await update(api, created, { oauth_config: whole })).toMatchObject({ status: 'COMPLETED' });
    }
  });

  it('masks the service account JSON of Google domain-wide delegation', async () => {
    const { api, control } = await boot(FIXED);
    const created = await create(api, {
      provider_key: 'GMAIL',
      type: 'GOOGLE_DWD',
      key_id: 'test-gdwd-abc123',
    });
    const key = JSON.stringify({ type: 'service_account', private_key: 'hush' });

    const updated = await update(api, created, {
      google_dwd_config: { service_account_json: key, scopes: ['a'] },
    });
    await update(api, created, { google_dwd_config: { ...updated.google_dwd_config, scopes: [] } });

    expect(updated).toMatchObject({ status: 'COMPLETED', key_id: 'test-gdwd-abc123' });
    expect(updated.google_dwd_config).toEqual({
      service_account_json: MASK,
      scopes: ['a'],
      required_scopes: [],
      token_uri: 'https://oauth2.googleapis.com/token',
    });
    const { body } = await control.get(`/state/connections/${created.id}`);
    expect(body.google_dwd_config).toMatchObject({ service_account_json: key, scopes: [] });
    for (const text of ['no JSON', '[]', 'null']) {
      expect(await refused(api, created, { google_dwd_config: { service_account_json: text } })).toEqual(
        invalid('service_account_json is not the JSON of a key file'),
      );
    }
  });

  it('merges the free settings of static credentials key by key', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, { provider_key: 'FRESHDESK', type: 'BASIC' });

    await update(api, created, { static_config: { static_config: { domain: 'acme', list: [1] } } });
    const updated = await update(api, created, { static_config: { static_config: { list: [{ two: 2 }] } } });

    expect(updated.static_config).toEqual({ static_config: { domain: 'acme', list: [{ two: 2 }] } });
  });

  it('changes the passwordless settings of the environment', async () => {
    const { api } = await boot(FIXED);

    const updated = await update(
      api,
      { id: 'conn_10000000000000241' },
      {
        passwordless_config: {
          type: 'LINK',
          validity: 300,
          code_challenge_type: 'CODE_CHALLENGE_TYPE_UNSPECIFIED',
        },
      },
    );

    expect(updated.passwordless_config).toEqual({
      type: 'LINK',
      validity: 300,
      code_challenge_length: 6,
      code_challenge_type: 'NUMERIC',
    });
  });

  it('completes a passkey connection with a relying party and merges its settings', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, {
      provider: 'SCALEKIT',
      provider_key: 'SCALEKIT',
      type: 'WEBAUTHN',
      key_id: 'WEBAUTHN',
    });
    const rp = { ids: ['app.example'], origins: ['https://app.example'] };

    const updated = await update(api, created, {
      webauthn_config: { rp, attestation: { conveyance_preference: 'direct' }, timeout: { login: '120.5s' } },
    });
    const further = await update(api, created, {
      webauthn_config: {
        show_passkey_button: false,
        attestation: { enterprise_approved_ids: ['x'] },
        authenticators: { validate_entry: true },
        authenticator_selection: { user_verification: 'required' },
      },
    });

    expect(updated.status).toBe('COMPLETED');
    expect(further.webauthn_config).toEqual({
      rp,
      attestation: { conveyance_preference: 'direct', enterprise_approved_ids: ['x'] },
      authenticators: {
        validate_entry: true,
        desired_authenticator_status: [],
        undesired_authenticator_status: [],
      },
      authenticator_selection: { user_verification: 'required' },
      timeout: { registration: '300s', registration_uvd: '300s', login: '120.5s', login_uvd: '300s' },
      enable_auto_registration: false,
      show_passkey_button: false,
      enable_conditional_login: true,
    });
  });

  it.each(['119s', '119.999s', '1800.1s', '1801s', '9999s', '300', '5m'])(
    'refuses a passkey timeout of %s',
    async (login) => {
      const { api } = await boot(FIXED);
      const created = await create(api, { provider: 'OKTA', type: 'WEBAUTHN', key_id: 'WEBAUTHN' });

      const body = await refused(api, created, { webauthn_config: { timeout: { login } } });

      expect(body.details[0].validation_error_info.field_violations[0].field).toBe(
        'connection.webauthn_config.timeout.login',
      );
    },
  );

  it('changes key_id and keeps the connected accounts', async () => {
    const { api } = await boot(FIXED);
    await update(api, { id: 'conn_10000000000000201' }, { key_id: 'google-mail' });

    const account = await api.get('/api/v1/connected_accounts/auth?connector=google-mail&identifier=default');

    expect(account.body.connected_account).toMatchObject({
      id: 'ca_10000000000000301',
      connector: 'google-mail',
    });
  });

  it('answers 404 for a connection of an organization', async () => {
    const { api } = await boot(FIXED);

    const answer = await api.patch('/api/v1/connections/conn_10000000000000251').send({}).expect(404);

    expect(answer.body).toEqual(notFound('connection conn_10000000000000251 not found'));
  });
});
