import { decodeJwt } from 'jose';
import type { Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { patchRow } from '../support/sso.ts';
import { ADA, CALLBACK, NINA, authorizeUrl, expectCode, mailCodes } from './sign-in-support.ts';
import { NORDWIND, OKTA } from '../support/fixture-ids.ts';

export async function withMailedCode(booted: Booted) {
  await mailCodes(booted);
  const signInPage = await new Browser(booted).open(authorizeUrl({ organization_id: NORDWIND }));
  const page = await signInPage.submit({ email: NINA.email });
  const { body } = await booted.control.get('/mail').expect(200);
  expectCode(await page.submit({ code: body.mails.at(-1).code }));
}

export async function withoutPage(booted: Booted) {
  await booted.control.patch('/state/settings/settings').send({ auto_login: ADA.email }).expect(200);
  expectCode(await new Browser(booted).open(authorizeUrl()));
}

/** Starts at the provider and follows with the request that the application would make. */
export async function fromProvider(booted: Booted) {
  const client = 'skc_10000000000000002';
  const browser = new Browser(booted);
  const page = `/ui/identity-provider/connections/${OKTA}`;
  await patchRow(booted.control, 'clients', client, { initiate_login_uri: 'https://app.example.com/login' });
  const sent = await browser.send(page, { email: ADA.email, client_id: client });
  const { connection_id, login_hint } = decodeJwt<Record<string, string>>(sent.query('idp_initiated_login')!);
  const signInPage = await browser.open(
    authorizeUrl({ connection_id: connection_id!, login_hint: login_hint! }),
  );
  expectCode(
    signInPage.url.startsWith(CALLBACK) ? signInPage : await signInPage.submit({}, `value="${ADA.email}"`),
  );
}
