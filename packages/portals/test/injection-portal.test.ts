import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../test/support/boot.ts';
import { Browser } from '../../../test/support/browser.ts';
import { openPortal } from '../../../test/support/portal.ts';
import { expectHarmless, MARKUP, tryEveryField } from '../../../test/pages/injection-support.ts';
import { ACME } from '../../../test/support/fixture-ids.ts';

const [OIDC, SAML, DIRECTORY] = ['conn_10000000000000251', 'conn_10000000000000252', 'dir_10000000000000601'];
const PAGES = ['/portal', `/portal/connections/${OIDC}`, `/portal/connections/${SAML}`];
const DIRECTORY_PAGE = `/portal/directories/${DIRECTORY}`;
const CERTIFICATE = {
  id: 'cert_1',
  certificate: MARKUP,
  create_time: '2026-01-01T00:00:00Z',
  expiry_time: '2099-01-01T00:00:00Z',
  issuer: marked(22),
};

/** Rows with markup in each value that the portal shows, numbered to tell them apart. */
const NAMED: Readonly<Record<string, object>> = {
  [`organizations/${ACME}`]: {
    display_name: marked(1),
    settings: { features: ['sso', 'dir_sync'].map((name) => ({ name, enabled: true })) },
  },
  'domains/dom_10000000000000273': {
    domain: marked(2),
    txt_record_key: marked(3),
    txt_record_secret: marked(4),
    verification_status: 'PENDING',
    verify_before: '2099-01-01T00:00:00Z',
  },
  [`directories/${DIRECTORY}`]: {
    name: marked(5),
    secrets: [
      { id: 'sec_1', secret_suffix: marked(6), status: 'ACTIVE', create_time: '2026-01-01T00:00:00Z' },
    ],
  },
  'directory_users/diruser_10000000000000621': {
    email: marked(7),
    given_name: marked(8),
    family_name: marked(9),
  },
  'directory_groups/dirgroup_10000000000000611': { display_name: marked(10) },
  [`connections/${OIDC}`]: {
    oidc_config: {
      issuer: marked(11),
      discovery_endpoint: marked(12),
      authorize_uri: marked(13),
      token_uri: marked(14),
      user_info_uri: marked(15),
      jwks_uri: marked(16),
      client_id: marked(17),
    },
  },
  [`connections/${SAML}`]: {
    organization_id: ACME,
    saml_config: {
      idp_metadata_url: marked(18),
      idp_entity_id: marked(19),
      idp_sso_url: marked(20),
      idp_slo_url: marked(21),
      idp_certificates: [CERTIFICATE],
    },
  },
};

/** Numbered markup, so that a value that no page shows is noticed. */
function marked(number: number): string {
  return `no${number}.${MARKUP}`;
}

async function bootWithMarkup(): Promise<Booted> {
  const booted = await boot();
  for (const [row, named] of Object.entries(NAMED))
    await booted.control.patch(`/state/${row}`).send(named).expect(200);
  return booted;
}

const numbersIn = (text: string) => new Set(text.match(/no\d+\.&quot;&#39;&gt;&lt;script/g));

describe('markup in the admin portal', () => {
  it('in rows is escaped', async () => {
    const { browser } = await openPortal(await bootWithMarkup(), ACME);

    const seen = new Set<string>();
    for (const path of [...PAGES, DIRECTORY_PAGE]) {
      const page = await browser.open(path);
      expect([path, page.status]).toEqual([path, 200]);
      expectHarmless(page);
      for (const each of numbersIn(page.text)) seen.add(each);
    }

    expect(seen.size).toBe(22);
  });

  it.each([...PAGES, DIRECTORY_PAGE])(
    'in a form of %s is escaped, also in error messages',
    async (path) => {
      const { browser } = await openPortal(await bootWithMarkup(), ACME);
      const page = await browser.open(path);

      const tried = await tryEveryField(page);

      expect(tried).toEqual(expect.arrayContaining(FIELDS[path]!));
      expectHarmless(await browser.open(path));
    },
    30_000,
  );

  it('in an address is escaped', async () => {
    const { browser } = await openPortal(await bootWithMarkup(), ACME);
    const wrong = encodeURIComponent(MARKUP);

    for (const path of ['connections', 'directories']) {
      const page = await browser.open(`/portal/${path}/${wrong}`);
      expect(page.status).toBe(404);
      expectHarmless(page);
    }
    for (const path of [
      'connections/…/switch',
      'connections/…/test',
      'domains/…/verify',
      'directories/…/secrets',
    ])
      expectHarmless(await browser.send(`/portal/${path.replace('…', wrong)}`, { csrf_token: MARKUP }));
  });

  it('in the session cookie is refused', async () => {
    const browser = new Browser(await boot());
    browser.cookies.set('understudy_portal', encodeURIComponent(MARKUP));

    const page = await browser.open('/portal');

    expect(page.status).toBe(401);
    expectHarmless(page);
  });
});

const fieldsOf = (path: string, names: string) => names.split(' ').map((name) => `${path} ${name}`);

/** The fields that the test must have tried on each page. */
const FIELDS: Readonly<Record<string, string[]>> = {
  '/portal': [
    ...fieldsOf('/portal/connections', 'csrf_token provider type'),
    ...fieldsOf('/portal/domains', 'csrf_token domain'),
    ...fieldsOf('/portal/domains/dom_10000000000000273/verify', 'csrf_token'),
    ...fieldsOf('/portal/domains/dom_10000000000000273/remove', 'csrf_token'),
    ...fieldsOf('/portal/directories', 'csrf_token provider'),
  ],
  [`/portal/connections/${OIDC}`]: [
    ...fieldsOf(
      `/portal/connections/${OIDC}`,
      'issuer discovery_endpoint authorize_uri token_uri user_info_uri jwks_uri client_id client_secret ' +
        'token_auth_type scope_openid scope_profile scope_email scope_address scope_phone pkce_enabled',
    ),
    ...fieldsOf(`/portal/connections/${OIDC}/switch`, 'csrf_token enabled'),
    ...fieldsOf(`/portal/connections/${OIDC}/test`, 'csrf_token'),
  ],
  [`/portal/connections/${SAML}`]: fieldsOf(
    `/portal/connections/${SAML}`,
    'idp_metadata_url idp_entity_id idp_sso_url idp_slo_url idp_certificate idp_name_id_format ' +
      'idp_sso_request_binding saml_signing_option force_authn',
  ),
  [DIRECTORY_PAGE]: [
    ...fieldsOf(`${DIRECTORY_PAGE}/switch`, 'csrf_token enabled'),
    ...fieldsOf(`${DIRECTORY_PAGE}/secrets`, 'csrf_token'),
  ],
};
