import { describe, expect, it } from 'vitest';
import { developmentKey } from '../../../saml/src/development-keys.ts';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import {
  honestSamples,
  hostileSamples,
  sampleResponse,
  type SampleTarget,
} from '../../../../test/support/saml.ts';
import {
  answerAs,
  beginSaml,
  enable,
  ISSUER,
  NINA,
  NORDWIND,
  notesOf,
  postResponse,
  PROVIDER,
  SERVICE,
  xmlOf,
} from '../../../../test/support/saml-sign-in.ts';
import { AUTHORIZE, CALLBACK, patchRow, rowsOf } from '../../../../test/support/sso.ts';

const NOW = '2030-01-01T00:00:00Z';
const CODE = new RegExp(`^${CALLBACK}\\?code=\\w+&state=s1`);

async function bootSaml(changes: object = {}): Promise<Booted> {
  const booted = await boot({ now: NOW });
  await enable(booted, changes);
  return booted;
}

describe('a sign-in with a SAML connection', () => {
  it('passes over signed XML', async () => {
    const booted = await bootSaml();
    const begun = await beginSaml(booted);

    const posting = await begun.page.submit({ email: NINA, given_name: 'Nina' }, 'id="email"');
    const back = await posting.submit();

    expect(back.url).toMatch(CODE);
    expect(xmlOf(posting)).toContain(`InResponseTo="${begun.target.requestId}"`);
    expect(xmlOf(posting)).toContain('<ds:SignatureValue>');
    expect(await notesOf(booted, 'IdentityProvider_ReturnSaml')).toEqual([
      `SAML response of ${ISSUER} is good: NameID ${NINA}`,
    ]);
  });

  it('sends the request to the provider with a form, if the connection wants it', async () => {
    const booted = await bootSaml({
      saml_config: { idp_sso_request_binding: 'HTTP_POST', want_request_signed: true },
    });

    const begun = await beginSaml(booted);
    const request = Buffer.from(
      /name="SAMLRequest" value="([^"]*)"/.exec(begun.page.text)![1]!,
      'base64',
    ).toString();
    const page = await begun.page.submit();
    const back = await answerAs({ ...begun, page });

    expect(begun.page.text).toContain(`action="http://localhost:8080${PROVIDER}/sso"`);
    expect(request).toContain('<ds:SignatureValue>');
    expect(request).toContain(`ID="${begun.target.requestId}"`);
    expect(request).toContain(`AssertionConsumerServiceURL="${SERVICE}/callback"`);
    expect(back.url).toMatch(CODE);
  });

  it('signs the query of the request, if the connection wants it', async () => {
    const booted = await bootSaml({ saml_config: { want_request_signed: true, force_authn: true } });
    const browser = new Browser(booted);
    const begun = await browser.open(AUTHORIZE);
    const id = begun.url.split('/').pop();

    const { location } = (
      await booted.anonymous
        .get(`/sso/v1/saml/${NORDWIND}/init?auth_request_id=${id}`)
        .set('cookie', `understudy_login=${browser.cookies.get('understudy_login')}`)
        .expect(302)
    ).headers;

    const { searchParams } = new URL(location!);
    expect([...searchParams.keys()]).toEqual(['SAMLRequest', 'RelayState', 'SigAlg', 'Signature']);
    expect(searchParams.get('RelayState')).toBe(id);
  });

  it('gives the application the attributes that the connection maps', async () => {
    const booted = await bootSaml({
      attribute_mapping: { email: 'mail', department: 'dept', groups: 'memberOf' },
    });
    await patchRow(booted.control, 'settings', 'settings', { full_stack_auth: false });

    const back = await answerAs(await beginSaml(booted), {
      attributes: 'dept=finance\nmemberOf=a\nmemberOf=b\nshoe=44',
    });

    expect(back.url).toMatch(CODE);
    const [code] = await rowsOf(booted.control, 'authorization_codes');
    expect(code!['identity']).toMatchObject({
      email: NINA,
      subject: NINA,
      attributes: { department: 'finance', groups: ['a', 'b'], given_name: 'Nina' },
    });
    expect(JSON.stringify(code)).not.toContain('44');
  });

  it('fails with the error that the tester has chosen at the provider', async () => {
    const booted = await bootSaml();
    const begun = await beginSaml(booted);

    const posting = await begun.page.submit(
      { error: 'user_not_active', error_description: 'gone' },
      'name="error"',
    );
    const back = await posting.submit();

    expect([back.query('error'), back.query('error_description')]).toEqual(['user_not_active', 'gone']);
    expect(xmlOf(posting)).toContain('urn:oasis:names:tc:SAML:2.0:status:Responder');
  });

  it('gives the same bytes to the same calls', async () => {
    const run = async () => {
      const booted = await bootSaml({ saml_provider: { encrypted: true } });
      const begun = await beginSaml(booted);
      return xmlOf(await begun.page.submit({ email: NINA }, 'id="email"'));
    };

    const first = await run();

    expect(first).toContain('<saml:EncryptedAssertion');
    expect(await run()).toBe(first);
  });

  it('stays in its environment', async () => {
    const booted = await boot({ now: NOW });
    const { body: own } = await booted.control.post('/environments').send({ name: 'w1' }).expect(201);
    await booted.control
      .patch(`/state/connections/${NORDWIND}`)
      .set('understudy-environment', 'w1')
      .send({ status: 'COMPLETED', enabled: true })
      .expect(200);
    const browser = new Browser(booted);
    const begun = await browser.open(AUTHORIZE.replace(/skc_\d+/, own.client_id));
    const id = begun.url.split('/').pop();

    const page = await browser.open(`/sso/v1/saml/w1.${NORDWIND}/init?auth_request_id=${id}`);
    const posting = await page.submit({ email: NINA }, 'id="email"');
    const back = await posting.submit();

    expect(posting.text).toContain(`action="http://localhost:8080/sso/v1/saml/w1.${NORDWIND}/callback"`);
    expect(back.query('code')).toMatch(/^w1\./);
  });

  it('asks the browser to send a form of another site again, with its cookies', async () => {
    const booted = await bootSaml();
    const begun = await beginSaml(booted);
    const stranger = new Browser(booted);

    const again = await postResponse(
      { ...begun, browser: stranger },
      sampleResponse(begun.target, { sign: 'response', user: PERSON }),
    );
    const refused = await again.submit();
    for (const [name, value] of begun.browser.cookies) stranger.cookies.set(name, value);
    const back = await again.submit();

    expect(again.text).toContain(`action="${SERVICE}/callback"`);
    expect(refused.status).toBe(403);
    expect(back.url).toMatch(CODE);
  });
});

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const PERSON = {
  nameId: NINA,
  attributes: { [`${CLAIMS}/emailaddress`]: [NINA], email: [NINA], firstName: ['Nina'] },
};

