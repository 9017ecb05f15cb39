import { create, type Message } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, METHODS, openFor, told } from '../../server/grpc/support.ts';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';
import { patchRow } from '../../support/sso.ts';
import { receiver } from '../../support/receiver.ts';
import { failure, notFound } from '../../support/violations.ts';
import { intercept } from '../../interceptors/support.ts';
import {
  authorizeUrl,
  CALLBACK,
  expectCode,
  lastRow,
  mailCodes,
  NINA,
  rows,
  TOM,
} from '../sign-in-support.ts';
import { ACME, NORDWIND, OKTA } from '../../support/fixture-ids.ts';

/** Her domain has no identity provider. */
const YUKI = { id: 'usr_10000000000000109', email: 'yuki@lumen.example' };

const NOT_BEGUN = {
  code: 5,
  message: 'no sign-in is running in this browser: start again in the application',
};

/** A sign-in page of the customer's own: it calls the API with the cookies of the browser. */
class OwnPage {
  readonly browser: Browser;
  readonly #booted: Booted;

  constructor(booted: Booted, browser = new Browser(booted)) {
    this.#booted = booted;
    this.browser = browser;
  }

  static async begun(booted: Booted, parameters: Record<string, string> = {}) {
    const page = new OwnPage(booted);
    await page.browser.open(authorizeUrl(parameters));
    return page;
  }

