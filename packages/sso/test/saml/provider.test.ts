import { describe, expect, it } from 'vitest';
import { developmentKey } from '../../../saml/src/development-keys.ts';
import { readProviderMetadata } from '../../../saml/src/metadata-reading.ts';
import { redirectAddress } from '../../../saml/src/bindings.ts';
import { authnRequest } from '../../../saml/src/requests.ts';
import { checkResponse, type ResponseRules } from '../../../saml/src/response-check.ts';
import { xmlText } from '../../../saml/src/xml.ts';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { sampleResponse } from '../../../../test/support/saml.ts';
import {
  allowInitiation,
  answerAs,
  beginSaml,
  CLIENT,
  enable,
  ISSUER,
  LOGIN,
  NINA,
  NORDWIND,
  notesOf,
  PROVIDER,
  SERVICE,
  xmlOf,
} from '../../../../test/support/saml-sign-in.ts';
import { CALLBACK, patchRow } from '../../../../test/support/sso.ts';

const NOW = '2030-01-01T00:00:00Z';
const CODE = new RegExp(`^${CALLBACK}\\?code=`);

const FOREIGN = { entityId: 'https://sp.example/metadata', acs: 'https://sp.example/acs?tenant=1&x=2' };

/** What a service provider of the tester's checks. */
const rules = (changes: Partial<ResponseRules> = {}): ResponseRules => ({
  now: Date.parse(NOW),
  issuer: ISSUER,
  certificates: [developmentKey('provider').certificate],
  wanted: 'both',
  consumerUrl: FOREIGN.acs,
  audience: FOREIGN.entityId,
  requestId: '_foreign',
  decryptionKey: developmentKey('service').privateKey,
  mustBeEncrypted: false,
  ...changes,
});

const foreignRequest = (changes: object = {}) =>
  xmlText(
    authnRequest({
      id: '_foreign',
      now: Date.parse(NOW),
      issuer: FOREIGN.entityId,
      destination: `http://localhost:8080${PROVIDER}/sso`,
      consumerUrl: FOREIGN.acs,
      nameIdFormat: 'PERSISTENT',
      forceAuthn: false,
      ...changes,
    }),
  );

describe('the metadata', () => {
  it('of the simulated provider names it, its addresses and its certificates', async () => {
    const booted = await boot({ now: NOW });

    const { text, type } = await booted.anonymous
      .get(`${PROVIDER}/metadata`)
      .set('host', 'localhost:8080')
      .expect(200);
    await enable(booted, { saml_provider: { certificate: 'next' } });
    const changed = await booted.anonymous.get(`${PROVIDER}/metadata`).expect(200);

    expect(type).toBe('application/samlmetadata+xml');
    expect(readProviderMetadata(text)).toEqual({
      entityId: ISSUER,
      signOn: {
        HTTP_REDIRECT: `http://localhost:8080${PROVIDER}/sso`,
        HTTP_POST: `http://localhost:8080${PROVIDER}/sso`,
      },
      logoutUrl: `http://localhost:8080${PROVIDER}/slo`,
      certificates: [developmentKey('provider').certificate],
    });
    expect(readProviderMetadata(changed.text).certificates).toEqual([
      developmentKey('next_provider').certificate,
      developmentKey('provider').certificate,
    ]);
  });

  it('of the service is at the address that the connection shows', async () => {
    const { api, anonymous, control } = await boot({ now: NOW });
    const own = '/api/v1/organizations/org_10000000000000002/connections';
    const { body } = await api.get(`${own}/${NORDWIND}`).set('host', 'localhost:8080').expect(200);
    const { sp_metadata_url, sp_entity_id, sp_assertion_url } = body.connection.saml_config;

    const { text } = await anonymous
      .get(new URL(sp_metadata_url).pathname)
      .set('host', 'localhost:8080')
      .expect(200);
    await control.post('/environments').send({ name: 'w1' }).expect(201);
    const other = await anonymous
      .get(`/sso/v1/saml/w1.${NORDWIND}/metadata`)
      .set('host', 'localhost:8080')
      .expect(200);
    await anonymous.get('/sso/v1/saml/conn_10000000000000251/metadata').expect(404);

    expect(text).toContain(`entityID="${sp_entity_id}" validUntil="2030-01-03T00:00:00.000Z"`);
    expect(text).toContain(`Location="${sp_assertion_url}"`);
    expect(text).toContain(`Location="${SERVICE}/slo" ResponseLocation="${SERVICE}/slo/callback"`);
    expect(other.text).toContain(`Location="http://localhost:8080/sso/v1/saml/w1.${NORDWIND}/callback"`);
  });
});