describe('the response of a SAML provider', () => {
  const SERVICE_KEY = developmentKey('service');
  const NAMES = (samples: (target: SampleTarget, key: typeof SERVICE_KEY) => { name: string }[]) =>
    samples({ now: 0, issuer: '', consumerUrl: '', audience: '', requestId: '' }, SERVICE_KEY).map(
      ({ name }) => name,
    );
  const either = {
    saml_config: { idp_entity_id: ISSUER, saml_signing_option: 'SAML_RESPONSE_OR_ASSERTION_SIGNING' },
  };

  it.each(NAMES(honestSamples))('is taken: %s', async (name) => {
    const booted = await bootSaml({ ...either, attribute_mapping: { email: 'email' } });
    const begun = await beginSaml(booted);
    const sample = honestSamples(begun.target, SERVICE_KEY).find((each) => each.name === name)!;

    await postResponse(begun, sample.xml);

    expect(await notesOf(booted, 'IdentityProvider_ReturnSaml')).toEqual([
      `SAML response of ${ISSUER} is good: NameID ada@acme.example`,
    ]);
  });

  it('is refused if it is hostile, and says which check refused it', async () => {
    const booted = await bootSaml({ ...either, attribute_mapping: { email: 'email' } });
    const { target } = await beginSaml(booted);
    const samples = hostileSamples(target, SERVICE_KEY).filter(({ refusedBy }) => refusedBy !== 'status');

    const wrong: string[] = [];
    for (const { name, xml, refusedBy } of samples) {
      const begun = await beginSaml(booted);
      await patchRow(booted.control, 'login_transactions', begun.id, { saml_request_id: target.requestId });
      const back = await postResponse(begun, xml);
      const said = back.query('error_description') ?? '';
      if (!back.query('error') || !said.startsWith(`SAML ${refusedBy}: `)) wrong.push(`${name}: ${back.url}`);
    }

    expect(wrong).toEqual([]);
    expect(samples.length).toBeGreaterThan(80);
    expect(await rowsOf(booted.control, 'authorization_codes')).toEqual([]);
  });

  it.each([
    [
      'no signature',
      'signature_validation_failed',
      /^SAML signature: .*Expected a signed response.*; received no signature/,
    ],
    [
      'another audience',
      'invalid_saml_response',
      new RegExp(`Expected ${SERVICE}; received https://other.example`),
    ],
    [
      'an hour old',
      'response_expired',
      /Expected issued at 2029-12-31T23:58:30.000Z or later; received 2029-12-31T23:00/,
    ],
    ['an hour ahead', 'assertion_expired', /the clock of the provider may be ahead/],
    [
      'another address',
      'invalid_acs_url',
      new RegExp(`Expected ${SERVICE}/callback; received https://other`),
    ],
    ['a failed status', 'access_denied', /^no$/],
    ['text that is no XML', 'malformed_saml_response', /^SAML xml/],
    [
      'an answer to another request',
      'invalid_saml_response',
      /Expected InResponseTo id-[0-9a-f]{40}; received _other/,
    ],
  ])('gives the documented error: %s', async (name, error, description) => {
    const booted = await bootSaml(either);
    const begun = await beginSaml(booted);
    const { xml } = hostileSamples(begun.target, SERVICE_KEY).find((each) => each.name === name)!;

    const back = await postResponse(begun, xml);

    expect(back.query('error')).toBe(error);
    expect(back.query('error_description')).toMatch(description);
    expect((await notesOf(booted, 'IdentityProvider_ReturnSaml')).join()).toContain('refused: SAML ');
  });

  it('is taken once', async () => {
    const booted = await bootSaml({ ...either, attribute_mapping: { email: 'email' } });
    const one = await beginSaml(booted);
    const xml = sampleResponse(one.target, { user: PERSON });
    const first = await postResponse(one, xml);
    const two = await beginSaml(booted);
    await patchRow(booted.control, 'login_transactions', two.id, { saml_request_id: one.target.requestId });

    const again = await postResponse(one, xml);
    const replayed = await postResponse(two, xml);

    expect(first.url).toMatch(CODE);
    expect(again.status).toBe(410);
    expect(replayed.query('error_description')).toMatch(/^SAML replay: the assertion was used before/);
  });

  it('is refused at the callback of another connection, and without a form', async () => {
    const booted = await bootSaml();
    const begun = await beginSaml(booted);
    await patchRow(booted.control, 'login_transactions', begun.id, {
      connection_id: 'conn_10000000000000251',
    });

    const mixed = await postResponse(begun, '<x/>');
    const empty = await begun.browser.send(`${SERVICE}/callback`, {});

    expect(mixed.status).toBe(403);
    expect(empty.url).toContain('error=');
  });

  it('without an e-mail address fails as documented', async () => {
    const booted = await bootSaml({ ...either, attribute_mapping: { email: 'mail' } });
    const begun = await beginSaml(booted);

    const back = await postResponse(begun, sampleResponse(begun.target));

    expect(back.query('error')).toBe('mandatory_attribute_missing');
    expect(back.query('error_description')).toContain(
      'Expected an e-mail address in mail; received only email, firstName',
    );
  });
});

