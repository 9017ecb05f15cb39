import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { redirectAddress } from '../../../saml/src/bindings.ts';
import { developmentKey, type DevelopmentKey } from '../../../saml/src/development-keys.ts';
import { readLogoutResponse } from '../../../saml/src/message-reading.ts';
import { serviceMetadata } from '../../../saml/src/metadata.ts';
import { authnRequest, logoutRequest } from '../../../saml/src/requests.ts';
import { checkResponse } from '../../../saml/src/response-check.ts';
import { isQuerySigned, signed } from '../../../saml/src/signature.ts';
import { xmlText } from '../../../saml/src/xml.ts';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser, type Visit } from '../../../../test/support/browser.ts';
import {
  answerAs,
  beginSaml,
  enable,
  ISSUER,
  NINA,
  notesOf,
  PROVIDER,
  SERVICE,
  xmlOf,
} from '../../../../test/support/saml-sign-in.ts';
import { CALLBACK } from '../../../../test/support/sso.ts';

const NOW = '2030-01-01T00:00:00Z';
const FOREIGN = { entity_id: 'https://sp.example/metadata', acs: 'https://sp.example/acs' };
/** The pair of the tester's service provider. Its certificate is over, which does not matter here. */
const OWN = developmentKey('expired_provider');
const CERTIFIED = { entity_id: FOREIGN.entity_id, certificate: OWN.certificate };

const metadata = (entityId = FOREIGN.entity_id) =>
  serviceMetadata({
    entityId,
    consumerUrl: FOREIGN.acs,
    certificate: OWN.certificate,
    signsRequests: true,
    wantsAssertionsSigned: true,
    nameIdFormat: 'EMAIL',
    now: Date.parse(NOW),
  });

/** The simulated provider, which knows a service provider. */
async function knowing(known: object[], further: object = {}): Promise<Booted> {
  const booted = await boot({ now: NOW });
  await enable(booted, { saml_provider: { service_providers: known, ...further } });
  return booted;
}

const request = (issuer = FOREIGN.entity_id) =>
  authnRequest({
    id: '_1',
    now: Date.parse(NOW),
    issuer,
    destination: `http://localhost:8080${PROVIDER}/sso`,
    consumerUrl: FOREIGN.acs,
    nameIdFormat: 'EMAIL',
    forceAuthn: false,
  });

const byForm = (booted: Booted, key?: DevelopmentKey, issuer?: string): Promise<Visit> => {
  const xml = xmlText(key ? signed(request(issuer), developmentKey(key)) : request(issuer));
  return new Browser(booted).send(`${PROVIDER}/sso`, { SAMLRequest: Buffer.from(xml).toString('base64') });
};

const byRedirect = (booted: Booted, key: DevelopmentKey): Promise<Visit> =>
  new Browser(booted).open(
    redirectAddress(`${PROVIDER}/sso`, {
      name: 'SAMLRequest',
      xml: xmlText(request()),
      relayState: 'a b',
      key: developmentKey(key),
    }),
  );

