import { describe, expect, it } from 'vitest';
import { redirectAddress } from '../../../saml/src/bindings.ts';
import { developmentKey, type DevelopmentKey } from '../../../saml/src/development-keys.ts';
import { NAME_ID_FORMATS } from '../../../saml/src/names.ts';
import { logoutRequest } from '../../../saml/src/requests.ts';
import { signed } from '../../../saml/src/signature.ts';
import { xmlText } from '../../../saml/src/xml.ts';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import {
  answerAs,
  beginSaml,
  enable,
  ISSUER,
  NINA,
  notesOf,
  PROVIDER,
  SERVICE,
} from '../../../../test/support/saml-sign-in.ts';
import { rowsOf } from '../../../../test/support/sso.ts';

const NOW = '2030-01-01T00:00:00Z';

async function signedIn(changes: object = {}) {
  const booted = await boot({ now: NOW });
  await enable(booted, changes);
  await answerAs(await beginSaml(booted));
  return booted;
}

const statuses = async ({ control }: Booted) =>
  (await rowsOf(control, 'sessions')).filter(({ saml_names }) => saml_names).map(({ status }) => status);

const request = (changes: object = {}) =>
  logoutRequest({
    id: '_logout',
    now: Date.parse(NOW),
    issuer: ISSUER,
    destination: `${SERVICE}/slo`,
    nameId: { value: NINA, format: NAME_ID_FORMATS.EMAIL },
    ...changes,
  });

const byForm = (booted: Booted, changes: object = {}, key: DevelopmentKey = 'provider') =>
  new Browser(booted).send(`${SERVICE}/slo`, {
    SAMLRequest: Buffer.from(xmlText(signed(request(changes), developmentKey(key)))).toString('base64'),
    RelayState: 'r',
  });

describe('a sign-out that begins at the identity provider', () => {
  it('ends the session of the user, from the simulated provider', async () => {
    const booted = await signedIn();
    expect(await statuses(booted)).toEqual(['active']);

    const posting = await new Browser(booted).send(`${PROVIDER}/logout`, { email: NINA });
    const page = await posting.submit();

    expect(page.text).toContain('You are signed out');
    expect(await statuses(booted)).toEqual(['logout']);
    expect(await notesOf(booted, 'Saml_ReceiveLogout')).toEqual([
      `SAML sign-out of ${NINA} by ${ISSUER}: 1 sessions ended`,
    ]);
  });

  it('is answered at the address of the provider, in its binding', async () => {
    const address = 'https://idp.example/slo';
    const booted = await signedIn({ saml_config: { idp_slo_url: address } });
    const query = redirectAddress(`${SERVICE}/slo`, {
      name: 'SAMLRequest',
      xml: xmlText(request()),
      relayState: 'a b&c',
      key: developmentKey('provider'),
    });

    const back = await new Browser(booted).open(query);
    await enable(booted, { saml_config: { idp_slo_request_binding: 'HTTP_POST' } });
    const posting = await byForm(booted);

    expect(back.url).toContain(`${address}?SAMLResponse=`);
    expect(back.query('RelayState')).toBe('a b&c');
    expect(back.query('Signature')).toBeTruthy();
    expect(posting.text).toContain(`action="${address}"`);
    const [, response = ''] = /name="SAMLResponse" value="([^"]*)"/.exec(posting.text) ?? [];
    expect(Buffer.from(response, 'base64').toString()).toContain('InResponseTo="_logout"');
    expect(await statuses(booted)).toEqual(['logout']);
  });

  it('ends only the session that it names', async () => {
    const booted = await signedIn();
    const [session] = (await rowsOf(booted.control, 'sessions')).filter(({ saml_names }) => saml_names);
    const [{ session_index }] = session!['saml_names'] as [{ session_index: string }];

    await byForm(booted, { sessionIndex: '_other' });
    await byForm(booted, { nameId: { value: 'ravi@acme.example' } });
    const untouched = await statuses(booted);
    await byForm(booted, { sessionIndex: session_index });

    expect(untouched).toEqual(['active']);
    expect(await statuses(booted)).toEqual(['logout']);
  });

  it.each([
    ['signed by somebody else', (booted: Booted) => byForm(booted, {}, 'next_provider'), 'SAML signature'],
    [
      'of another provider',
      (booted: Booted) => byForm(booted, { issuer: 'https://evil.example' }),
      'SAML issuer',
    ],
    [
      'for another address',
      (booted: Booted) => byForm(booted, { destination: 'https://x.example' }),
      'SAML destination',
    ],
    [
      'without a signature',
      (booted: Booted) =>
        new Browser(booted).open(
          redirectAddress(`${SERVICE}/slo`, { name: 'SAMLRequest', xml: xmlText(request()) }),
        ),
      'a signature is missing',
    ],
    [
      'that is missing',
      (booted: Booted) => new Browser(booted).open(`${SERVICE}/slo`),
      'SAMLRequest is missing',
    ],
  ])('is refused if it is %s', async (_, send, problem) => {
    const booted = await signedIn();

    const page = await send(booted);

    expect(page.status).toBe(400);
    expect(page.text).toContain(problem);
    expect(await statuses(booted)).toEqual(['active']);
  });

  it.each(['constructor', '__proto__', 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'])(
    'is refused if it is signed with the algorithm %s',
    async (algorithm) => {
      const booted = await signedIn();
      const address = redirectAddress(`${SERVICE}/slo`, { name: 'SAMLRequest', xml: xmlText(request()) });

      const page = await new Browser(booted).open(`${address}&SigAlg=${algorithm}&Signature=AAAA`);

      expect(page.status).toBe(400);
      expect(page.text).toContain('a signature is missing');
    },
  );

  const trusting = (...certificates: string[]) => ({
    simulated_provider: false,
    saml_config: {
      idp_certificates: certificates.map((certificate, index) => ({
        certificate,
        create_time: NOW,
        expiry_time: NOW,
        id: `cert_${index}`,
        issuer: 'CN=Real',
      })),
    },
  });

  it('is refused, and not failed, if the certificate of the connection cannot be read', async () => {
    const booted = await signedIn();
    await enable(booted, trusting('garbage'));
    const query = { name: 'SAMLRequest', xml: xmlText(request()), key: developmentKey('provider') } as const;

    const posted = await byForm(booted);
    const redirected = await new Browser(booted).open(redirectAddress(`${SERVICE}/slo`, query));

    expect([posted.status, redirected.status]).toEqual([400, 400]);
    expect(posted.text).toContain('one cannot be read (garbage');
    expect(redirected.text).toContain('a signature is missing');
    await enable(booted, trusting('garbage', developmentKey('provider').certificate));
    expect((await byForm(booted)).status).toBe(200);
  });

  it('is read once, however many certificates the connection has', async () => {
    const booted = await signedIn();
    const { certificate } = developmentKey('next_provider');
    await enable(booted, trusting(...Array<string>(100).fill(certificate)));
    const xml = xmlText(signed(request(), developmentKey('provider')));
    const large = xml.replace('</samlp:LogoutRequest>', `${'<x a=""></x>'.repeat(4000)}$&`);
    const SAMLRequest = Buffer.from(large).toString('base64');
    const start = process.cpuUsage();

    const page = await new Browser(booted).send(`${SERVICE}/slo`, { SAMLRequest });

    expect(page.text).toContain('no certificate of the connection has signed this');
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  });
});
