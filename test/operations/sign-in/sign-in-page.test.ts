import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';
import { patchRow } from '../../support/sso.ts';
import { ADA, NINA, authorizeUrl, expectCode, expectError, lastRow, signedIn } from '../sign-in-support.ts';
import { ACME } from '../../support/fixture-ids.ts';

const YUKI = 'yuki@lumen.example';

describe('LoginPage_Show', () => {
  it('lists users to pick and links to the sign-up page', async () => {
    const page = await new Browser(await boot()).open(authorizeUrl({ login_hint: YUKI }));

    expect(page.status).toBe(200);
    expect(page.text).toContain(`value="${YUKI}"`);
    expect(page.text).toContain('Ada Byrne');
    expect(page.text).toContain('/sign-up"');
  });

  it('shows the organization, the role and the status of each user', async () => {
    const booted = await boot();
    await booted.control.patch('/state/organizations/org_10000000000000001').send({ display_name: '<Acme>' });
    const page = await new Browser(booted).open(authorizeUrl());

    const choices = [...page.text.matchAll(/<button class="choice" name="user_id"[^]*?<\/button>/g)].map(
      ([markup]) =>
        markup
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
    );

    const acme = '&lt;Acme&gt;';
    expect(choices).toContain(`Ada Byrne ada@acme.example ${acme} · Admin`);
    expect(choices).toContain(`Tom Okafor tom@acme.example ${acme} · Member Inactive`);
    expect(choices).toContain('Lena Fischer lena@nordwind.example Nordwind GmbH · Member Invited');
    expect(choices).toContain(`Marco Rossi marco@acme.example ${acme} · Member Invitation expired`);
    expect(choices).toContain(`Nina Vogel nina@nordwind.example Nordwind GmbH · Admin ${acme} · Member`);
  });

  it('lists users with few permissions first, and users without an active membership last', async () => {
    const { text } = await new Browser(await boot()).open(authorizeUrl());

    const ids = [...text.matchAll(/name="user_id" value="usr_10000000000000(\d+)"/g)].map(([, id]) => id);

    // Sam (2 permissions), Ravi (3), the admins Ada and Nina, and those who can enter no organization.
    expect(ids).toEqual(['114', '102', '101', '103', '104', '105', '106', '107']);
  });

  it('accepts a ready-made user whose address passes the rules of Joi', async () => {
    const booted = await boot();

    const page = await new Browser(booted).open(
      authorizeUrl({ login_hint: 'sam@example.com', understudy_auto: '1' }),
    );

    expect(page.query('code')).toBeTruthy();
  });

  it('shows a user without an organization', async () => {
    const booted = await boot();
    const { body } = await booted.control.get('/state/memberships').expect(200);
    for (const { id } of body.rows) await booted.control.delete(`/state/memberships/${id}`).expect(204);

    const { text } = await new Browser(booted).open(authorizeUrl());

    expect(text).toContain('No organization');
  });

  it('names the requested organization', async () => {
    const booted = await boot();
    const page = await new Browser(booted).open(authorizeUrl({ organization_id: 'org_10000000000000003' }));

    expect(page.text).toContain('as a member of Empty Desk');
  });

  it('is refused in another browser', async () => {
    const booted = await boot();
    const page = await new Browser(booted).open(authorizeUrl());

    const other = await new Browser(booted).open(page.url);

    expect(other.status).toBe(403);
    expect(other.text).toContain('started in another browser');
  });

  it('expires after 30 minutes', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await browser.open(authorizeUrl());
    await booted.control.post('/clock/advance').send({ by: '31m' }).expect(200);

    const late = await page.submit({ user_id: ADA.id });

    expect(late.status).toBe(410);
    expect(late.text).toContain('<h1>This sign-in is over</h1>');
    expect(late.text).toContain('This sign-in is expired: start again in the application.');
  });

  it('is gone after the sign-in', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await browser.open(authorizeUrl());
    await page.submit({ user_id: ADA.id });

    const back = await browser.open(page.url);

    expect(back.status).toBe(410);
  });

  it('encodes characters of the redirect address that a header cannot contain', async () => {
    const booted = await boot();
    const wanted = 'http://localhost:3000/zurück\r\nset-cookie: a=b';
    const own = '/state/clients/skc_1000000000000000001';
    await booted.control
      .patch(own)
      .send({ post_login_uris: [wanted] })
      .expect(200);

    const page = await new Browser(booted).open(authorizeUrl({ redirect_uri: wanted }));
    const back = await page.submit({ user_id: ADA.id });

    expect(back.url).toMatch(
      /^http:\/\/localhost:3000\/zur%C3%BCck%0D%0Aset-cookie:%20a=b\?code=[\w-]+&iss=/,
    );
  });

  it('belongs to the environment of the client, even with a session in another environment', async () => {
    const booted = await boot();
    await booted.environment('worker-1');
    const browser = new Browser(booted);
    const other = await browser.open(authorizeUrl({}, 'skc_worker-1_1000000000000000001'));
    expect((await other.submit({ user_id: ADA.id })).url).toContain('code=worker-1.');

    const page = await browser.open(authorizeUrl());
    const sso = await browser.open(authorizeUrl({ connection_id: 'conn_10000000000000251' }));
    const provided = await sso.submit({ email: ADA.email });
    const left = await browser.open('/oidc/logout');

    expect(page.status).toBe(200);
    expectCode(provided);
    expect(left.text).toContain(ADA.email);
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({ user_id: ADA.id });
  });

  it('works in two tabs of one browser', async () => {
    const browser = new Browser(await boot());
    const first = await browser.open(authorizeUrl({ state: 'one' }));
    const second = await browser.open(authorizeUrl({ state: 'two' }));

    const later = await second.submit({ user_id: ADA.id });
    const earlier = await first.submit({ user_id: ADA.id });

    expect(later.query('state')).toBe('two');
    expect(earlier.query('state')).toBe('one');
    expectCode(earlier);
  });
});