describe('a request to the simulated provider', () => {
  it.each([
    ['by a form', byForm],
    ['by a redirect', byRedirect],
  ])('is taken with a good signature, and refused with another one, %s', async (_, send) => {
    const booted = await knowing([CERTIFIED]);

    const good = await send(booted, 'expired_provider');
    const notes = await notesOf(booted, 'Saml_SignOn');
    const bad = await send(booted, 'next_provider');

    expect(good.text).toContain(`To continue to ${FOREIGN.entity_id}`);
    expect(notes).toEqual([`SAML request _1 of ${FOREIGN.entity_id}: its signature is good`]);
    expect(bad.status).toBe(400);
    expect(bad.text).toMatch(/SAML signature: .*no certificate of https:\/\/sp\.example\/metadata has/);
  });

  it.each([
    ['the row wants that', { ...CERTIFIED, want_request_signed: true }],
    ['its metadata says that it signs', { entity_id: FOREIGN.entity_id, metadata: metadata() }],
  ])('must be signed if %s', async (_, known) => {
    const booted = await knowing([known]);

    const unsigned = await byForm(booted);
    const good = await byForm(booted, 'expired_provider');

    expect(unsigned.status).toBe(400);
    expect(unsigned.text).toContain(
      `${FOREIGN.entity_id} must sign its requests, and this one is not signed`,
    );
    expect(good.status).toBe(200);
  });

  it('of the service is checked too', async () => {
    const booted = await boot({ now: NOW });
    await enable(booted, { saml_config: { want_request_signed: true } });

    const unsigned = await byForm(booted, undefined, SERVICE);
    const stranger = await byForm(booted, 'next_provider', SERVICE);
    const back = await answerAs(await beginSaml(booted));

    expect([unsigned.status, stranger.status]).toEqual([400, 400]);
    expect(unsigned.text).toContain(`${SERVICE} must sign its requests`);
    expect(back.url).toContain(`${CALLBACK}?code=`);
  });

  it('of somebody with a very long name leaves a short note in the journal', async () => {
    const booted = await knowing([]);

    await byForm(booted, undefined, `https://sp.example/${'x'.repeat(100_000)}`);

    const [note = ''] = await notesOf(booted, 'Saml_SignOn');
    expect(note).toMatch(/^SAML request _1 of https:\/\/sp\.example\/x+…: it is not signed$/);
    expect(note.length).toBeLessThan(300);
  });

  it('is not checked without a certificate, and the journal says so', async () => {
    const booted = await knowing([{ entity_id: 'https://other.example', certificate: OWN.certificate }]);

    const page = await byForm(booted, 'next_provider');

    expect(page.status).toBe(200);
    expect(await notesOf(booted, 'Saml_SignOn')).toEqual([
      `SAML request _1 of ${FOREIGN.entity_id}: its signature is not checked, because saml_provider.service_providers has no certificate for it`,
    ]);
  });

  it.each([
    ['a certificate that is none', { certificate: 'AAAA' }, 'a certificate cannot be read'],
    ['metadata that is none', { metadata: '<a/>' }, 'this is no metadata of a service provider'],
    ['metadata of another one', { metadata: metadata('https://other.example') }, 'another service provider'],
  ])('is refused with a page if the row has %s', async (_, known, problem) => {
    const booted = await knowing([{ entity_id: FOREIGN.entity_id, ...known }]);

    const page = await byForm(booted);

    expect(page.status).toBe(400);
    expect(page.text).toContain(problem);
  });
});

describe('an assertion for a service provider of the tester', () => {
  const answered = (booted: Booted) =>
    new Browser(booted).send(`${PROVIDER}/answer`, {
      email: NINA,
      acs: FOREIGN.acs,
      audience: FOREIGN.entity_id,
    });
  const checked = (page: Visit, decryptionKey = OWN.privateKey) =>
    checkResponse(xmlOf(page), {
      now: Date.parse(NOW),
      issuer: ISSUER,
      certificates: [developmentKey('provider').certificate],
      wanted: 'both',
      consumerUrl: FOREIGN.acs,
      audience: FOREIGN.entity_id,
      decryptionKey,
      mustBeEncrypted: true,
    });

  it.each([
    ['certificate', CERTIFIED],
    ['metadata', { entity_id: FOREIGN.entity_id, metadata: metadata() }],
  ])('is encrypted for its %s', async (_, known) => {
    const booted = await knowing([known], { encrypted: true });

    const page = await answered(booted);

    expect(checked(page).nameId.value).toBe(NINA);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(() => checked(page, privateKey)).toThrow('SAML encryption');
  });

  it('is not encrypted without a certificate, and the journal says so', async () => {
    const booted = await knowing([], { encrypted: true });

    const page = await answered(booted);

    expect(xmlOf(page)).toContain('<saml:Assertion');
    expect(await notesOf(booted, 'Saml_Answer')).toContain(
      `the assertion is not encrypted, because saml_provider.service_providers has no RSA certificate of ${FOREIGN.entity_id}`,
    );
  });

  it('is refused if its certificate cannot be read', async () => {
    const booted = await knowing([{ entity_id: FOREIGN.entity_id, certificate: 'AAAA' }], {
      encrypted: true,
    });

    const page = await answered(booted);

    expect(page.status).toBe(400);
    expect(page.text).toContain('a certificate cannot be read');
  });
});