  get cookie() {
    return [...this.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(path: string) {
    return this.#booted.anonymous.get(`/api/v1/${path}`).set('cookie', this.cookie);
  }

  post(path: string, body?: object) {
    return this.#booted.anonymous.post(`/api/v1/${path}`).set('cookie', this.cookie).send(body);
  }

  async state(query = '') {
    const { body } = await this.get(`auth/state${query}`).expect(200);
    return body as { auth_state: string; user?: object; login_hint: string };
  }

  /** Goes on with the sign-in, as a page of the customer's does at the end. */
  goOn(query = '') {
    return this.browser.open(`/ui/login${query}`);
  }
}

const pathOf = (address: string) => address.slice(new URL(address).origin.length);

const codeOf = async ({ control }: Booted) =>
  (await control.get('/mail').expect(200)).body.mails.at(-1).code as string;

async function withCodes(config: object = {}) {
  const booted = await boot();
  await mailCodes(booted, config);
  return booted;
}

describe('a sign-in on a page of your own', () => {
  it('mails a code, checks it and leads to the application', async () => {
    const booted = await withCodes();
    const page = await OwnPage.begun(booted, { login_hint: 'somebody' });

    const before = await page.state();
    const found = await page.post('auth:discovery', { email: YUKI.email, intent: 'sign_in' }).expect(200);
    const waiting = await page.state();
    const code = await codeOf(booted);
    await page
      .post('auth/passwordless:verify', { code_challenge: code, g_recaptcha_response: 'x' })
      .expect(200);
    const proved = await page.state();
    const back = await page.goOn();

    expect(before).toEqual({ auth_state: 'AUTHENTICATION_IN_PROGRESS', login_hint: 'somebody' });
    expect(found.body).toEqual({
      auth_method: {
        connection_id: 'conn_10000000000000241',
        connection_type: 'PASSWORDLESS',
        provider: expect.any(String),
        passwordless_type: 'OTP',
        code_challenge_length: 6,
      },
    });
    expect(waiting.auth_state).toBe('OTP_VERIFICATION_PENDING');
    expect(proved).toMatchObject({
      auth_state: 'OTP_VERIFIED',
      user: { email: YUKI.email, first_name: 'Yuki', last_name: expect.any(String) },
    });
    expectCode(back);
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({ user_id: YUKI.id });
    expect((await page.state()).auth_state).toBe('AUTHENTICATION_COMPLETED');
  });

  it.each([
    ['LINK', 'MAGIC_LINK_SENT'],
    ['LINK_OTP', 'LINK_SENT_OTP_VERIFICATION_PENDING'],
  ])('says that a mail of the type %s is sent', async (type, state) => {
    const page = await OwnPage.begun(await withCodes({ type }));

    await page.post('auth:discovery', { email: YUKI.email }).expect(200);

    expect((await page.state()).auth_state).toBe(state);
  });

  it('counts wrong codes, and mails again', async () => {
    const booted = await withCodes();
    const page = await OwnPage.begun(booted);
    await page.post('auth:discovery', { email: YUKI.email }).expect(200);
    const wrong = { code_challenge: (await codeOf(booted)) === '000000' ? '000001' : '000000' };

    const answers = [];
    for (let attempt = 0; attempt < 6; attempt++)
      answers.push((await page.post('auth/passwordless:verify', wrong)).status);
    await page.post('auth/passwordless:resend').expect(200, {});
    const limited = await page.post('auth/passwordless:resend', { g_recaptcha_response: 'x' });
    await page.post('auth/passwordless:verify', { code_challenge: await codeOf(booted) }).expect(200);

    expect(answers).toEqual([400, 400, 400, 400, 400, 429]);
    expect(limited.status).toBe(429);
    expectCode(await page.goOn());
  });

  it('knows the user at once where the environment mails nothing', async () => {
    const page = await OwnPage.begun(await boot());

    const { body } = await page.post('auth:discovery', { email: YUKI.email }).expect(200);

    expect(body.auth_method).not.toHaveProperty('passwordless_type');
    expect((await page.state()).auth_state).toBe('OTP_VERIFIED');
    expectCode(await page.goOn());
  });

  it('names the identity provider of an address and of the environment', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'connections', OKTA, { status: 'COMPLETED', enabled: true });
    await new Browser(booted).open(authorizeUrl({ provider: 'google' })); // its connection is made at first use
    const page = await OwnPage.begun(booted);

    const { body } = await page.post('auth:discovery', { email: TOM.email }).expect(200);
    const listed = await page.get('authmethods?intent=sign_in').expect(200);
    const provider = await page.browser.open(pathOf(body.auth_method.auth_initiation_uri));

    expect(body.auth_method).toMatchObject({
      connection_id: OKTA,
      connection_type: 'OIDC',
      provider: 'OKTA',
      auth_initiation_uri: expect.stringContaining(`/sso/v1/oidc/${OKTA}/init`),
    });
    expect(provider.status).toBe(200);
    expect(listed.body.auth_methods.map(({ provider }: { provider: string }) => provider)).toContain(
      'GOOGLE',
    );
    expect(listed.body.auth_methods).not.toContainEqual(expect.objectContaining({ connection_id: OKTA }));
  });

  it('lists the code by mail only if the environment mails codes', async () => {
    const types = async (booted: Booted) => {
      const { body } = await (await OwnPage.begun(booted)).get('authmethods').expect(200);
      return body.auth_methods.map((each: { connection_type: string }) => each.connection_type) as string[];
    };

    expect(await types(await boot())).not.toContain('PASSWORDLESS');
    expect(await types(await withCodes())).toContain('PASSWORDLESS');
  });

  it('lists organizations, and enters the one that the page chooses', async () => {
    const booted = await boot();
    const page = await OwnPage.begun(booted);
    await page.get('auth:organizations').expect(400);
    await page.post('auth:discovery', { email: NINA.email }).expect(200);

    const { auth_state } = await page.state();
    const { body } = await page.get('auth:organizations').expect(200);
    const foreign = await page.goOn('?organization_id=org_99');
    const back = await page.goOn(`?organization_id=${NORDWIND}`);

    expect(auth_state).toBe('ORGANIZATION_SWITCHER');
    expect(body).toMatchObject({ user: { email: NINA.email }, intent: 'sign_in' });
    expect(body.organizations.map(({ id }: { id: string }) => id).toSorted()).toEqual([ACME, NORDWIND]);
    expect(foreign.text).toContain('Choose an organization');
    expectCode(back);
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({ organization_id: NORDWIND });
  });

  it('shows an invitation, and accepts it when the page enters the organization', async () => {
    const booted = await boot();
    await booted.api
      .post(`/api/v1/organizations/${NORDWIND}/users?send_invitation_email=true`)
      .send({ email: 'grace@hopper.example', membership: {} })
      .expect(201);
    const page = await OwnPage.begun(booted);
    await page.post('auth:discovery', { email: 'grace@hopper.example' }).expect(200);

    const { body } = await page.get('auth:organizations').expect(200);
    expectCode(await page.goOn(`?organization_id=${NORDWIND}`));

    expect(body.organizations).toEqual([
      {
        id: NORDWIND,
        name: 'Nordwind GmbH',
        membership_status: 'PENDING_INVITE',
        invitation_created_at: expect.any(String),
        invitation_expires_at: expect.any(String),
      },
    ]);
    expect(await lastRow(booted.control, 'memberships')).toMatchObject({ membership_status: 'ACTIVE' });
  });

  it('lists an organization that allows the address, and joins it when the page enters it', async () => {
    const booted = await boot();
    const domain = { domain: 'kestrel.example', domain_type: 'ALLOWED_EMAIL_DOMAIN' };
    await booted.api.post(`/api/v1/organizations/${NORDWIND}/domains`).send(domain).expect(200);
    const wren = { email: 'wren@kestrel.example', membership: {} };
    await booted.api.post(`/api/v1/organizations/${ACME}/users`).send(wren).expect(201);
    const { id } = await lastRow(booted.control, 'memberships');
    await booted.control.delete(`/state/memberships/${id}`).expect(204);
    const page = await OwnPage.begun(booted);
    await page.post('auth:discovery', { email: wren.email }).expect(200);

    const { auth_state } = await page.state();
    const { body } = await page.get('auth:organizations').expect(200);
    expectCode(await page.goOn(`?organization_id=${NORDWIND}`));

    expect(auth_state).toBe('ORGANIZATION_SWITCHER_SIGNUP');
    expect(body.organizations).toEqual([
      { id: NORDWIND, name: 'Nordwind GmbH', membership_status: 'Membership_Status_UNSPECIFIED' },
    ]);
    expect(await lastRow(booted.control, 'memberships')).toMatchObject({ organization_id: NORDWIND });
  });

  it('gets 404 without a sign-in, and the state says so', async () => {
    const page = new OwnPage(await boot());
    const calls = [
      page.get('authmethods'),
      page.post('auth:discovery', { email: YUKI.email }),
      page.post('auth/passwordless:verify', { code_challenge: '123456' }),
      page.post('auth/passwordless:resend'),
      page.get('auth:organizations'),
      page.post('auth:signup', {}),
    ];

    for (const call of calls) expect((await call.expect(404)).body).toMatchObject(NOT_BEGUN);
    expect(await page.state()).toEqual({ auth_state: 'AUTH_STATE_UNSPECIFIED', login_hint: '' });
    expect((await page.goOn()).status).toBe(404);
  });

  it('gets 404 for an address that nobody has, and 410 before anything was mailed', async () => {
    const page = await OwnPage.begun(await withCodes());

    const unknown = await page.post('auth:discovery', { email: 'no@one.example' }).expect(404);
    await page.post('auth/passwordless:verify', { code_challenge: '123456' }).expect(410);

    expect(unknown.body).toEqual(notFound('user no@one.example not found'));
  });
});

