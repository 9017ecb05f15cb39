import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { patchRow } from '../support/sso.ts';
import { NINA, NORDWIND, authorizeUrl, expectCode, mailCodes, rows } from './sign-in-support.ts';

const PRIYA = 'priya@contractor.example';
const MARA = 'mara+sktest@contractor.example';

/** The page that follows when an address has been typed. */
async function typed(booted: Booted, email = PRIYA) {
  const browser = new Browser(booted);
  const page = await (await browser.open(authorizeUrl())).submit({ email });
  return { browser, page };
}

async function lastMail({ control }: Booted) {
  const { body } = await control.get('/mail').expect(200);
  return body.mails.at(-1) as { to: string; code?: string; link?: string };
}

async function asUser({ control }: Booted, email: string) {
  const [, , , , , , priya] = await rows(control, 'users');
  await control
    .patch(`/state/users/${String(priya!['id'])}`)
    .send({ email })
    .expect(200);
}

describe('a mailed code', () => {
  it('signs in whoever enters it, once', async () => {
    const booted = await boot();
    await mailCodes(booted);

    const { page } = await typed(booted);
    const { code = '', to } = await lastMail(booted);
    const back = await page.submit({ code: ` ${code.slice(0, 3)} ${code.slice(3)}` });

    expect(to).toBe(PRIYA);
    expect(page.text).toContain('Enter the code');
    expectCode(back);
    expect((await page.submit({ code })).status).toBe(410);
  });

  it('may have letters, which need no shift', async () => {
    const booted = await boot();
    await mailCodes(booted, { code_challenge_type: 'ALPHANUMERIC', code_challenge_length: 12 });

    const { page } = await typed(booted);
    const { code = '' } = await lastMail(booted);

    expect(code).toMatch(/[A-Z]/);
    expectCode(await page.submit({ code: code.toLowerCase() }));
  });

  it('is not wanted of a user who is picked', async () => {
    const booted = await boot();
    await mailCodes(booted);

    const page = await new Browser(booted).open(authorizeUrl());

    expect((await page.submit({ user_id: NINA.id })).text).toContain('Choose an organization');
  });

  it('is blocked by the fifth wrong one, and another can be had', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const { browser, page } = await typed(booted);
    const { code = '' } = await lastMail(booted);
    const wrong = code === '000000' ? '000001' : '000000';

    const told: (boolean | number)[][] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      const again = await page.submit({ code: wrong });
      told.push([again.status, again.text.includes('Code is wrong.'), again.text.includes('Too many wrong')]);
    }
    const looked = await browser.open(page.url);
    const blocked = await page.submit({ code });
    const resent = await page.submit({}, 'Send it again');
    const fresh = await lastMail(booted);

    expect(told).toEqual([0, 1, 2, 3, 4].map((n) => [400, n < 4, n === 4]));
    expect([looked.status, looked.text]).toEqual([200, expect.stringContaining('Too many wrong codes')]);
    expect(blocked.text).toContain('Too many wrong codes');
    expectCode(await resent.submit({ code: fresh.code! }));
  });

  it('expires by the clock, and is sent again with a new end', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const { browser, page } = await typed(booted);
    const { code = '' } = await lastMail(booted);
    await booted.control.post('/clock/advance').send({ by: '6m' }).expect(200);

    expect((await browser.open(page.url)).text).toContain('Code or link has expired: send it again.');
    const late = await page.submit({ code });
    const resent = await page.submit({}, 'Send it again');

    expect(late.text).toContain('Code or link has expired: send it again.');
    expectCode(await resent.submit({ code: (await lastMail(booted)).code! }));
  });

  it('is mailed twice a minute and no more', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const { browser, page } = await typed(booted);
    await page.submit({}, 'Send it again');

    const third = await page.submit({}, 'Send it again');
    const anew = await (await browser.open(authorizeUrl())).submit({ email: PRIYA });

    expect([third.status, anew.status]).toEqual([400, 400]);
    // An address keeps its letters where it begins the sentence.
    for (const { text } of [third, anew])
      expect(text).toContain(`${PRIYA} may get at most 2 mails a minute.`);
  });

  it('has no page before anything was mailed', async () => {
    const browser = new Browser(await boot());
    const page = await browser.open(authorizeUrl());

    expect((await browser.open(`${page.url}/code`)).status).toBe(410);
  });

  it('is always the same for test users, who get no mail', async () => {
    const booted = await boot();
    await asUser(booted, MARA);
    await mailCodes(booted);
    await patchRow(booted.control, 'settings', 'settings', { test_users: { emails: [MARA] } });

    const { page } = await typed(booted, MARA);
    const { body } = await booted.control.get('/mail').expect(200);

    expect(body.mails).toEqual([]);
    expectCode(await page.submit({ code: '424242' }));
  });

  it('is what the settings say, for test users of the API too', async () => {
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

  it('is for test users with a telling address alone', async () => {
    const { control } = await boot();

    await control
      .patch('/state/settings/settings')
      .send({ test_users: { emails: ['mara@acme-labs.example'] } })
      .expect(400);
  });
});

