import { describe, expect, it } from 'vitest';
import { redirectAddress } from '../../../src/saml/bindings.ts';
import { developmentKey, type DevelopmentKey } from '../../../src/saml/development-keys.ts';
import { NAME_ID_FORMATS } from '../../../src/saml/names.ts';
import { logoutRequest } from '../../../src/saml/requests.ts';
import { signed } from '../../../src/saml/signature.ts';
import { xmlText } from '../../../src/saml/xml.ts';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';
import {
  answerAs,
  beginSaml,
  enable,
  ISSUER,
  NINA,
  notesOf,
  PROVIDER,
  SERVICE,
} from '../../support/saml-sign-in.ts';
import { rowsOf } from '../../support/sso.ts';

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
});