describe('a sign-up on a page of your own', () => {
  const MIA = 'mia@harbour.example';

  it('creates the user and the organization once the address is proved', async () => {
    const booted = await withCodes();
    const page = await OwnPage.begun(booted);
    await page.post('auth:discovery', { email: MIA, intent: 'sign_up' }).expect(200);
    await page.post('auth:signup', { organization_name: 'Too early' }).expect(400);
    await page.post('auth/passwordless:verify', { code_challenge: await codeOf(booted) }).expect(200);

    const proved = await page.state();
    const wanted = {
      organization_name: ' Harbour Works ',
      full_name: 'Mia van Lund',
      phone_number: '+4940123',
    };
    const { body } = await page.post('auth:signup', wanted).expect(200);
    const created = await page.state();
    expectCode(await page.goOn());

    const user = await lastRow(booted.control, 'users');
    expect(proved).toMatchObject({ auth_state: 'ORGANIZATION_SIGNUP', user: { email: MIA } });
    expect(body).toEqual({
      organization_id: expect.stringMatching(/^org_/),
      organization_name: 'Harbour Works',
    });
    expect(created.auth_state).toBe('ORG_USER_CREATED');
    expect(user).toMatchObject({
      email: MIA,
      user_profile: {
        given_name: 'Mia',
        family_name: 'van Lund',
        phone_number: '+4940123',
        email_verified: true,
      },
    });
    expect(await lastRow(booted.control, 'memberships')).toMatchObject({
      organization_id: body.organization_id,
      user_id: user['id'],
      membership_status: 'ACTIVE',
    });
  });

  it('goes on without naming an organization, which is then called after the user', async () => {
    const booted = await boot();
    const page = await OwnPage.begun(booted, { prompt: 'create' });
    await page.post('auth:discovery', { email: MIA, intent: 'sign_up' }).expect(200);

    expectCode(await page.goOn());

    expect(await lastRow(booted.control, 'organizations')).toMatchObject({
      display_name: "mia's organization",
    });
  });

  it('is refused for the address of a user', async () => {
    const page = await OwnPage.begun(await boot());

    const taken = await page.post('auth:discovery', { email: YUKI.email, intent: 'sign_up' }).expect(409);

    expect(taken.body).toEqual(failure(6, 'ALREADY_EXISTS', `${YUKI.email} has an account: sign in with it`));
  });

  it('adds an organization for a user who has one', async () => {
    const booted = await boot();
    const page = await OwnPage.begun(booted);
    await page.post('auth:discovery', { email: YUKI.email }).expect(200);

    const { body } = await page.post('auth:signup', { organization_name: 'Second' }).expect(200);

    expectCode(await page.goOn());
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({
      user_id: YUKI.id,
      organization_id: body.organization_id,
    });
  });

  it('is denied by an interceptor, and creates nothing', async () => {
    const booted = await boot();
    const denial = { decision: 'DENY', error: { message: 'Use the address of your company' } };
    const { url } = await receiver(denial);
    await intercept(booted.api, { trigger_point: 'PRE_SIGNUP', api_url: url });
    const page = await OwnPage.begun(booted);
    await page.post('auth:discovery', { email: MIA, intent: 'sign_up' }).expect(200);
    const before = await rows(booted.control, 'users');

    const denied = await page.post('auth:signup', {}).expect(403);

    expect(denied.body).toEqual(failure(7, 'PERMISSION_DENIED', 'Use the address of your company'));
    expect(await rows(booted.control, 'users')).toEqual(before);
  });
});