describe('a mailed link', () => {
  it('signs in the browser that asked for it, once', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK' });

    const asking = await new Browser(booted).open(authorizeUrl());
    const { browser, page } = await typed(booted);
    const { link = '', code } = await lastMail(booted);

    expect(asking.text).toContain('Mail me a link');
    expect(page.text).toContain('Check your mail');
    expect(code).toBeUndefined();
    expectCode(await browser.open(link));
    expect((await browser.open(link)).status).toBe(410);
  });

  it('asks another browser first', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK_OTP' });
    const { browser, page } = await typed(booted);
    const { link = '' } = await lastMail(booted);

    const asked = await new Browser(booted).open(link);
    const back = await asked.submit();

    expect(asked.text).toContain('Sign in here?');
    expectCode(back);
    expect((await browser.open(page.url)).status).toBe(403);
  });

  it('is no good after too many wrong codes, and says so before anybody goes on', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK_OTP' });
    const { page } = await typed(booted);
    const { link = '', code } = await lastMail(booted);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let attempt = 0; attempt < 5; attempt++) await page.submit({ code: wrong });

    const opened = await new Browser(booted).open(link);

    expect(opened.status).toBe(410);
    expect(opened.text).toContain('Too many wrong codes were entered: ask for another mail.');
  });

  it('is for the browser that asked alone, where the connection says so', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK', enforce_same_browser_origin: true });
    const { browser } = await typed(booted);
    const { link = '' } = await lastMail(booted);

    expect((await new Browser(booted).open(link)).status).toBe(403);
    expectCode(await browser.open(link));
  });

  it('expires by the clock, and is nothing when it is not known', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'LINK' });
    const { browser } = await typed(booted);
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

  it('makes the user, the organization and its first member', async () => {
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

  it('proves the address first where codes are mailed', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const page = await new Browser(booted).open(authorizeUrl({ prompt: 'create' }));

    const asked = await page.submit(MIA);
    const before = (await rows(booted.control, 'users')).length;
    const { code = '' } = await lastMail(booted);

    expectCode(await asked.submit({ code }));
    expect((await rows(booted.control, 'users')).length).toBe(before + 1);
  });

  it('says what is wrong, and keeps what was entered', async () => {
    const page = await new Browser(await boot()).open(authorizeUrl({ prompt: 'create' }));

    const nameless = await page.submit({ ...MIA, organization_name: ' ' });
    const taken = await page.submit({ ...MIA, email: 'Ada@acme.example' });
    const none = await page.submit({ ...MIA, email: 'mia' });

    expect([nameless.status, taken.status, none.status]).toEqual([400, 400, 400]);
    expect(nameless.text).toContain('Name your organization.');
    expect(nameless.text).toContain('value="Lund"');
    expect(taken.text).toContain('has an account');
    expect(none.text).toContain('not an e-mail address');
  });

  it('gives a user without an organization one of their own', async () => {
    const booted = await boot();
    await booted.control.delete('/state/memberships/mem_10000000000000001').expect(204);
    const page = await new Browser(booted).open(authorizeUrl());

    const missing = await page.submit({ user_id: 'usr_10000000000000101' });

    expect(missing.text).toContain('Create your organization');
    expectCode(await missing.submit({ organization_name: 'Byrne and Daughters' }));
    expect(NORDWIND).not.toBe((await rows(booted.control, 'organizations')).at(-1)!['id']);
  });
});
