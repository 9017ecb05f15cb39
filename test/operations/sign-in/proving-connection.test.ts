import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser, type Visit } from '../../support/browser.ts';
import { ACME, NORDWIND, OKTA, PASSWORDLESS } from '../../support/fixture-ids.ts';
import { patchRow } from '../../support/sso.ts';
import { OWN, ask, exchange } from '../oauth-support.ts';
import { ADA, NINA, authorizeUrl, lastRow, mailCodes, rows } from '../sign-in-support.ts';

const NEWCOMER = 'john@harbour.example';

const open = (booted: Booted, parameters: Record<string, string> = {}) =>
  new Browser(booted).open(authorizeUrl(parameters));

const lastMail = async ({ control }: Booted) => (await control.get('/mail').expect(200)).body.mails.at(-1);

async function withCode(
  booted: Booted,
  email: string,
  parameters: Record<string, string>,
  browser = new Browser(booted),
) {
  const page = await (await browser.open(authorizeUrl(parameters))).submit({ email });
  return page.submit({ code: (await lastMail(booted)).code });
}

/** A click on a listed user of Nordwind, after a visit to the identity provider of Acme Corp. */
async function afterTurningBack(booted: Booted) {
  const browser = new Browser(booted);
  const page = await browser.open(authorizeUrl({ organization_id: NORDWIND }));
  await page.submit({ email: ADA.email });
  return page.submit({ user_id: NINA.id });
}

interface SignIn {
  way: string;
  signIn: (booted: Booted) => Promise<Visit>;
  mails?: 'OTP' | 'LINK';
  auto_login?: string;
  /** What the ID token names. */
  amr: string;
  /** What the session, the event and the log name, which may name none. */
  used: string | undefined;
  workflow: 'SSO' | 'LOGIN';
}

const SIGN_INS: SignIn[] = [
  {
    way: 'at the identity provider',
    signIn: async (booted) => (await open(booted, { connection_id: OKTA })).submit({ email: ADA.email }),
    amr: OKTA,
    used: OKTA,
    workflow: 'SSO',
  },
  {
    way: 'without a page, at an identity provider',
    signIn: (booted) => open(booted, { connection_id: OKTA }),
    auto_login: ADA.email,
    amr: OKTA,
    used: OKTA,
    workflow: 'SSO',
  },
  {
    way: 'without a page',
    signIn: (booted) => open(booted, { organization_id: NORDWIND }),
    auto_login: NINA.email,
    amr: PASSWORDLESS,
    used: undefined,
    workflow: 'LOGIN',
  },
  {
    way: 'with a mailed code',
    signIn: (booted) => withCode(booted, NINA.email, { organization_id: NORDWIND }),
    mails: 'OTP',
    amr: PASSWORDLESS,
    used: PASSWORDLESS,
    workflow: 'LOGIN',
  },
  {
    way: 'with a mailed link',
    signIn: async (booted) => {
      const browser = new Browser(booted);
      const page = await browser.open(authorizeUrl({ organization_id: NORDWIND }));
      await page.submit({ email: NINA.email });
      return browser.open((await lastMail(booted)).link);
    },
    mails: 'LINK',
    amr: PASSWORDLESS,
    used: PASSWORDLESS,
    workflow: 'LOGIN',
  },
  {
    way: 'as a new user with a mailed code',
    signIn: (booted) => withCode(booted, NEWCOMER, { prompt: 'create' }),
    mails: 'OTP',
    amr: PASSWORDLESS,
    used: PASSWORDLESS,
    workflow: 'LOGIN',
  },
  {
    way: 'with an address to which nothing is mailed',
    signIn: async (booted) =>
      (await open(booted, { organization_id: NORDWIND })).submit({ email: NINA.email }),
    amr: PASSWORDLESS,
    used: undefined,
    workflow: 'LOGIN',
  },
  {
    way: 'as a listed user, whose address leads to an identity provider',
    signIn: async (booted) => (await open(booted)).submit({ user_id: ADA.id }),
    amr: OKTA,
    used: undefined,
    workflow: 'LOGIN',
  },
  {
    way: 'as a listed user, whose address leads to none',
    signIn: async (booted) =>
      (await open(booted, { organization_id: NORDWIND })).submit({ user_id: NINA.id }),
    amr: PASSWORDLESS,
    used: undefined,
    workflow: 'LOGIN',
  },
  {
    way: 'as a listed user after turning back from an identity provider',
    signIn: afterTurningBack,
    amr: PASSWORDLESS,
    used: undefined,
    workflow: 'LOGIN',
  },
];

const tokensOf = async (booted: Booted, visit: Visit) =>
  (await ask(booted.anonymous, exchange(visit.query('code')!)).expect(200)).body;

const amrOf = ({ id_token }: { id_token: string }) => decodeJwt(id_token)['amr'];

describe('the connection of a sign-in', () => {
  it.each(SIGN_INS)('is named the same everywhere: $way', async (each) => {
    const booted = await boot();
    if (each.mails) await mailCodes(booted, { type: each.mails });
    if (each.auto_login)
      await patchRow(booted.control, 'settings', 'settings', { auto_login: each.auto_login });

    const tokens = await tokensOf(booted, await each.signIn(booted));

    expect(amrOf(tokens)).toEqual([each.amr]);
    const session = await lastRow(booted.control, 'sessions');
    expect(session).toMatchObject({ connection_ids: each.used ? [each.used] : [] });
    const events = await rows(booted.control, 'events');
    const login = events.findLast(({ type }) => type === 'user.login')!;
    expect(login['connection_id']).toBe(each.used);
    const log = await lastRow(booted.control, 'auth_logs');
    expect(log).toMatchObject({ status: 'SUCCESS', workflow: each.workflow });
    expect(log['connection_id']).toBe(each.used);
  });

  it('is in the tokens of a refresh and of a sign-in that continues the session', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'OTP' });
    const wanted = { organization_id: NORDWIND, scope: 'openid offline_access' };
    const browser = new Browser(booted);
    const back = await withCode(booted, NINA.email, wanted, browser);
    const { refresh_token } = await tokensOf(booted, back);

    const again = await browser.open(authorizeUrl({ organization_id: NORDWIND }));
    const refresh = { ...OWN, grant_type: 'refresh_token', refresh_token };
    const refreshed = await ask(booted.anonymous, refresh).expect(200);

    expect(amrOf(await tokensOf(booted, again))).toEqual([PASSWORDLESS]);
    expect(amrOf(refreshed.body)).toEqual([PASSWORDLESS]);
  });

  it('is that of another way if the user has entered another organization than that of the address', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'users', NINA.id, { email: 'nina@acme.example' });

    const pick = async (organization_id: string) =>
      (await open(booted, { organization_id })).submit({ user_id: NINA.id });

    expect(amrOf(await tokensOf(booted, await pick(ACME)))).toEqual([OKTA]);
    expect(amrOf(await tokensOf(booted, await pick(NORDWIND)))).toEqual([PASSWORDLESS]);
  });

  it('is that of the mailed code if the application keeps its own users', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'OTP' });
    await patchRow(booted.control, 'settings', 'settings', { full_stack_auth: false });

    const tokens = await tokensOf(booted, await withCode(booted, NEWCOMER, { prompt: 'create' }));

    expect(amrOf(tokens)).toEqual([PASSWORDLESS]);
  });
});