describe('a service provider of the tester', () => {
  it('sends a request and gets a signed response', async () => {
    const booted = await boot({ now: NOW });
    const browser = new Browser(booted);
    const address = redirectAddress(`${PROVIDER}/sso`, {
      name: 'SAMLRequest',
      xml: foreignRequest(),
      relayState: 'back to <3>',
    });

    const page = await browser.open(address);
    const wrong = await page.submit({ email: 'nobody' }, 'id="email"');
    const posting = await wrong.submit({ email: NINA, attributes: 'groups=a\ngroups=b' }, 'id="email"');

    expect(page.text).toContain(`To continue to ${FOREIGN.entityId}`);
    expect(page.text).toContain('A name may stand on several lines.');
    expect(wrong.status).toBe(400);
    expect(posting.text).toContain('action="https://sp.example/acs?tenant=1&amp;x=2"');
    expect(posting.text).toContain('name="RelayState" value="back to &lt;3&gt;"');
    const assertion = checkResponse(xmlOf(posting), rules());
    expect(assertion.nameId).toEqual({
      format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      value: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(assertion.attributes['groups']).toEqual(['a', 'b']);
  });

  it('sends its request with a form', async () => {
    const booted = await boot({ now: NOW });

    const page = await new Browser(booted).send(`${PROVIDER}/sso`, {
      SAMLRequest: Buffer.from(foreignRequest()).toString('base64'),
    });
    const posting = await page.submit({}, `value="${NINA}"`);

    expect(checkResponse(xmlOf(posting), rules()).issuer).toBe(ISSUER);
    expect(await notesOf(booted, 'Saml_SignOn')).toEqual([
      `SAML request _foreign of ${FOREIGN.entityId}: it is not signed`,
    ]);
  });

  it('gets a response without a request, also from one call', async () => {
    const booted = await boot({ now: NOW });
    const query = new URLSearchParams({ providerId: FOREIGN.entityId, shire: FOREIGN.acs, target: '/home' });

    const page = await new Browser(booted).open(`${PROVIDER}/sso?${query}`);
    const posting = await page.submit({}, `value="${NINA}"`);
    const direct = await new Browser(booted).send(`${PROVIDER}/answer`, {
      email: NINA,
      acs: FOREIGN.acs,
      audience: FOREIGN.entityId,
    });

    expect(posting.text).toContain('name="RelayState" value="/home"');
    for (const each of [posting, direct])
      expect(checkResponse(xmlOf(each), rules({ requestId: undefined })).nameId.value).toBe(NINA);
  });

  it('gets a refusal of the provider', async () => {
    const booted = await boot({ now: NOW });

    const posting = await new Browser(booted).send(`${PROVIDER}/answer`, {
      error: 'access_denied',
      acs: FOREIGN.acs,
      audience: FOREIGN.entityId,
    });

    expect(() => checkResponse(xmlOf(posting), rules({ requestId: undefined }))).toThrow(
      /status:RequestDenied/,
    );
  });

  it.each([
    [
      'a script as its address',
      { shire: 'javascript:alert(1)', providerId: 'x' },
      'must go to an http or https address',
    ],
    ['an address without a name', { shire: FOREIGN.acs }, 'Give both'],
    ['a request that is none', { SAMLRequest: 'AAAA' }, 'cannot be unpacked'],
  ])('is refused with %s', async (_, query, problem) => {
    const booted = await boot({ now: NOW });

    const page = await new Browser(booted).open(`${PROVIDER}/sso?${new URLSearchParams(query)}`);

    expect(page.status).toBe(400);
    expect(page.text).toContain(problem);
  });
});

describe('a response that nobody asked for', () => {
  const initiate = async (booted: Booted, form: Record<string, string> = {}) => {
    const posting = await new Browser(booted).send(`${PROVIDER}/answer`, {
      email: NINA,
      RelayState: '/reports',
      ...form,
    });
    return posting.submit();
  };

  it('begins a sign-in at the application, if the connection allows it', async () => {
    const booted = await boot({ now: NOW });
    await allowInitiation(booted);

    const back = await initiate(booted);

    expect(back.url).toMatch(new RegExp(`^${LOGIN}\\?idp_initiated_login=eyJ`));
    const [, payload = ''] = back.query('idp_initiated_login')!.split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      connection_id: NORDWIND,
      login_hint: NINA,
      relay_state: '/reports',
    });
  });

  it('is refused if the connection does not allow it', async () => {
    const booted = await boot({ now: NOW });
    await enable(booted);
    await patchRow(booted.control, 'clients', CLIENT, { initiate_login_uri: LOGIN });

    const back = await initiate(booted);

    expect(back.url).toContain(`${LOGIN}?error=unauthorized`);
  });

  it('is refused the second time, and if it answers a request', async () => {
    const booted = await boot({ now: NOW });
    await allowInitiation(booted);
    const target = {
      now: Date.parse(NOW),
      issuer: ISSUER,
      consumerUrl: `${SERVICE}/callback`,
      audience: SERVICE,
    };
    const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress';
    const signed = { sign: 'response' as const, user: { attributes: { [claims]: [NINA] } } };
    const post = (xml: string) =>
      new Browser(booted).send(`${SERVICE}/callback`, { SAMLResponse: Buffer.from(xml).toString('base64') });
    const xml = sampleResponse({ ...target, requestId: '' }, { ...signed, inResponseTo: undefined });

    const first = await post(xml);
    const again = await post(xml);
    const answer = await post(
      sampleResponse({ ...target, requestId: '_1' }, { ...signed, ids: ['_a', '_b'] }),
    );

    expect(first.url).toContain(LOGIN);
    expect([again.status, answer.status]).toEqual([400, 400]);
    expect(again.text).toContain('This SAML message is refused');
    expect(again.text).toContain('the assertion was used before');
    expect(answer.text).toContain('nobody has sent the request that is answered');
    expect(await notesOf(booted, 'IdentityProvider_ReturnSaml')).toEqual([
      expect.stringContaining('the page says: SAML request: nobody has sent the request'),
    ]);
  });
});

