import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';
import { patchRow } from '../../support/sso.ts';
import { NINA, authorizeUrl, expectCode, mailCodes, rows } from '../sign-in-support.ts';
import { NORDWIND } from '../../support/fixture-ids.ts';

const YUKI = 'yuki@lumen.example';
const MARA = 'mara+sktest@contractor.example';

/** Enters an email address on the sign-in page and returns the page that follows. */
async function enterEmail(booted: Booted, email = YUKI) {
  const browser = new Browser(booted);
  const page = await (await browser.open(authorizeUrl())).submit({ email });
  return { browser, page };
}

async function lastMail({ control }: Booted) {
  const { body } = await control.get('/mail').expect(200);
  return body.mails.at(-1) as { to: string; code?: string; link?: string };
}

async function asUser({ control }: Booted, email: string) {
  await control.patch('/state/users/usr_10000000000000109').send({ email }).expect(200);
}

describe('a mailed code', () => {
  it('signs in the user who enters it, once', async () => {
    const booted = await boot();
    await mailCodes(booted);

    const { page } = await enterEmail(booted);
    const { code = '', to } = await lastMail(booted);
    const back = await page.submit({ code: ` ${code.slice(0, 3)} ${code.slice(3)}` });

    expect(to).toBe(YUKI);
    expect(page.text).toContain('Enter the code');
    expectCode(back);
    expect((await page.submit({ code })).status).toBe(410);
  });

  it('has a page that links to the latest mail in the dashboard', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const linked = ({ text }: { text: string }) =>
      /href="\/_control\/#\/default\/mail\/(mail_\d+)"/.exec(text)?.[1];
    const lastId = async () => (await booted.control.get('/mail').expect(200)).body.mails.at(-1).id as string;

    const { browser, page } = await enterEmail(booted);
    const first = await lastId();
    const again = await page.submit({}, 'Send it again');
    const second = await lastId();
    await booted.control.delete('/mail').expect(204);
    const without = await browser.open(page.url);

    expect(linked(page)).toBe(first);
    expect(linked(again)).toBe(second);
    expect(second).not.toBe(first);
    expect(without.text).toContain('Enter the code');
    expect(linked(without)).toBeUndefined();
  });

  it('can contain letters and is accepted in lower case', async () => {
    const booted = await boot();
    await mailCodes(booted, { code_challenge_type: 'ALPHANUMERIC', code_challenge_length: 12 });

    const { page } = await enterEmail(booted);
    const { code = '' } = await lastMail(booted);

    expect(code).toMatch(/[A-Z]/);
    expectCode(await page.submit({ code: code.toLowerCase() }));
  });

  it('is not required for a user who is picked from the list', async () => {
    const booted = await boot();
    await mailCodes(booted);

    const page = await new Browser(booted).open(authorizeUrl());

    expect((await page.submit({ user_id: NINA.id })).text).toContain('Choose an organization');
  });

  it('is blocked after five wrong attempts, and a new one can be requested', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const { browser, page } = await enterEmail(booted);
    const { code = '' } = await lastMail(booted);
    const wrong = code === '000000' ? '000001' : '000000';

    const results: (boolean | number)[][] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      const again = await page.submit({ code: wrong });
      results.push([
        again.status,
        again.text.includes('Code is wrong.'),
        again.text.includes('Too many wrong'),
      ]);
    }
    const reopened = await browser.open(page.url);
    const blocked = await page.submit({ code });
    const resent = await page.submit({}, 'Send it again');
    const fresh = await lastMail(booted);

    expect(results).toEqual([0, 1, 2, 3, 4].map((n) => [400, n < 4, n === 4]));
    expect([reopened.status, reopened.text]).toEqual([200, expect.stringContaining('Too many wrong codes')]);
    expect(blocked.text).toContain('Too many wrong codes');
    expectCode(await resent.submit({ code: fresh.code! }));
  });

  it('expires by the clock and gets a new expiry time when sent again', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const { browser, page } = await enterEmail(booted);
    const { code = '' } = await lastMail(booted);
    await booted.control.post('/clock/advance').send({ by: '6m' }).expect(200);

    expect((await browser.open(page.url)).text).toContain('Code or link has expired: send it again.');
    const late = await page.submit({ code });
    const resent = await page.submit({}, 'Send it again');

    expect(late.text).toContain('Code or link has expired: send it again.');
    expectCode(await resent.submit({ code: (await lastMail(booted)).code! }));
  });

  it('is mailed at most twice a minute', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const { browser, page } = await enterEmail(booted);
    await page.submit({}, 'Send it again');

    const third = await page.submit({}, 'Send it again');
    const restarted = await (await browser.open(authorizeUrl())).submit({ email: YUKI });

    expect([third.status, restarted.status]).toEqual([400, 400]);
    // The address stays in lower case at the start of a sentence.
    for (const { text } of [third, restarted])
      expect(text).toContain(`${YUKI} may get at most 2 mails a minute.`);
  });

  it('has no page before a code was mailed', async () => {
    const browser = new Browser(await boot());
    const page = await browser.open(authorizeUrl());

    expect((await browser.open(`${page.url}/code`)).status).toBe(410);
  });

  it('is fixed for test users, who get no mail', async () => {
    const booted = await boot();
    await asUser(booted, MARA);
    await mailCodes(booted);
    await patchRow(booted.control, 'settings', 'settings', { test_users: { emails: [MARA] } });

    const { page } = await enterEmail(booted, MARA);
    const { body } = await booted.control.get('/mail').expect(200);

    expect(body.mails).toEqual([]);
    expectCode(await page.submit({ code: '424242' }));
  });

  it('of a test user is noted in the authentication log', async () => {
    const booted = await boot();
    await asUser(booted, MARA);
    await mailCodes(booted, { type: 'LINK_OTP' });
    await patchRow(booted.control, 'settings', 'settings', { test_users: { emails: [MARA] } });

    const { page } = await enterEmail(booted, MARA.toUpperCase());
    await page.submit({ code: '111111' });
    await page.submit({ code: '424242' });

    const { steps } = (await rows(booted.control, 'auth_logs')).at(-1) as { steps: { step: string }[] };
    expect(steps.map(({ step }) => step)).toEqual([
      'Login page loaded',
      'Verification email suppressed (test user)',
      'OTP verification failed',
      'OTP verification successful (test user)',
      'Callback to application',
    ]);
    const { body } = await booted.api.get('/api/v1/logs/authentication/requests').expect(200);
    expect(body.authRequests[0]).not.toHaveProperty('steps');
  });

  it.each([
    ['is switched off', { test_users: { enabled: false, emails: [MARA] } }, {}],
    ['lists somebody else', { test_users: { emails: ['tom+sktest@acme.example'] } }, {}],
    ['is for links alone', { test_users: { emails: [MARA] } }, { type: 'LINK' }],
  ])('is mailed to everybody if the list of test users %s', async (_, settings, config) => {
    const booted = await boot();
    await asUser(booted, MARA);
    await mailCodes(booted, config);
    await patchRow(booted.control, 'settings', 'settings', settings);

    await enterEmail(booted, MARA);

    expect(await lastMail(booted)).toMatchObject({ to: MARA });
  });

  it('is taken from the settings for test users of the API', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const test_users = { emails: [MARA], code: '135790' };
    await patchRow(booted.control, 'settings', 'settings', { test_users });
    const { body } = await booted.api
      .post('/api/v1/passwordless/email/send')
      .send({ email: MARA })
      .expect(200);

    await booted.api
      .post('/api/v1/passwordless/email/verify')
      .send({ code: '135790', auth_request_id: body.auth_request_id })
      .expect(200);
  });

  it('is fixed only for test users whose address contains +sktest', async () => {
    const { control } = await boot();

    await control
      .patch('/state/settings/settings')
      .send({ test_users: { emails: ['mara@acme-labs.example'] } })
      .expect(400);
  });
});