describe('LoginPage_SignIn', () => {
  it('signs in a user by email address in any letter case', async () => {
    const page = await new Browser(await boot()).open(authorizeUrl());

    expectCode(await page.submit({ email: YUKI.toUpperCase() }));
  });

  it("redirects to the identity provider of the address's organization", async () => {
    const page = await new Browser(await boot()).open(authorizeUrl());

    const sent = await page.submit({ email: ADA.email });

    expect(sent.url).toContain('/ui/identity-provider/req_');
  });

  it('offers sign-up for an unknown address', async () => {
    const page = await new Browser(await boot()).open(authorizeUrl());

    const again = await page.submit({ email: 'nobody@harbour.example' });

    expect(again.status).toBe(400);
    expect(again.text).toContain('No user has this address.');
    expect(again.text).toContain('/sign-up?email=nobody%40harbour.example');
  });

  it('escapes the entered address', async () => {
    const page = await new Browser(await boot()).open(authorizeUrl());

    const again = await page.submit({ email: '"><script>alert(1)</script>' });

    expect(again.text).not.toContain('<script>alert');
  });

  it('refuses a forged form and an unusable connection or user', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const page = await browser.open(authorizeUrl());

    const forged = await browser.send(page.url, { csrf_token: 'guessed', user_id: ADA.id });
    const unusable = await page.submit({ connection_id: 'conn_10000000000000252' });
    const unknown = await page.submit({ user_id: 'usr_19999999999999999' });

    expect([forged.status, unusable.status, unknown.status]).toEqual([400, 400, 404]);
    expect(await lastRow(booted.control, 'login_transactions')).not.toHaveProperty('user_id');
  });

  it('redirects to the identity provider of a social button', async () => {
    const booted = await boot();
    await booted.control
      .patch('/state/connections/conn_10000000000000203')
      .send({ is_login: true, is_app: false, ui_button_title: 'Continue with GitHub' })
      .expect(200);
    const page = await new Browser(booted).open(authorizeUrl());

    const sent = await page.submit({ connection_id: 'conn_10000000000000203' });

    expect(page.text).toContain('Continue with GitHub');
    expect(sent.url).toContain('/ui/identity-provider/req_');
  });
});