describe('the metadata of the service', () => {
  it.each([
    ['SAML_ONLY_RESPONSE_SIGNING', 'false'],
    ['SAML_ONLY_ASSERTION_SIGNING', 'true'],
    ['SAML_RESPONSE_ASSERTION_SIGNING', 'true'],
    ['SAML_RESPONSE_OR_ASSERTION_SIGNING', 'true'],
  ])(
    'wants what is checked, and has the key of signed sign-outs: %s',
    async (saml_signing_option, wanted) => {
      const booted = await boot({ now: NOW });
      await enable(booted, { saml_config: { saml_signing_option, want_request_signed: false } });

      const { text } = await booted.anonymous.get(`/sso/v1/saml/${NORDWIND}/metadata`).expect(200);

      expect(text).toContain('AuthnRequestsSigned="false"');
      expect(text).toContain(`WantAssertionsSigned="${wanted}"`);
      expect(text).toContain('<md:SingleLogoutService');
      expect(text).toContain('use="signing"');
    },
  );
});

describe('saml_provider makes the simulated provider', () => {
  it.each([
    ['sign nothing', { sign: 'none' }, /^SAML signature: .*received no signature/],
    [
      'sign the assertion only',
      { sign: 'assertion' },
      /^SAML signature: .*Expected a signed response; received a signed assertion/,
    ],
    ['sign with SHA-1', { hash: 'sha1' }, /^SAML signature: .*rsa-sha1/],
    [
      'name another audience',
      { audience: 'https://other.example' },
      /^SAML audience: .*received https:\/\/other\.example/,
    ],
    ['name another issuer', { issuer: 'https://other.example' }, /^SAML issuer: /],
    ['send an assertion that is over', { expired: true }, /^SAML time: the assertion is no longer good/],
    ['have a clock that is ahead', { clock_offset: '10m' }, /^SAML time: .*may be ahead/],
    ['have a clock that is behind', { clock_offset: '-10m' }, /^SAML issue time: /],
    ['leave out the e-mail address', { omitted_attributes: ['email'] }, /^SAML attribute: /],
    ['have a certificate that is over', { certificate: 'expired' }, /^SAML certificate: /],
    ['change its key', { certificate: 'next' }, /^SAML signature: /],
  ])('%s', async (_, saml_provider, description) => {
    const booted = await boot({ now: NOW });
    await enable(booted, { saml_provider });

    const back = await answerAs(await beginSaml(booted));

    expect(back.query('error_description')).toMatch(description);
    await patchRow(booted.control, 'connections', NORDWIND, { saml_provider: null });
    expect((await answerAs(await beginSaml(booted))).url).toMatch(CODE);
  });

  it.each([
    ['encrypt', { encrypted: true }, '<saml:EncryptedAssertion'],
    ['give names that change', { name_id_format: 'TRANSIENT' }, 'nameid-format:transient'],
    ['leave out a name', { omitted_attributes: ['given_name'] }, 'emailaddress'],
    ['have a clock that is two minutes ahead', { clock_offset: '2m' }, '2030-01-01T00:02:00'],
    ['sign both', { sign: 'both' }, '<ds:Signature'],
  ])('%s, which is taken', async (_, saml_provider, part) => {
    const booted = await boot({ now: NOW });
    await enable(booted, { saml_provider });
    const begun = await beginSaml(booted);

    const posting = await begun.page.submit({ email: NINA, given_name: 'Nina' }, 'id="email"');
    const back = await posting.submit();

    expect(xmlOf(posting)).toContain(part);
    expect(back.url).toMatch(CODE);
  });
});