describe('AuthService_GetAuthState', () => {
  it('begins a continued session anew with prompt=login, and shows an organization', async () => {
    const booted = await boot();
    const page = await OwnPage.begun(booted);
    await page.post('auth:discovery', { email: NINA.email }).expect(200);
    expectCode(await page.goOn(`?organization_id=${ACME}`));
    await page.browser.open(authorizeUrl({ prompt: 'select_account' }));

    const continued = await page.state('?prompt=consent&organization_id=org_99');
    const none = await page.get('auth:customizations').expect(200);
    const anew = await page.state(`?prompt=login&organization_id=${NORDWIND}`);
    const { body } = await page.get('auth:customizations').expect(200);
    await page.post('auth:discovery', { email: NINA.email }).expect(200);
    const repeated = await page.state('?prompt=login');

    expect(continued).toMatchObject({ auth_state: 'ORGANIZATION_SWITCHER', user: { email: NINA.email } });
    expect(none.body).not.toHaveProperty('organization_customizations');
    expect(anew).toEqual({ auth_state: 'AUTHENTICATION_IN_PROGRESS', login_hint: '' });
    expect(body.organization_customizations).toEqual({
      organization_logo_branding: false,
      display_name: 'Nordwind GmbH',
    });
    expect(repeated.auth_state).toBe('ORGANIZATION_SWITCHER');
  });
});

describe('AuthService_GetAuthError', () => {
  it('says at both paths why a sign-in has failed', async () => {
    const booted = await boot();
    const page = new OwnPage(booted);
    page.browser.cookies.set('understudy_login', 'a-browser-with-a-cookie');
    await page.browser.open(authorizeUrl({ prompt: 'none' }));
    const { failure: stored } = (await lastRow(booted.control, 'login_transactions')) as {
      failure: { id: string };
    };

    const failed = await page.state();
    for (const path of [`errors/${stored.id}`, `auth/error/${stored.id}`])
      expect((await page.get(path).expect(200)).body).toEqual({
        error: 'login_required',
        error_description: 'nobody is signed in',
      });

    expect(failed.auth_state).toBe('AUTHENTICATION_FAILED');
    await page.get('errors/err_1').expect(404);
    await page.get('errors/req_1').expect(400);
  });
});

describe('AuthService_Logout', () => {
  it('ends the session of the browser, and nothing without one', async () => {
    const booted = await boot();
    const page = await OwnPage.begun(booted);
    await page.post('auth:discovery', { email: YUKI.email }).expect(200);
    expectCode(await page.goOn());
    const signedIn = await page.state();

    const left = await page.post('auth/logout').expect(200, {});
    await page.post('auth/logout').expect(200, {});

    expect(signedIn).toMatchObject({ auth_state: 'AUTHENTICATION_COMPLETED', user: { email: YUKI.email } });
    expect(left.headers['set-cookie']).toEqual([expect.stringMatching(/^understudy_session=;.*Max-Age=0/)]);
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({ status: 'logout' });
    expect((await page.state()).auth_state).toBe('AUTH_STATE_UNSPECIFIED');
  });
});