const SLO = 'https://sp.example/slo';
const withLogout = serviceMetadata({
  entityId: FOREIGN.entity_id,
  consumerUrl: FOREIGN.acs,
  logoutUrl: SLO,
  logoutAnswerUrl: `${SLO}/done`,
  certificate: OWN.certificate,
  signsRequests: true,
  wantsAssertionsSigned: true,
  nameIdFormat: 'EMAIL',
  now: Date.parse(NOW),
});

const signOutRequest = xmlText(
  signed(
    logoutRequest({
      id: '_1',
      now: Date.parse(NOW),
      issuer: FOREIGN.entity_id,
      destination: `http://localhost:8080${PROVIDER}/slo`,
      nameId: { value: NINA },
    }),
    OWN,
  ),
);
const signOutByForm = (booted: Booted, xml: string, relay: Record<string, string> = {}) =>
  new Browser(booted).send(`${PROVIDER}/slo`, {
    SAMLRequest: Buffer.from(xml).toString('base64'),
    ...relay,
  });
const unsignedText = signOutRequest.replace(/<ds:Signature.*<\/ds:Signature>/s, '');

describe('a sign-out that begins at a service provider of the tester', () => {
  it.each([
    ['its metadata says', { entity_id: FOREIGN.entity_id, metadata: withLogout }, `${SLO}/done`],
    ['its row says', { ...CERTIFIED, logout_url: SLO }, SLO],
  ])('is answered, signed, at the address that %s, by a form', async (_, known, address) => {
    const booted = await knowing([known]);

    const page = await signOutByForm(booted, signOutRequest, { RelayState: 'back to <start>' });

    expect(page.text).toContain(`action="${address}"`);
    expect(page.text).toContain('name="RelayState" value="back to &lt;start&gt;"');
    const sender = { certificates: [developmentKey('provider').certificate], isSigned: false };
    expect(readLogoutResponse(xmlOf(page), sender)).toMatchObject({
      issuer: ISSUER,
      destination: address,
      inResponseTo: '_1',
      statusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    });
    expect(await notesOf(booted, 'Saml_AnswerLogout')).toEqual([
      `SAML request _1 of ${FOREIGN.entity_id}: its signature is good`,
      `SAML sign-out request _1 of ${FOREIGN.entity_id} for ${NINA}`,
    ]);
  });

  it('is answered by a redirect, if it came by one', async () => {
    const booted = await knowing([{ ...CERTIFIED, logout_url: `${SLO}?tenant=1` }]);
    const asked = { name: 'SAMLRequest', xml: unsignedText, relayState: 'r', key: OWN } as const;

    const back = await new Browser(booted).open(redirectAddress(`${PROVIDER}/slo`, asked));

    expect(back.url).toContain(`${SLO}?tenant=1&SAMLResponse=`);
    const query = back.url.slice(back.url.indexOf('SAMLResponse'));
    expect(isQuerySigned(query, 'SAMLResponse', [developmentKey('provider').certificate])).toBe(true);
    expect(back.query('RelayState')).toBe('r');
  });

  it('must be signed by a certificate that the provider knows', async () => {
    const booted = await knowing([{ ...CERTIFIED, logout_url: SLO }]);
    const stranger = await knowing([
      { ...CERTIFIED, certificate: developmentKey('next_provider').certificate, logout_url: SLO },
    ]);

    const unsigned = await signOutByForm(booted, unsignedText);
    const other = await signOutByForm(stranger, signOutRequest);

    expect([unsigned.status, other.status]).toEqual([400, 400]);
    expect(unsigned.text).toContain(`${FOREIGN.entity_id} must sign its requests`);
    expect(other.text).toContain(`no certificate of ${FOREIGN.entity_id} has signed this LogoutRequest`);
  });

  it('is taken unsigned from one whose certificate is unknown', async () => {
    const booted = await knowing([{ entity_id: FOREIGN.entity_id, logout_url: SLO }]);

    const page = await signOutByForm(booted, unsignedText);

    expect(page.text).toContain(`action="${SLO}"`);
  });
});