describe('a mailed link', () => {
  it('signs in the browser that requested it, once', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK' });

    const asking = await new Browser(booted).open(authorizeUrl());
    const { browser, page } = await enterEmail(booted);
    const { link = '', code } = await lastMail(booted);

    expect(asking.text).toContain('We will mail a link to this address.');
    expect(page.text).toContain('Check your mail');
    expect(code).toBeUndefined();
    expectCode(await browser.open(link));
    expect((await browser.open(link)).status).toBe(410);
  });

  it('asks for confirmation in another browser', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK_OTP' });
    const { browser, page } = await enterEmail(booted);
    const { link = '' } = await lastMail(booted);

    const confirmation = await new Browser(booted).open(link);
    const back = await confirmation.submit();

    expect(confirmation.text).toContain('Sign in here?');
    expectCode(back);
    expect((await browser.open(page.url)).status).toBe(403);
  });

  it('is refused after too many wrong codes and shows the reason', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK_OTP' });
    const { page } = await enterEmail(booted);
    const { link = '', code } = await lastMail(booted);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let attempt = 0; attempt < 5; attempt++) await page.submit({ code: wrong });

    const opened = await new Browser(booted).open(link);

    expect(opened.status).toBe(410);
    expect(opened.text).toContain('Too many wrong codes were entered: ask for another mail.');
  });

  it('works only in the requesting browser when enforce_same_browser_origin is set', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK', enforce_same_browser_origin: true });
    const { browser } = await enterEmail(booted);
    const { link = '' } = await lastMail(booted);

    expect((await new Browser(booted).open(link)).status).toBe(403);
    expectCode(await browser.open(link));
  });

  it('expires by the clock, and an unknown token answers 404', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK' });
    const { browser } = await enterEmail(booted);
    const { link = '' } = await lastMail(booted);
    await booted.control.post('/clock/advance').send({ by: '6m' }).expect(200);

    expect((await browser.open(link)).status).toBe(410);
    expect((await browser.open('/ui/link?link_token=guessed')).status).toBe(404);
  });
});

