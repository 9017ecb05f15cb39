import { describe, expect, it } from 'vitest';
import { readRedirected, redirectAddress } from '../../../saml/src/bindings.ts';
import { developmentKey, type DevelopmentKey } from '../../../saml/src/development-keys.ts';
import { readForeignLogoutRequest } from '../../../saml/src/message-reading.ts';
import { logoutRequest, logoutResponse } from '../../../saml/src/requests.ts';
import { isQuerySigned, signed } from '../../../saml/src/signature.ts';
import { xmlText } from '../../../saml/src/xml.ts';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser, type Visit } from '../../../../test/support/browser.ts';
import {
  answerAs,
  beginSaml,
  CLIENT,
  enable,
  ISSUER,
  NINA,
  NORDWIND,
  notesOf,
  PROVIDER,
  SERVICE,
} from '../../../../test/support/saml-sign-in.ts';
import { patchRow, rowsOf } from '../../../../test/support/sso.ts';
import { ask, exchange } from '../../../../test/operations/oauth-support.ts';

const NOW = '2030-01-01T00:00:00Z';
const APP = 'https://app.example.com/bye';
const AT_PROVIDER = 'https://idp.example/slo?tenant=7';
const WANTED = { idp_slo_url: AT_PROVIDER, idp_slo_required: true };

/** A browser whose session began over the SAML connection. */
async function signedIn(saml_config: object = {}, changes: object = {}) {
  const booted = await boot({ now: NOW });
  await patchRow(booted.control, 'clients', CLIENT, { post_logout_redirect_uris: [APP] });
  await enable(booted, { saml_config: { ...WANTED, ...saml_config }, ...changes });
  const begun = await beginSaml(booted);
  const back = await answerAs(begun);
  return { booted, browser: begun.browser, code: back.query('code') ?? '' };
}

async function signOut(browser: Browser): Promise<Visit> {
  const query = new URLSearchParams({ post_logout_redirect_uri: APP, state: 's 2', client_id: CLIENT });
  const page = await browser.open(`/oidc/logout?${query}`);
  return page.submit();
}

const sessionOf = async ({ control }: Booted) =>
  (await rowsOf(control, 'sessions')).find(({ saml_names }) => saml_names)!;

const field = (page: Visit, name: string) =>
  Buffer.from(new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '', 'base64').toString();

describe('a sign-out at the application', () => {
  it('passes the simulated provider, and goes on to the application', async () => {
    const { booted, browser } = await signedIn();

    const back = await signOut(browser);

    expect(back.url).toBe(`${APP}?state=s%202`);
    expect(await sessionOf(booted)).toMatchObject({ status: 'logout' });
    expect(await sessionOf(booted)).not.toHaveProperty('saml_logout');
    expect(browser.cookies.has('understudy_session')).toBe(false);
    expect(await notesOf(booted, 'Saml_AnswerLogout')).toEqual([
      expect.stringMatching(/^SAML request id-\w{40} of .*: it is not signed$/),
      expect.stringMatching(new RegExp(`^SAML sign-out request id-\\w{40} of ${SERVICE} for ${NINA}$`)),
    ]);
    expect(await notesOf(booted, 'Saml_ReturnLogout')).toEqual([
      expect.stringContaining(`SAML sign-out response of ${ISSUER} is good`),
    ]);
  });

  it('passes it by forms, signed, if the connection wants that', async () => {
    const { browser } = await signedIn({ idp_slo_request_binding: 'HTTP_POST', want_request_signed: true });

    const asking = await signOut(browser);
    const answering = await asking.submit();
    const back = await answering.submit();

    expect(field(asking, 'SAMLRequest')).toContain('<ds:SignatureValue>');
    expect(browser.cookies.has('understudy_session')).toBe(false);
    expect(field(answering, 'SAMLResponse')).toContain(`Destination="${SERVICE}/slo/callback"`);
    expect(back.url).toBe(`${APP}?state=s%202`);
  });

  it('asks a real provider, by the name of the user and of the session there', async () => {
    const { booted, browser } = await signedIn({ want_request_signed: true });
    await enable(booted, { simulated_provider: false });
    const [{ session_index }] = (await sessionOf(booted))['saml_names'] as [{ session_index: string }];

    const visit = await signOut(browser);

    expect(visit.url).toContain(`${AT_PROVIDER}&SAMLRequest=`);
    const query = visit.url.slice(visit.url.indexOf('SAMLRequest'));
    expect(isQuerySigned(query, 'SAMLRequest', [developmentKey('service').certificate])).toBe(true);
    const xml = readRedirected('SAMLRequest', visit.query('SAMLRequest')!);
    expect(readForeignLogoutRequest(xml)).toMatchObject({
      issuer: SERVICE,
      destination: AT_PROVIDER,
      nameId: { value: NINA },
      sessionIndexes: [session_index],
    });
  });

  it.each([
    ['does not ask for it', { idp_slo_required: false }],
    ['has no address for it', { idp_slo_url: null }],
  ])('does not go to the provider if the connection %s', async (_, saml_config) => {
    const { browser, booted } = await signedIn(saml_config);

    const back = await signOut(browser);

    expect(back.url).toBe(`${APP}?state=s%202`);
    const { body } = await booted.control.get('/requests?operation=Saml_AnswerLogout').expect(200);
    expect(body.requests).toEqual([]);
  });

  it('says in the journal that the address is missing', async () => {
    const { booted, browser } = await signedIn({ idp_slo_url: null });

    await signOut(browser);

    expect(await notesOf(booted, 'Logout_Confirm')).toEqual([
      `no SAML sign-out at ${NORDWIND}: idp_slo_required is on, and idp_slo_url is missing`,
    ]);
  });

  it('passes the provider without a question if an id_token says whose session it is', async () => {
    const { booted, browser, code } = await signedIn();
    const { body } = await ask(booted.anonymous, exchange(code)).expect(200);

    const back = await browser.open(
      `/oidc/logout?${new URLSearchParams({ id_token_hint: body.id_token, post_logout_redirect_uri: APP })}`,
    );

    expect(back.url).toBe(APP);
    expect(await notesOf(booted, 'Logout_EndSession')).toEqual([
      expect.stringMatching(/^SAML sign-out request id-/),
    ]);
    expect(await sessionOf(booted)).toMatchObject({ status: 'logout' });
  });

  it('ends on a page without an address to go on to', async () => {
    const { booted, browser } = await signedIn();
    await patchRow(booted.control, 'clients', CLIENT, { post_logout_redirect_uris: [] });

    const confirmation = await browser.open('/oidc/logout');
    const page = await confirmation.submit();

    expect(page.status).toBe(200);
    expect(page.text).toContain('You are signed out');
  });
});