describe('the certificates of a connection', () => {
  const certificatesOf = (...names: Parameters<typeof developmentKey>[0][]) => ({
    saml_config: {
      idp_entity_id: ISSUER,
      idp_certificates: names.map((name, index) => ({
        certificate: developmentKey(name).certificate,
        create_time: NOW,
        expiry_time: NOW,
        id: `cert_${index}`,
        issuer: 'CN=Understudy',
      })),
    },
  });

  it.each([
    [
      'the provider changes its key and the connection knows the old one',
      { ...certificatesOf('provider'), saml_provider: { certificate: 'next' } },
      'SAML signature',
    ],
    [
      'the connection knows both',
      { ...certificatesOf('provider', 'next_provider'), saml_provider: { certificate: 'next' } },
      undefined,
    ],
    [
      'a connection without certificates knows the old one',
      { saml_provider: { certificate: 'next' } },
      'SAML signature',
    ],
    [
      'the connection follows the metadata',
      {
        saml_provider: { certificate: 'next' },
        saml_config: { idp_metadata_url: 'https://idp.example/metadata' },
      },
      undefined,
    ],
    ['the certificate is over', { saml_provider: { certificate: 'expired' } }, 'SAML certificate'],
  ])('decide: %s', async (_, changes, refused) => {
    const booted = await bootSaml(changes);

    const back = await answerAs(await beginSaml(booted));

    if (refused) expect(back.query('error_description')).toContain(refused);
    else expect(back.url).toMatch(CODE);
  });
});