describe('the session of the browser', () => {
  it('signs the user in without a page', async () => {
    const { browser } = await signedIn(await boot(), ADA);

    expectCode(await browser.open(authorizeUrl()));
    expectCode(await browser.open(authorizeUrl({ prompt: 'none' })));
  });

  it('is ignored for prompt=login and for another login_hint', async () => {
    const { browser } = await signedIn(await boot(), ADA);

    const again = await browser.open(authorizeUrl({ prompt: 'login' }));
    const other = await browser.open(authorizeUrl({ login_hint: NINA.email }));

    expect([again.status, other.status]).toEqual([200, 200]);
  });

  it('is required for prompt=none', async () => {
    const booted = await boot();

    const unknown = await new Browser(booted).open(authorizeUrl({ prompt: 'none', state: 's' }));

    expectError(unknown, 'login_required');
    expect(unknown.query('state')).toBe('s');
  });

  it('ends by the clock and when it is revoked', async () => {
    const booted = await boot();
    const { browser } = await signedIn(booted, ADA);
    const session = await lastRow(booted.control, 'sessions');
    await booted.api.post(`/api/v1/sessions/${session['id']}/revoke`).expect(200);
    expectError(await browser.open(authorizeUrl({ prompt: 'none' })), 'login_required');

    const later = await signedIn(booted, ADA);
    await booted.control.post('/clock/advance').send({ by: '61m' }).expect(200);
    expectError(await later.browser.open(authorizeUrl({ prompt: 'none' })), 'login_required');
  });

  it('contains the device and the expiry times', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const agent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
    const browser = new Browser(booted);
    const { headers } = await booted.anonymous
      .get(authorizeUrl())
      .set({ 'user-agent': agent, 'x-forwarded-for': '203.0.113.9, 10.0.0.1', host: 'localhost:8080' });
    const [cookie = ''] = headers['set-cookie'] as unknown as string[];
    browser.cookies.set('understudy_login', /=([^;]+)/.exec(cookie)![1]!);

    await (await browser.open(headers['location']!)).submit({ user_id: ADA.id });

    expect(await lastRow(booted.control, 'sessions')).toMatchObject({
      device: {
        user_agent: agent,
        os: 'iOS',
        os_version: '17.4',
        browser: 'Safari',
        browser_version: '17.4',
        device_type: 'mobile',
        ip: '203.0.113.9',
      },
      idle_expires_at: '2030-01-01T01:00:00.000Z',
      absolute_expires_at: '2030-01-01T08:00:00.000Z',
      authenticated_organizations: ['org_10000000000000001'],
      client_ids: ['skc_1000000000000000001'],
    });
    const { body } = await booted.control.get(`/state/users/${ADA.id}`).expect(200);
    expect(JSON.stringify(body)).toContain('"last_login_time":"2030-01-01T00:00:00.000Z"');
  });

  it('is limited by the session policy of the organization', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });

    const { browser, visit } = await signedIn(booted, NINA);
    await visit.submit({ organization_id: 'org_10000000000000002' });

    expect(browser.cookies.has('understudy_session')).toBe(true);
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({
      idle_expires_at: '2030-01-01T00:30:00.000Z',
      absolute_expires_at: '2030-01-01T04:00:00.000Z',
    });
  });
});

describe('a sign-in without a page', () => {
  it('signs in the user of login_hint with understudy_auto=1', async () => {
    const browser = new Browser(await boot());

    expectCode(await browser.open(authorizeUrl({ login_hint: ADA.email, understudy_auto: '1' })));
  });

  it('signs in the user of the auto_login setting, but not for prompt=none', async () => {
    const booted = await boot();
    await booted.control.patch('/state/settings/settings').send({ auto_login: NINA.email }).expect(200);
    const browser = new Browser(booted);

    expectError(await browser.open(authorizeUrl({ prompt: 'none' })), 'login_required');
    expectCode(await browser.open(authorizeUrl()));
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({ user_id: NINA.id });
  });

  it('signs in the user of --auto-login in each environment and after a reset', async () => {
    const booted = await boot({ autoLogin: NINA.email });
    await booted.environment('other');
    await booted.control.post('/reset').expect(204);

    expectCode(await new Browser(booted).open(authorizeUrl()));
    expectCode(await new Browser(booted, 'http://other.localhost:8080').open(authorizeUrl()));
  });

  it('redirects with an error when no user has the address', async () => {
    const browser = new Browser(await boot());
    const hint = { login_hint: 'nobody@harbour.example', understudy_auto: '1' };

    const refused = await browser.open(authorizeUrl(hint));

    expectError(refused, 'access_denied');
    expect(refused.query('error_description')).toBe('no user has the address nobody@harbour.example');
  });

  it.each([{}, { connection_id: 'conn_10000000000000201' }])(
    'redirects with an error when no user is given, with %j',
    async (selector) => {
      const browser = new Browser(await boot());

      const refused = await browser.open(authorizeUrl({ ...selector, understudy_auto: '1' }));

      expectError(refused, 'access_denied');
      expect(refused.query('error_description')).toBe(
        'understudy_auto=1 does not say who signs in: add login_hint with the e-mail address of a user',
      );
    },
  );

  it('redirects with interaction_required instead of showing a page', async () => {
    const browser = new Browser(await boot());
    const hint = { login_hint: 'lena@nordwind.example', understudy_auto: '1' };

    expectError(await browser.open(authorizeUrl(hint)), 'interaction_required');
  });
});