/** Signs out as far as a real provider, and returns what answers as it. */
async function atProvider() {
  const { booted, browser } = await signedIn();
  await enable(booted, { simulated_provider: false, saml_config: { idp_certificates: [CERTIFICATE] } });
  const visit = await signOut(browser);
  const { id } = readForeignLogoutRequest(readRedirected('SAMLRequest', visit.query('SAMLRequest')!));
  const answer = (changes: object = {}, key: DevelopmentKey | 'none' = 'provider') => {
    const told = logoutResponse({
      id: '_answer',
      now: Date.parse(NOW),
      issuer: ISSUER,
      destination: `${SERVICE}/slo/callback`,
      inResponseTo: id,
      status: 'Success',
      ...changes,
    });
    const xml = xmlText(key === 'none' ? told : signed(told, developmentKey(key)));
    return browser.send(`${SERVICE}/slo/callback`, { SAMLResponse: Buffer.from(xml).toString('base64') });
  };
  return { booted, answer };
}

const CERTIFICATE = {
  id: 'cer_1',
  certificate: developmentKey('provider').certificate,
  create_time: NOW,
  expiry_time: '2099-01-01T00:00:00Z',
  issuer: 'test',
};

describe('the answer of the provider', () => {
  it('is taken once', async () => {
    const { answer } = await atProvider();

    const back = await answer();
    const again = await answer();

    expect(back.url).toBe(`${APP}?state=s%202`);
    expect(again.status).toBe(400);
    expect(again.text).toContain('no sign-out waits for this answer, or it was answered before');
  });

  it.each([
    ['is not signed', {}, 'none', 'SAML signature: a signature is missing'],
    ['is signed by somebody else', {}, 'next_provider', 'SAML signature: no certificate'],
    ['answers another request', { inResponseTo: '_other' }, 'provider', 'SAML request: no sign-out waits'],
    ['is for another address', { destination: SERVICE }, 'provider', 'SAML destination: '],
    ['is of another provider', { issuer: 'https://evil.example' }, 'provider', 'SAML issuer: '],
    [
      'says that it failed',
      { status: 'Responder' },
      'provider',
      'SAML status: the identity provider did not',
    ],
  ] as const)('is refused if it %s', async (_, changes, key, problem) => {
    const { booted, answer } = await atProvider();

    const page = await answer(changes, key);

    expect(page.status).toBe(400);
    expect(page.text).toContain(problem);
    expect(await notesOf(booted, 'Saml_ReturnLogout')).toEqual([expect.stringContaining(problem)]);
    expect((await answer()).url).toBe(`${APP}?state=s%202`);
  });
});

describe('the simulated provider', () => {
  const asked = (issuer: string) =>
    logoutRequest({
      id: '_1',
      now: Date.parse(NOW),
      issuer,
      destination: `http://localhost:8080${PROVIDER}/slo`,
      nameId: { value: NINA },
    });
  const send = (booted: Booted, issuer: string) =>
    new Browser(booted).open(
      redirectAddress(`${PROVIDER}/slo`, { name: 'SAMLRequest', xml: xmlText(asked(issuer)) }),
    );

  it('refuses an unsigned sign-out of a service that signs, and one of another service', async () => {
    const booted = await boot({ now: NOW });
    const foreign = await send(booted, 'https://sp.example');
    await enable(booted, { saml_config: { want_request_signed: true } });
    const unsigned = await send(booted, SERVICE);

    expect(foreign.status).toBe(400);
    expect(foreign.text).toContain('does not know where to answer the sign-out of https://sp.example');
    expect(unsigned.status).toBe(400);
    expect(unsigned.text).toContain(`${SERVICE} must sign its requests`);
  });

  it('answers with the faults of saml_provider', async () => {
    const { booted, browser } = await signedIn({}, { saml_provider: { certificate: 'current' } });
    await patchRow(booted.control, 'connections', NORDWIND, { saml_provider: { sign: 'none' } });

    const page = await signOut(browser);

    expect(page.status).toBe(400);
    expect(page.text).toContain('SAML signature: a signature is missing');
  });
});
