import { expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { authorizeUrl, OWN } from '../operations/oauth-support.ts';
import { BROKEN_OUT, expectHarmless, MARKUP } from './injection-support.ts';
import { ACME, GMAIL, OKTA } from '../support/fixture-ids.ts';

/** Rows with markup in each name that people, applications or administrators can choose. */
const NAMED: Readonly<Record<string, object>> = {
  [`clients/${OWN.client_id}`]: { name: MARKUP },
  [`organizations/${ACME}`]: { display_name: MARKUP },
  'organizations/org_10000000000000002': { display_name: MARKUP },
  [`connections/${OKTA}`]: { ui_button_title: MARKUP },
  'users/usr_10000000000000101': {
    user_profile: { id: 'usp_10000000000000101', given_name: MARKUP, family_name: MARKUP, name: MARKUP },
  },
  [`connected_accounts/${GMAIL}`]: { identifier: MARKUP },
};

async function bootWithMarkup() {
  const booted = await boot();
  for (const [row, named] of Object.entries(NAMED))
    await booted.control.patch(`/state/${row}`).send(named).expect(200);
  return booted;
}

it('markup is escaped on the pages of a sign-in', async () => {
  const booted = await bootWithMarkup();
  const browser = new Browser(booted);

  const page = await browser.open(authorizeUrl({ login_hint: MARKUP, state: MARKUP }));
  expect(page.text).toContain('&lt;script&gt;alert(1)');
  expectHarmless(page);
  expectHarmless(await page.submit({ email: MARKUP }));
  expectHarmless(await browser.open(authorizeUrl({ prompt: 'create', login_hint: MARKUP })));
  expectHarmless(await browser.open(authorizeUrl({ redirect_uri: MARKUP })));
  expectHarmless(await browser.open(authorizeUrl({ client_id: MARKUP })));
  expectHarmless(await browser.open(`/ui/login/${encodeURIComponent(MARKUP)}`));
});

it('markup is escaped on the pages of an identity provider', async () => {
  const booted = await bootWithMarkup();
  const browser = new Browser(booted);

  const page = await browser.open(`/sso/v1/oidc/${OKTA}/test`);
  expectHarmless(page);
  expectHarmless(await page.submit({ email: MARKUP, given_name: MARKUP, attributes: MARKUP }, 'id="email"'));
  expectHarmless(await page.submit({ error: 'access_denied', error_description: MARKUP }, 'id="error"'));
  expectHarmless(await browser.open(`/ui/identity-provider/connections/${OKTA}`));
});

it('markup is escaped on the consent page of a connected account', async () => {
  const booted = await bootWithMarkup();
  const { link } = await bodyOf(booted.api, '/api/v1/connected_accounts/magic_link', { id: GMAIL });

  const page = await new Browser(booted, new URL(link!).origin).open(link!);

  expect(page.text).toContain('&lt;script&gt;alert(1)');
  expectHarmless(page);
});

it('markup is escaped on the pages for organizations, codes and invitations', async () => {
  const booted = await bootWithMarkup();
  const browser = new Browser(booted);

  const choosing = await browser.open(authorizeUrl());
  const organizations = await choosing.submit({ user_id: 'usr_10000000000000103' });
  await booted.control.patch('/state/connections/conn_10000000000000241').send({ enabled: true }).expect(200);
  const asking = await new Browser(booted).open(authorizeUrl());
  const code = await asking.submit({ email: 'yuki@lumen.example' });
  const invited = { email: 'new@acme.example', membership: {} };
  await booted.api.post(`/api/v1/organizations/${ACME}/users`).send(invited).expect(201);
  const [mail] = (await booted.control.get('/mail?kind=invitation').expect(200)).body.mails;
  const invitation = await new Browser(booted, new URL(mail.link).origin).open(mail.link);

  expect(organizations.text).toContain('Choose an organization');
  expect(code.text).toContain('Enter the code');
  expect(organizations.text).toContain('&lt;script&gt;alert(1)');
  expect(invitation.text).toContain('&lt;script&gt;alert(1)');
  for (const page of [organizations, code, invitation]) expectHarmless(page);
  expectHarmless(await code.submit({ code: MARKUP }, 'name="code"'));
});

it('markup is escaped on the front page, the sign-in result, the logout page and unknown links', async () => {
  const browser = new Browser(await bootWithMarkup());
  const success = new URLSearchParams({ code: MARKUP, state: MARKUP });
  const wrong = new URLSearchParams({ error: MARKUP, error_description: MARKUP });

  expectHarmless(await browser.open('/'));
  expectHarmless(await browser.open(`/ui/signed-in?${success}`));
  expectHarmless(await browser.open(`/ui/signed-in?${wrong}`));
  expectHarmless(await browser.open(`/oidc/logout?post_logout_redirect_uri=${encodeURIComponent(MARKUP)}`));
  expectHarmless(await browser.open(`/magicLink/${encodeURIComponent(MARKUP)}`));
});

it('markup is escaped in mails', async () => {
  const booted = await bootWithMarkup();
  const body = { email: '"<script>alert(1)</script>"@acme.example', membership: {} };
  await booted.api
    .post(`/api/v1/organizations/${ACME}/users`)
    .query({ send_invitation_email: true })
    .send(body);
  await booted.api
    .post(`/api/v1/organizations/${ACME}/users`)
    .query({ send_invitation_email: true })
    .send({ email: 'new@acme.example', membership: {} })
    .expect(201);

  const { mails } = (await booted.control.get('/mail?html=true').expect(200)).body;
  expect(mails.length).toBeGreaterThan(0);
  for (const { id, html } of mails) {
    expect(html).not.toMatch(BROKEN_OUT);
    const page = await booted.control.get(`/mail/${id}?format=html`).expect(200);
    expect(page.text).not.toMatch(BROKEN_OUT);
  }
  expect((await booted.control.get('/mail?format=html').expect(200)).text).not.toMatch(BROKEN_OUT);
});

const bodyOf = async (api: Agent, path: string, body: object) =>
  (await api.post(path).set('host', 'localhost:8080').send(body).expect(200)).body as Record<string, string>;
