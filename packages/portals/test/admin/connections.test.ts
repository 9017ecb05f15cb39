import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { createReady, IDP_CERTIFICATE, pathOf } from '../../../../test/support/connections.ts';
import { csrfOf, eventsOf, openPortal } from '../../../../test/support/portal.ts';
import { ACME, NORDWIND } from '../../../../test/support/fixture-ids.ts';

const OIDC = { issuer: 'https://nordwind.okta.example', client_id: '0oa1', client_secret: 'hush-hush' };

const newest = async ({ api, control }: Booted) => {
  const { body: state } = await control.get('/state').expect(200);
  return (await api.get(pathOf(state.connections.at(-1))).expect(200)).body.connection;
};

const eventTypes = async ({ control }: Booted) => {
  const { body } = await control.get('/state').expect(200);
  return body.events
    .filter((event: { organization_id?: string }) => event.organization_id === NORDWIND)
    .map(({ type }: { type: string }) => type)
    .filter((type: string) => type.includes('sso_'));
};

describe('the SSO connections in the portal', () => {
  it('can be created, configured, tested, enabled and disabled', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { overview } = await openPortal(booted);

    const created = await overview.submit({ provider: 'OKTA', type: 'OIDC' }, '/portal/connections"');
    const saved = await created.submit({ ...OIDC, scope_openid: 'on', scope_email: 'on' }, 'Save settings');
    const tested = await saved.submit({}, '/test"');
    const on = await tested.submit({}, '/switch"');
    const off = await on.submit({}, '/switch"');

    const connection = await newest(booted);
    expect(connection).toMatchObject({ provider: 'OKTA', type: 'OIDC', status: 'COMPLETED', enabled: false });
    expect(connection.oidc_config).toMatchObject({
      ...OIDC,
      client_secret: '********',
      scopes: ['openid', 'email'],
      pkce_enabled: false,
    });
    expect(created.text).toContain(`${new URL(connection.oidc_config.redirect_uri).pathname}"`);
    expect(saved.text).toContain('The settings are saved.');
    expect(saved.text).not.toContain(OIDC.client_secret);
    expect(tested.text).toContain('Nothing is missing');
    expect(tested.text).toContain(`/sso/v1/oidc/${connection.id}/test"`);
    expect(created.text).not.toContain(`/sso/v1/oidc/${connection.id}/test"`);
    const data = { id: connection.id, connection_type: 'SSO', type: 'OIDC', provider: 'OKTA' };
    const switchEvent = (verb: string, enabled: boolean) => ({
      event_type: `ORGANIZATION_SSO_${verb.toUpperCase()}`,
      object: 'connection',
      organization_id: NORDWIND,
      message: `Single sign-on connection ${verb} successfully`,
      data: { ...data, enabled, organization_id: NORDWIND },
    });
    expect(eventsOf(on)).toEqual([switchEvent('enabled', true)]);
    expect(eventsOf(off)).toEqual([switchEvent('disabled', false)]);
    expect(await eventTypes(booted)).toEqual([
      'organization.sso_created',
      'organization.sso_enabled',
      'organization.sso_disabled',
    ]);
  });

  it('show the SAML service provider values and accept a certificate', async () => {
    const booted = await boot();
    const { overview } = await openPortal(booted);
    const page = await overview.submit({ provider: 'ADFS', type: 'SAML' }, '/portal/connections"');
    const settings = { idp_entity_id: 'urn:idp', idp_sso_url: 'https://idp.example/sso', force_authn: 'on' };

    const wrong = await page.submit({ ...settings, idp_certificate: 'no certificate' }, 'Save settings');
    const untouched = await newest(booted);
    const right = await wrong.submit({ ...settings, idp_certificate: IDP_CERTIFICATE }, 'Save settings');

    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(
      /<p[^>]*id="idp_certificate-problem">\s*Certificate is not an X.509 certificate\./,
    );
    expect(wrong.text).toContain('value="urn:idp"');
    expect(untouched.saml_config.idp_entity_id).toBeUndefined();
    expect(right.status).toBe(200);
    const { saml_config, status } = await newest(booted);
    expect({ status, ...saml_config }).toMatchObject({ status: 'COMPLETED', ...settings, force_authn: true });
    for (const value of [saml_config.sp_assertion_url, saml_config.sp_entity_id, saml_config.sp_metadata_url])
      expect(right.text).toContain(`${new URL(value).pathname}"`);
  });

  it('keep a secret that is left empty and remove other emptied values', async () => {
    const booted = await boot();
    const { id } = await createReady(booted.api);
    const { browser } = await openPortal(booted);
    const page = await browser.open(`/portal/connections/${id}`);

    await page.submit({ issuer: ' https://new.example ', client_id: '0oa2' }, 'Save settings');
    const kept = await newest(booted);
    await page.submit({ issuer: '', client_id: '0oa2' }, 'Save settings');
    const emptied = await newest(booted);

    expect(kept).toMatchObject({ enabled: true, oidc_config: { issuer: 'https://new.example' } });
    expect(emptied).toMatchObject({ enabled: false, status: 'IN_PROGRESS' });
    const { body: row } = await booted.control.get(`/state/connections/${id}`).expect(200);
    expect(row.oidc_config.client_secret).toBe('hush-hush');
  });

  it('cannot be enabled or tested before they are complete', async () => {
    const booted = await boot();
    const { overview } = await openPortal(booted);
    const page = await overview.submit({ provider: 'OKTA', type: 'OIDC' }, '/portal/connections"');

    const refused = [await page.submit({}, '/switch"'), await page.submit({}, '/test"')];

    for (const { status, text } of refused) {
      expect(status).toBe(400);
      expect(text).toContain('Still missing: Issuer, Client ID, Client secret.');
    }
    expect(await newest(booted)).toMatchObject({ enabled: false });
  });

  it('send no event when the switch changes nothing', async () => {
    const booted = await boot();
    const { id } = await createReady(booted.api);
    const { browser, overview } = await openPortal(booted);
    const form = { csrf_token: csrfOf(overview), enabled: 'true' };

    const page = await browser.send(`/portal/connections/${id}/switch`, form);

    expect(page.status).toBe(200);
    expect(eventsOf(page)).toEqual([]);
  });

  it('require a provider', async () => {
    const booted = await boot();
    const { browser, overview } = await openPortal(booted);

    const page = await browser.send('/portal/connections', { csrf_token: csrfOf(overview), type: 'OIDC' });

    expect(page.status).toBe(400);
    expect(page.text).toContain('Provider or provider_key is required.');
  });

  it("are only the organization's own connections for sign-in", async () => {
    const booted = await boot();
    const foreign = await createReady(booted.api, ACME);
    const bearer = await booted.api
      .post(`/api/v1/organizations/${NORDWIND}/connections`)
      .send({ provider: 'CUSTOM', type: 'BEARER' })
      .expect(201);
    const { browser, overview } = await openPortal(booted);
    const form = { csrf_token: csrfOf(overview) };

    for (const id of [foreign.id, bearer.body.connection.id, 'conn_10000000000000201']) {
      expect(overview.text).not.toContain(id);
      expect(await browser.open(`/portal/connections/${id}`)).toMatchObject({ status: 404 });
      for (const verb of ['', '/switch', '/test'])
        expect(await browser.send(`/portal/connections/${id}${verb}`, form)).toMatchObject({ status: 404 });
    }
    const { body } = await booted.api.get(pathOf(foreign)).expect(200);
    expect(body.connection.enabled).toBe(true);
  });

  it('show an invalid address at its field and save nothing', async () => {
    const booted = await boot();
    const created = await createReady(booted.api);
    const row = `/state/connections/${created.id}`;
    const before = (await booted.control.get(row).expect(200)).body;
    const { browser } = await openPortal(booted);
    const page = await browser.open(`/portal/connections/${created.id}`);

    const wrong = await page.submit({ ...OIDC, discovery_endpoint: 'not a url' }, 'Save settings');

    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(
      /<p[^>]*id="discovery_endpoint-problem">\s*Discovery address must be an http or https address\./,
    );
    expect(wrong.text).toContain('value="not a url"');
    expect((await booted.control.get(row).expect(200)).body).toEqual(before);
  });

  it('escape the entered values', async () => {
    const booted = await boot();
    const { id } = await createReady(booted.api);
    const markup = '"><script>alert(1)</script>';
    await booted.control.patch(`/state/organizations/${NORDWIND}`).send({ display_name: markup }).expect(200);
    const { browser } = await openPortal(booted);
    const page = await browser.open(`/portal/connections/${id}`);

    const saved = await page.submit({ ...OIDC, client_id: markup }, 'Save settings');

    expect(saved.text).toContain('value="&quot;&gt;&lt;script&gt;');
    expect(saved.text).not.toContain('<script>alert');
  });
});
