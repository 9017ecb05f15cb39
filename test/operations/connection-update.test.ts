import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { create, FIXED, MASK, OIDC_SETTINGS, pathOf, refused, update } from '../support/connections.ts';
import {
  failure,
  invalid,
  notFound,
  pairs,
  refusal,
  tooLong,
  tooManyPairs,
  tooShort,
} from '../support/violations.ts';
import { NORDWIND } from '../support/fixture-ids.ts';

const OIDC = { provider: 'OKTA', type: 'OIDC' };

const WEB = 'value must be an http or https address';
const ABSOLUTE = 'value must be an absolute address such as https://app.example.com/callback';
const CONTROLS = 'value must not have line breaks or other control characters';
const SCRIPT =
  "value must not be a JavaScript: address: use https:, http: or a scheme of the application's own";

describe('ConnectionService_UpdateConnection', () => {
  it('changes the given fields only', async () => {
    const { api, control } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const updated = await update(api, created, {
      ui_button_title: 'Sign in',
      debug_enabled: true,
      configuration_type: 'MANUAL',
      attribute_mapping: { email: 'mail' },
      key_id: 'nordwind-sso',
    });

    expect(updated).toEqual({
      ...created,
      ui_button_title: 'Sign in',
      debug_enabled: true,
      configuration_type: 'MANUAL',
      attribute_mapping: { email: 'mail' },
      key_id: 'nordwind-sso',
      update_time: '2030-01-01T01:00:00.000Z',
    });
    expect(await update(api, created, {})).toEqual(updated);
  });

  it('ignores the zero values of enums', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);

    const updated = await update(api, created, {
      provider: 'CONNECTION_PROVIDER_UNSPECIFIED',
      type: 'INVALID',
      configuration_type: 'CONFIGURATION_TYPE_UNSPECIFIED',
      provider_key: '',
      oidc_config: {
        token_auth_type: 'TOKEN_AUTH_TYPE_UNSPECIFIED',
        scopes: ['openid', 'OIDC_SCOPE_UNSPECIFIED'],
      },
    });

    expect(updated).toEqual({
      ...created,
      status: 'IN_PROGRESS',
      oidc_config: { ...created.oidc_config, scopes: ['openid'] },
    });
  });

  it('changes the provider, and provider_key with it while both are equal', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);

    const moved = await update(api, created, { provider: 'AUTH0' });
    const keyed = await update(api, created, { provider_key: 'OUR_AUTH0' });
    const again = await update(api, created, { provider: 'ADFS' });

    expect(moved).toMatchObject({ provider: 'AUTH0', provider_key: 'AUTH0' });
    expect(keyed).toMatchObject({ provider: 'AUTH0', provider_key: 'OUR_AUTH0' });
    expect(again).toMatchObject({ provider: 'ADFS', provider_key: 'OUR_AUTH0' });
  });

  it('sets IN_PROGRESS with some required settings and COMPLETED with all', async () => {
    const { api } = await boot(FIXED);
    const { issuer, ...client } = OIDC_SETTINGS;
    const created = await create(api, OIDC, NORDWIND);

    const titled = await update(api, created, { ui_button_title: 'Okta' });
    const started = await update(api, created, { oidc_config: { issuer } });
    const done = await update(api, created, { oidc_config: client });

    expect([titled.status, started.status, done.status]).toEqual(['DRAFT', 'IN_PROGRESS', 'COMPLETED']);
    expect(done.enabled).toBe(false);
  });

  it('disables a connection that loses a required setting', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);
    await update(api, created, { oidc_config: OIDC_SETTINGS });
    await api.patch(`${pathOf(created)}:enable`).expect(200);

    const kept = await update(api, created, { oidc_config: { issuer: 'https://other.example' } });
    const lost = await update(api, created, { oidc_config: { client_id: '' } });

    expect(kept).toMatchObject({ status: 'COMPLETED', enabled: true });
    expect(lost).toMatchObject({ status: 'IN_PROGRESS', enabled: false });
  });

  it('masks the secret and keeps it when the mask is sent back', async () => {
    const { api, control } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);
    const stored = async () =>
      (await control.get(`/state/connections/${created.id}`)).body.oidc_config.client_secret;

    const updated = await update(api, created, { oidc_config: OIDC_SETTINGS });
    await update(api, created, { oidc_config: updated.oidc_config });
    const shown = await api.get(pathOf(created)).expect(200);
    const listed = await api.get(`/api/v1/connections?organization_id=${NORDWIND}&include=all`).expect(200);

    expect(shown.body.connection.oidc_config).toEqual(updated.oidc_config);
    expect(updated.oidc_config.client_secret).toBe(MASK);
    expect(`${shown.text}${listed.text}`).not.toContain('hush');
    expect(await stored()).toBe('hush-hush');
  });

  it('ignores given redirect addresses', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);

    const updated = await update(api, created, {
      oidc_config: { redirect_uri: 'https://evil.example', post_logout_redirect_uri: 'https://evil.example' },
    });

    expect(updated.oidc_config).toEqual(created.oidc_config);
  });

  it("requires the settings of the connection's type, and only one kind of settings", async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);
    const password = await create(api, { provider: 'OKTA', type: 'PASSWORD' }, NORDWIND);

    expect(await refused(api, created, { saml_config: {} })).toEqual(
      invalid('a connection of type OIDC has no saml_config'),
    );
    expect(await refused(api, password, { static_config: {} })).toEqual(
      invalid('a connection of type PASSWORD has no static_config'),
    );
    expect(await refused(api, created, { oidc_config: {}, saml_config: {} })).toEqual(
      invalid('give one of oidc_config, saml_config, not several'),
    );
  });

  it.each([
    ['OIDC', 'oidc_config', 'issuer', 'not a url', WEB],
    ['OIDC', 'oidc_config', 'discovery_endpoint', '/.well-known/openid-configuration', WEB],
    ['OIDC', 'oidc_config', 'authorize_uri', 'javascript:alert(1)', WEB],
    ['OIDC', 'oidc_config', 'token_uri', 'idp.example/token', WEB],
    ['OIDC', 'oidc_config', 'user_info_uri', 'https://', WEB],
    ['OIDC', 'oidc_config', 'jwks_uri', 'ftp://idp.example/keys', WEB],
    ['SAML', 'saml_config', 'idp_metadata_url', 'data:text/xml,<a/>', WEB],
    ['SAML', 'saml_config', 'idp_sso_url', 'urn:idp', WEB],
    ['SAML', 'saml_config', 'idp_slo_url', 'https://idp.example/\r\nx: y', CONTROLS],
    ['SAML', 'saml_config', 'default_redirect_uri', '/home', ABSOLUTE],
    ['SAML', 'saml_config', 'default_redirect_uri', 'JavaScript:alert(1)', SCRIPT],
  ])('refuses, for type %s, a %s.%s of %j', async (type, settings, name, address, description) => {
    const { api } = await boot(FIXED);
    const created = await create(api, { provider: 'CUSTOM', type }, NORDWIND);

    const answer = await refused(api, created, { [settings]: { [name]: address } });

    const field = `connection.${settings}.${name}`;
    expect(answer).toEqual(refusal({ field, description, constraint: 'string.uri' }));
    expect((await api.get(pathOf(created)).expect(200)).body.connection).toEqual(created);
  });

  it("accepts an entity id that is not a URL and an address with the application's own scheme", async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, { provider: 'CUSTOM', type: 'SAML' }, NORDWIND);
    const settings = { idp_entity_id: 'urn:idp', idp_sso_url: '', default_redirect_uri: 'myapp://home' };

    expect((await update(api, created, { saml_config: settings })).saml_config).toMatchObject(settings);
  });

  it('refuses to change the type', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);

    expect(await refused(api, created, { type: 'SAML' })).toEqual(
      invalid(`connection ${created.id} is of type OIDC and cannot become SAML`),
    );
    expect(await refused(api, created, { type: 'OAUTH' })).toEqual(
      refusal({
        field: 'connection',
        description: 'OAUTH, PASSWORDLESS and WEBAUTHN are not supported yet',
        constraint: 'type_not_supported',
      }),
    );
  });

  it('refuses the key_id of another connection but accepts its own', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);

    const taken = await api.patch(pathOf(created)).send({ key_id: 'gmail' }).expect(409);
    const own = await update(api, created, { key_id: created.key_id });

    expect(taken.body).toEqual(failure(6, 'ALREADY_EXISTS', 'connection with key_id gmail exists already'));
    expect(own.key_id).toBe(created.key_id);
  });

  it('enforces the limits of key_id and attribute_mapping', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);
    const long = 'k'.repeat(101);

    expect(await refused(api, created, { key_id: '', attribute_mapping: pairs(31) })).toEqual(
      refusal(tooManyPairs(30)('connection.attribute_mapping'), tooShort(1)('connection.key_id')),
    );
    expect(
      await refused(api, created, { attribute_mapping: { [long]: 'x', '': 'y', z: 'v'.repeat(257) } }),
    ).toEqual(
      refusal(
        tooLong(100)(`connection.attribute_mapping["${long}"]`),
        tooShort(1)('connection.attribute_mapping[""]'),
        tooLong(256)('connection.attribute_mapping["z"]'),
      ),
    );
  });

  it('answers 404 for a connection of another organization or of the environment', async () => {
    const { api } = await boot(FIXED);
    const created = await create(api, OIDC, NORDWIND);
    const foreignPaths = [
      `/api/v1/organizations/org_10000000000000001/connections/${created.id}`,
      `/api/v1/connections/${created.id}`,
      `/api/v1/organizations/${NORDWIND}/connections/conn_10000000000000201`,
    ];

    for (const path of foreignPaths) {
      const answer = await api.patch(path).send({ ui_button_title: 'mine' }).expect(404);
      expect(answer.body).toEqual(notFound(`connection ${path.split('/').at(-1)} not found`));
    }
  });
});
