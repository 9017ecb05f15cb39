import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';
import * as the from '../sign-in-support.ts';
import { ACME, NORDWIND, PRIYA } from '../../support/fixture-ids.ts';

const { ADA, NINA, TOM, LENA, MARCO, authorizeUrl, expectCode, expectError } = the;

describe('the organization of a sign-in', () => {
  it('is chosen by a user who has several', async () => {
    const booted = await boot();

    const { visit } = await the.signedIn(booted, NINA);
    const back = await visit.submit({ organization_id: NORDWIND });

    expect(visit.text).toContain('Choose an organization');
    expect(visit.text).toContain('Nordwind GmbH');
    expectCode(back);
    expect(await the.lastRow(booted.control, 'authorization_codes')).toMatchObject({
      organization_id: NORDWIND,
    });
  });

  it('is kept until the user chooses another with select_account', async () => {
    const booted = await boot();
    const { browser, visit } = await the.signedIn(booted, NINA);
    await visit.submit({ organization_id: NORDWIND });

    expectCode(await browser.open(authorizeUrl()));
    const switcher = await browser.open(authorizeUrl({ prompt: 'select_account' }));
    expectCode(await switcher.submit({ organization_id: ACME }));

    expect(await the.lastRow(booted.control, 'sessions')).toMatchObject({
      organization_id: ACME,
      authenticated_organizations: [NORDWIND, ACME],
    });
  });

  it('is switched without a page by organization_id', async () => {
    const booted = await boot();
    const { browser, visit } = await the.signedIn(booted, NINA);
    await visit.submit({ organization_id: NORDWIND });

    const back = await browser.open(authorizeUrl({ prompt: 'select_account', organization_id: ACME }));

    expectCode(back);
    expect(await the.lastRow(booted.control, 'authorization_codes')).toMatchObject({ organization_id: ACME });
  });

  it('must be an organization of the user', async () => {
    const booted = await boot();
    const { browser } = await the.signedIn(booted, ADA);

    const refused = await browser.open(authorizeUrl({ organization_id: NORDWIND }));

    expectError(refused, 'access_denied');
    expect(refused.query('error_description')).toBe('ada@acme.example is not a member of Nordwind GmbH');
  });

  it('must be one that the page offers', async () => {
    const booted = await boot();

    const { visit } = await the.signedIn(booted, NINA);
    const again = await visit.submit({ organization_id: 'org_10000000000000003' });

    expect(again.status).toBe(400);
    expect(again.text).toContain('Choose one of these.');
  });

  it('refuses an inactive member', async () => {
    const { visit } = await the.signedIn(await boot(), TOM);

    expectError(visit, 'user_not_active');
  });

  it('cannot be chosen before the user signs in', async () => {
    const browser = new Browser(await boot());
    const page = await browser.open(authorizeUrl());

    const early = await browser.open(`${page.url}/organization`);

    expect(early.url).toBe(page.url);
  });

  it('cannot be chosen with a session that was revoked meanwhile', async () => {
    const booted = await boot();
    const { browser, visit } = await the.signedIn(booted, NINA);
    await visit.submit({ organization_id: NORDWIND });
    const switcher = await browser.open(authorizeUrl({ prompt: 'select_account' }));
    await booted.api.post(`/api/v1/users/${NINA.id}/sessions/revoke`).expect(200);

    const again = await switcher.submit({ organization_id: ACME });

    expect(again.text).toContain('<h1>Sign in</h1>');
  });
});

describe('an invitation that is accepted at a sign-in', () => {
  it('activates the membership', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const membership = '/state/memberships/mem_10000000000000006';
    await booted.control.patch(membership).send({ expires_at: '2030-01-02T00:00:00Z' }).expect(200);
    await booted.control.patch(membership).send({ membership_status: 'PENDING_INVITE' }).expect(200);

    const { visit } = await the.signedIn(booted, LENA);
    const back = await visit.submit({ organization_id: NORDWIND });

    expect(visit.text).toContain('You are invited');
    expect(visit.text).toContain('invited by nina@nordwind.example');
    expectCode(back);
    const members = await the.rows(booted.control, 'memberships');
    expect(members.find(({ user_id }) => user_id === LENA.id)).toMatchObject({
      membership_status: 'ACTIVE',
      accepted_at: '2030-01-01T00:00:00.000Z',
      join_time: '2030-01-01T00:00:00.000Z',
    });
  });

  it('is refused after it expired', async () => {
    const booted = await boot();
    const { visit } = await the.signedIn(booted, LENA);
    await booted.control
      .patch('/state/memberships/mem_10000000000000006')
      .send({ membership_status: 'INVITE_EXPIRED' })
      .expect(200);

    const refused = await visit.submit({ organization_id: NORDWIND });

    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Your invitation to Nordwind GmbH has expired');
    expectError((await the.signedIn(booted, MARCO)).visit, 'access_denied');
  });
});