describe('the appearance of the sign-in page', () => {
  it('comes from the settings and the organization', async () => {
    const booted = await boot();
    const branding = { primary_color: '#0a7d5a', organization_logo: true };
    await patchRow(booted.control, 'settings', 'settings', { branding });
    await patchRow(booted.control, 'organizations', ACME, { logo_url: 'https://acme.example/logo.png' });
    const page = await OwnPage.begun(booted, { organization_id: ACME });

    expect((await page.get('auth:customizations').expect(200)).body).toEqual({
      customization_settings: branding,
      settings: { custom_branding: true },
      organization_customizations: {
        organization_logo_branding: true,
        display_name: 'Acme Corp',
        logo_url: 'https://acme.example/logo.png',
      },
    });
    const custom = { primary_color: '#112233', of_our_own_page: { wide: true } };
    await booted.api
      .put(`/api/v1/organizations/${ACME}/portal_customizations`)
      .send({ source: 'BRANDING_SOURCE_CUSTOM', customization_settings: custom })
      .expect(200);
    expect((await page.get('auth:customizations').expect(200)).body).toMatchObject({
      customization_settings: custom,
      organization_customizations: { organization_logo_branding: false },
    });
    expect((await page.get('auth:features').expect(200)).body).toEqual({
      features: { recaptcha_skip_login_signup: true },
    });
  });

  it('is plain without a sign-in and without settings', async () => {
    const page = new OwnPage(await boot());

    expect((await page.get('auth:customizations').expect(200)).body).toEqual({
      customization_settings: {},
      settings: { custom_branding: false },
    });
  });
});

describe('the sign-in API over gRPC', () => {
  it('has both names of the mail that is sent again, and takes the fields of newer SDKs', async () => {
    const booted = await withCodes();
    const page = await OwnPage.begun(booted);
    const transport = grpcTo(await openFor(booted.understudy));
    const call = (name: string, fields: object = {}) => {
      const method = METHODS.get(`AuthService_${name}`)!;
      return callRpc(transport, method, create(method.input, fields as never) as Message, {
        cookie: page.cookie,
      });
    };
    await booted.control
      .patch('/state/settings/settings')
      .send({ passwordless_mails_per_minute: 0 })
      .expect(200);

    await call('DiscoveryAuthMethod', { discoveryRequest: { email: YUKI.email, gRecaptchaResponse: 'x' } });
    await call('ResendPasswordless');
    await call('ResendAuthPasswordless', { gRecaptchaResponse: 'x' });
    const { body } = await booted.control.get('/mail').expect(200);
    const verified = await call('VerifyPasswordLessOtp', { otpReq: { codeChallenge: await codeOf(booted) } });
    const state = await call('GetAuthState', { organizationId: ACME });
    const missing = await call('GetAuthError', { errorId: 'err_1' });

    expect(body.mails).toHaveLength(3);
    expect(verified).not.toBeInstanceOf(Error);
    expect(state).toMatchObject({ authState: 9, user: { email: YUKI.email } });
    expect(told(missing as never)).toMatchObject({ code: 5, message: 'error err_1 not found' });
    expect(await lastRow(booted.control, 'login_transactions')).toMatchObject({
      branded_organization_id: ACME,
    });
  });
});

it('two sign-ins of one browser: the API is about the one that began last', async () => {
  const booted = await boot();
  const page = await OwnPage.begun(booted, { state: 'first' });
  await page.browser.open(authorizeUrl({ state: 'second' }));

  await page.post('auth:discovery', { email: YUKI.email }).expect(200);
  const back = await page.goOn();

  expect(back.url).toContain(CALLBACK);
  expect(back.query('state')).toBe('second');
  const statuses = (await rows(booted.control, 'login_transactions')).map(({ status }) => status);
  expect(statuses.slice(-2)).toEqual(['PENDING', 'COMPLETED']);
});

it('the cookie leads to the sign-in of another environment', async () => {
  const booted = await boot();
  const client = 'skc_10000000000000002';
  const { control } = await booted.environment('elsewhere');
  await patchRow(control, 'clients', client, { post_login_uris: [CALLBACK] });
  const browser = new Browser(booted, 'http://elsewhere.localhost:8080');
  await browser.open(authorizeUrl({}, client));
  const page = new OwnPage(booted, browser);

  await page.post('auth:discovery', { email: YUKI.email }).expect(200);

  expect(browser.cookies.get('understudy_login')).toMatch(/^elsewhere\./);
  expect(await lastRow(control, 'login_transactions')).toMatchObject({ user_id: YUKI.id });
});