describe('the content security policy of the sign-in page', () => {
  it('restricts no form, because the callback of the application may redirect to any origin', async () => {
    const page = await new Browser(await boot()).open(authorizeUrl());

    const { 'content-security-policy': policy } = page.response!.headers;
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toContain('form-action');
  });
});

describe('the look of the sign-in pages', () => {
  it('has the logo, the colours and the name of the settings', async () => {
    const booted = await boot();
    const branding = {
      application_name: 'Harbour',
      logo_url: 'https://cdn.example/logo.png',
      primary_color: '#ffdd00',
      background_color: '#001122',
    };
    await patchRow(booted.control, 'settings', 'settings', { branding });

    const { text, response } = await new Browser(booted).open(authorizeUrl());

    expect(text).toContain('<img class="logo" src="https://cdn.example/logo.png" alt="Harbour" />');
    expect(text).toContain('to continue to Harbour');
    expect(text).toContain('background: #ffdd00; border-color: #ffdd00; color: #111;');
    expect(text).toContain('body { background: #001122; }');
    expect(response!.headers['content-security-policy']).toContain('img-src data: https://cdn.example;');
  });

  it('has the logo of the organization only if the settings want that', async () => {
    const booted = await boot();
    const logo = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    await patchRow(booted.control, 'organizations', ACME, { logo_url: logo });
    const page = () => new Browser(booted).open(authorizeUrl({ organization_id: ACME, prompt: 'create' }));
    const before = await page();
    await patchRow(booted.control, 'settings', 'settings', { branding: { organization_logo: true } });

    expect(before.text).not.toContain('class="logo"');
    expect((await page()).text).toContain(`<img class="logo" src="${logo}" alt="Acme Corp" />`);
  });

  it('is that of the organization if it has its own', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'settings', 'settings', { branding: { application_name: 'Harbour' } });
    const put = (source: string, customization_settings?: object) =>
      booted.api
        .put(`/api/v1/organizations/${ACME}/portal_customizations`)
        .send({ source: `BRANDING_SOURCE_${source}`, customization_settings })
        .expect(200);
    const page = async (parameters: Record<string, string>) =>
      (await new Browser(booted).open(authorizeUrl(parameters))).text;
    await put('CUSTOM', {
      application_name: 'Acme Portal',
      background_color: '#001122',
      primary_color: 'red',
      logo_url: 'https://',
      of_another_page: [1],
    });

    const own = await page({ organization_id: ACME, prompt: 'create' });
    const others = await page({ prompt: 'create' });
    await put('ENVIRONMENT');
    const back = await page({ organization_id: ACME, prompt: 'create' });

    expect(own).toContain('Acme Portal');
    expect(own).toContain('body { background: #001122; }');
    expect(own).not.toContain('red;');
    expect(own).not.toContain('class="logo"');
    for (const text of [others, back]) {
      expect(text).toContain('Harbour');
      expect(text).not.toContain('#001122');
    }
  });

  it.each([{ primary_color: 'red' }, { logo_url: 'javascript:alert(1)' }, { background_color: '#12345' }])(
    'refuses %o',
    async (branding) => {
      const { control } = await boot();

      await control.patch('/state/settings/settings').send({ branding }).expect(400);
    },
  );
});