describe('LoginPage_SignUp', () => {
  const MIA = {
    email: 'mia@harbour.example',
    first_name: 'Mia',
    last_name: 'Lund',
    organization_name: 'Harbour Works',
  };

  it('creates the user, the organization and the membership', async () => {
    const booted = await boot();
    const page = await new Browser(booted).open(authorizeUrl({ prompt: 'create', login_hint: MIA.email }));

    const back = await page.submit(MIA);

    expect(page.text).toContain('value="mia@harbour.example"');
    expectCode(back);
    const user = (await rows(booted.control, 'users')).at(-1)!;
    const organization = (await rows(booted.control, 'organizations')).at(-1)!;
    expect(user).toMatchObject({
      email: MIA.email,
      user_profile: { given_name: 'Mia', family_name: 'Lund', email_verified: true },
    });
    expect(organization).toMatchObject({ display_name: 'Harbour Works' });
    expect((await rows(booted.control, 'memberships')).at(-1)).toMatchObject({
      organization_id: organization['id'],
      user_id: user['id'],
      membership_status: 'ACTIVE',
      provisioning_method: 'org_creator',
      role_ids: ['role_10000000000000001'],
    });
    expect((await rows(booted.control, 'authorization_codes')).at(-1)).toMatchObject({
      user_id: user['id'],
      organization_id: organization['id'],
    });
  });

  it('verifies the email address first when codes are mailed', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const page = await new Browser(booted).open(authorizeUrl({ prompt: 'create' }));

    const confirmation = await page.submit(MIA);
    const before = (await rows(booted.control, 'users')).length;
    const { code = '' } = await lastMail(booted);

    expectCode(await confirmation.submit({ code }));
    expect((await rows(booted.control, 'users')).length).toBe(before + 1);
  });

  it('shows what is wrong and keeps the entered values', async () => {
    const page = await new Browser(await boot()).open(authorizeUrl({ prompt: 'create' }));

    const long = await page.submit({ ...MIA, organization_name: 'x'.repeat(201) });
    const taken = await page.submit({ ...MIA, email: 'Ada@acme.example' });
    const none = await page.submit({ ...MIA, email: 'mia' });

    expect([long.status, taken.status, none.status]).toEqual([400, 400, 400]);
    expect(long.text).toContain('At most 200 characters.');
    expect(long.text).toContain('value="Lund"');
    expect(taken.text).toContain('has an account');
    expect(none.text).toContain('not an e-mail address');
  });

  it('lets a user without an organization create one', async () => {
    const booted = await boot();
    await booted.control.delete('/state/memberships/mem_10000000000000001').expect(204);
    const page = await new Browser(booted).open(authorizeUrl());

    const missing = await page.submit({ user_id: 'usr_10000000000000101' });

    expect(missing.text).toContain('Create your organization');
    expectCode(await missing.submit({ organization_name: 'Byrne and Daughters' }));
    expect(NORDWIND).not.toBe((await rows(booted.control, 'organizations')).at(-1)!['id']);
  });
});