describe('an organization that allows the domain of the address', () => {
  const PERSON = { id: PRIYA };
  const AUTOMATIC = { understudy_auto: '1', login_hint: 'priya@contractor.example' };
  const membership = async ({ control }: Booted) =>
    (await the.rows(control, 'memberships')).find(({ user_id }) => user_id === PRIYA);

  it('is joined with one click by a user without an organization', async () => {
    const booted = await boot();
    const { visit } = await the.signedIn(booted, PERSON);
    const before = await membership(booted);

    const back = await visit.submit({ organization_id: ACME });

    expect(visit.text).toContain('Choose an organization');
    expect(visit.text).toContain('Join Acme Corp');
    expect(before).toBeUndefined();
    expectCode(back);
    expect(await membership(booted)).toMatchObject({
      organization_id: ACME,
      membership_status: 'ACTIVE',
      provisioning_method: 'allowed_email_domain',
    });
  });

  it('is not the only choice: the user may create an organization', async () => {
    const booted = await boot();
    const { browser, visit } = await the.signedIn(booted, PERSON);
    const [, href = ''] = /<a href="([^"]+)">Create new organization/.exec(visit.text) ?? [];

    const form = await browser.open(href);
    const back = await form.submit({ organization_name: 'Priya and sons' });

    expect(form.text).toContain('Create your organization');
    expectCode(back);
    expect(await membership(booted)).toMatchObject({ provisioning_method: 'org_creator' });
  });

  it('is not joined without a free seat', async () => {
    const booted = await boot();
    await booted.control.patch(`/state/organizations/${ACME}`).send({ max_allowed_users: 1 }).expect(200);
    const { visit } = await the.signedIn(booted, PERSON);

    const refused = await visit.submit({ organization_id: ACME });

    expect(refused.status).toBe(400);
    expect(refused.text).toContain('may have no more than 1 users');
    expect(await membership(booted)).toBeUndefined();
  });

  it('is joined by an automatic sign-in, which can ask nobody', async () => {
    const booted = await boot();

    expectCode(await new Browser(booted).open(authorizeUrl(AUTOMATIC)));

    expect(await membership(booted)).toMatchObject({ organization_id: ACME });
  });

  it('sends an automatic sign-in back with an error if it has no free seat', async () => {
    const booted = await boot();
    await booted.control.patch(`/state/organizations/${ACME}`).send({ max_allowed_users: 1 }).expect(200);

    const refused = await new Browser(booted).open(authorizeUrl(AUTOMATIC));

    expectError(refused, 'access_denied');
    expect(refused.query('error_description')).toContain('may have no more than 1 users');
    expect(await membership(booted)).toBeUndefined();
  });

  it('is suggested to members of another organization in the switcher', async () => {
    const booted = await boot();
    const domain = { organization_id: NORDWIND, domain: 'acme.example', domain_type: 'ALLOWED_EMAIL_DOMAIN' };
    await booted.api.post(`/api/v1/organizations/${NORDWIND}/domains`).send(domain).expect(200);
    const { browser } = await the.signedIn(booted, ADA);

    const switcher = await browser.open(authorizeUrl({ prompt: 'select_account' }));

    expect(switcher.text).toContain('Join Nordwind GmbH');
    expectCode(await switcher.submit({ organization_id: ACME }));
  });
});

describe('InvitationPage_Accept', () => {
  const LINK = '/ui/invitation/UnderstudyLenaInvitation0000000001';

  it('redirects the invited user to initiate_login_uri of the application', async () => {
    const booted = await boot();
    await booted.control
      .patch('/state/clients/skc_10000000000000002')
      .send({ initiate_login_uri: 'https://app.example.com/login' })
      .expect(200);

    const page = await new Browser(booted).open(LINK);
    const sent = await page.submit();

    expect(page.text).toContain('Join Nordwind GmbH');
    expect(sent.url).toBe(
      'https://app.example.com/login?organization_id=org_10000000000000002&login_hint=lena%40nordwind.example',
    );
  });

  it('fills the organization into initiate_login_uri', async () => {
    const booted = await boot();
    const nordwind = '/api/v1/organizations/org_10000000000000002';
    await booted.api.patch(nordwind).send({ slug: 'login.nordwind.example' }).expect(200);
    await booted.control
      .patch('/state/clients/skc_10000000000000002')
      .send({ initiate_login_uri: 'https://{{slug}}/login' })
      .expect(200);

    const sent = await (await new Browser(booted).open(LINK)).submit();

    expect(sent.url).toMatch(
      /^https:\/\/login\.nordwind\.example\/login\?organization_id=org_10000000000000002&/,
    );
  });

  it('shows a confirmation and works once', async () => {
    const booted = await boot();
    const browser = new Browser(booted);

    const done = await (await browser.open(LINK)).submit();
    const again = await browser.open(LINK);

    expect(done.text).toContain('lena@nordwind.example is a member now.');
    expect(again.status).toBe(410);
    expect(again.text).toContain('accepted already');
    expectCode((await the.signedIn(booted, LENA)).visit);
  });

  it('refuses an expired and an unknown invitation', async () => {
    const browser = new Browser(await boot());

    const late = await browser.open('/ui/invitation/UnderstudyMarcoInvitation000000002');
    const unknown = await browser.open('/ui/invitation/nothing-of-the-kind');

    expect([late.status, unknown.status]).toEqual([410, 404]);
  });

  it('finds the environment by the invitation token', async () => {
    const booted = await boot();
    const { api, control } = await booted.environment('other');
    await api.post(`/api/v1/organizations/${ACME}/users`).send({ email: 'mia@harbour.example' }).expect(201);
    const { invitation_token } = await the.lastRow(control, 'memberships');

    const page = await new Browser(booted).open(`/ui/invitation/${String(invitation_token)}`);

    expect(invitation_token).toMatch(/^other\.\w{40}$/);
    expect(page.text).toContain('mia@harbour.example');
  });
});
