import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';
import { doneByRule, toldBy, typesOf } from '../../support/events.ts';
import { AUTHORIZE, atProvider } from '../../support/sso.ts';
import {
  ADA,
  NINA,
  authorizeUrl,
  expectCode,
  expectError,
  lastRow,
  mailCodes,
  signedIn,
} from '../../operations/sign-in-support.ts';
import { fromProvider, withMailedCode, withoutPage } from '../../operations/sign-in-ways.ts';
import { ACME, NORDWIND, OKTA, SESSION_OF_ADA } from '../../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const MIA = { email: 'mia@harbour.example', first_name: 'Mia', organization_name: 'Harbour Works' };

describe('the user.login event', () => {
  it('contains the user and the session', async () => {
    const booted = await boot({ now: NOW });

    const events = await toldBy(booted.api, () => signedIn(booted, ADA));

    const { id } = await lastRow(booted.control, 'sessions');
    expect(events).toEqual([
      expect.objectContaining({ type: 'user.login', object: 'User', organization_id: ACME }),
    ]);
    expect(events[0]!.data['user']).toMatchObject({
      id: ADA.id,
      external_id: 'crm-acme-ada',
      last_login_time: NOW,
      // The row has only the parts of the name.
      user_profile: { name: 'Ada Byrne', given_name: 'Ada', external_identities: [], groups: null },
    });
    expect(events[0]!.data['user']).not.toHaveProperty('memberships');
    expect(events[0]!.data['user_session']).toEqual({
      session_id: id,
      user_id: ADA.id,
      organization_id: ACME,
      status: 'ACTIVE',
      authenticated_organizations: [ACME],
      created_at: NOW,
      updated_at: NOW,
      last_active_at: NOW,
      idle_expires_at: expect.any(String),
      absolute_expires_at: expect.any(String),
      expired_at: null,
      logout_at: null,
      device: expect.objectContaining({
        browser: '',
        os_version: '',
        location: { city: '', region: '', region_subdivision: '', latitude: '', longitude: '' },
      }),
    });
  });

  it.each<[string, (booted: Booted) => Promise<unknown>]>([
    ['at an identity provider', async (b) => (await atProvider(b)).submit({}, 'value="ada@acme.example"')],
    ['with a mailed code', withMailedCode],
    ['without a page (auto_login)', withoutPage],
    ['that the identity provider starts', fromProvider],
  ])('is emitted for a sign-in %s', async (_, run) => {
    const booted = await boot();

    const events = await toldBy(booted.api, () => run(booted));

    expect(typesOf(events)).toEqual(['user.login']);
  });

  it('can be filtered by auth_request_id and by connection_id', async () => {
    const booted = await boot();
    await (await atProvider(booted)).submit({}, 'value="ada@acme.example"');
    const { id: auth_request_id } = await lastRow(booted.control, 'auth_logs');

    for (const filter of [{ auth_request_id }, { connection_id: OKTA, event_types: ['user.login'] }]) {
      const { body } = await booted.api.post('/api/v1/events/paginated').send(filter).expect(200);
      expect(body.events).toMatchObject([{ type: 'user.login', data: { user: { id: ADA.id } } }]);
    }
  });

  it('follows the membership_created event of a new user', async () => {
    const booted = await boot();
    const page = await atProvider(booted);

    const events = await toldBy(booted.api, () => page.submit({ email: 'grace@acme.example' }, 'id="email"'));

    expect(typesOf(events)).toEqual(['user.organization_membership_created', 'user.login']);
  });

  it('is emitted again for a repeated sign-in, even at the same instant', async () => {
    const booted = await boot({ now: NOW });
    const { browser } = await signedIn(booted, ADA);

    const events = await toldBy(booted.api, async () =>
      (await browser.open(authorizeUrl({ prompt: 'login' }))).submit({ user_id: ADA.id }),
    );

    const { id: session_id } = await lastRow(booted.control, 'sessions');
    expect(events).toMatchObject([{ type: 'user.login', data: { user_session: { session_id } } }]);
  });

  it('is not emitted when an existing session continues', async () => {
    const booted = await boot();
    const { browser, visit } = await signedIn(booted, NINA);
    await visit.submit({ organization_id: NORDWIND });

    const events = await toldBy(booted.api, async () => {
      expectCode(await browser.open(authorizeUrl()));
      expectCode(await browser.open(authorizeUrl({ organization_id: ACME, prompt: 'select_account' })));
    });

    expect(events).toEqual([]);
  });

  it('is not emitted for a failed sign-in or without full-stack authentication', async () => {
    const booted = await boot();
    const events = await toldBy(booted.api, async () => {
      expectError((await signedIn(booted, ADA, { organization_id: NORDWIND })).visit, 'access_denied');
      await booted.control.patch('/state/settings/settings').send({ full_stack_auth: false }).expect(200);
      await (
        await new Browser(booted).open(`${AUTHORIZE}&connection_id=${OKTA}`)
      ).submit({}, 'value="ada@acme.example"');
    });

    expect(events).toEqual([]);
  });
});

describe('the events of a sign-up', () => {
  it('are organization.created, user.signup, membership_created and user.login in this order', async () => {
    const booted = await boot();
    const page = await new Browser(booted).open(authorizeUrl({ prompt: 'create' }));

    const events = await toldBy(booted.api, () => page.submit(MIA));

    const { organization_id } = events[0]!;
    const data = { organization: { id: organization_id }, user: { email: MIA.email } };
    expect(events).toMatchObject([
      { type: 'organization.created', data: { id: organization_id } },
      { type: 'user.signup', object: 'OrgMembership', organization_id, data },
      { type: 'user.organization_membership_created', organization_id, data },
      { type: 'user.login', organization_id, data: { user: { email: MIA.email } } },
    ]);
  });

  it('are emitted after the email address is verified', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const page = await new Browser(booted).open(authorizeUrl({ prompt: 'create' }));

    let codePage = page;
    const before = await toldBy(booted.api, async () => (codePage = await page.submit(MIA)));
    const { body } = await booted.control.get('/mail').expect(200);
    const events = await toldBy(booted.api, () => codePage.submit({ code: body.mails.at(-1).code }));

    expect(before).toEqual([]);
    expect(typesOf(events)).toContain('user.signup');
  });

  it('leave out user.signup when a client creates the user', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      const { body } = await api
        .post('/api/v1/organizations')
        .send({ display_name: MIA.organization_name })
        .expect(201);
      await api
        .post(`/api/v1/organizations/${body.organization.id}/users?send_invitation_email=false`)
        .send({ email: MIA.email })
        .expect(201);
    });

    expect(typesOf(events)).toEqual(['organization.created', 'user.organization_membership_created']);
  });
});

describe('the user.logout event', () => {
  it('contains the session that the user left', async () => {
    const booted = await boot({ now: NOW });
    const { browser } = await signedIn(booted, ADA);
    const { id: session_id } = await lastRow(booted.control, 'sessions');
    const page = await browser.open('/oidc/logout');

    const events = await toldBy(booted.api, () => page.submit());

    expect(events).toMatchObject([
      {
        type: 'user.logout',
        object: 'User',
        organization_id: ACME,
        data: { user: { id: ADA.id }, user_session: { session_id, status: 'ACTIVE', logout_at: null } },
      },
    ]);
  });

  it('is emitted when a session is revoked', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api.post(`/api/v1/sessions/${SESSION_OF_ADA}/revoke`).send({}).expect(200);
      await api.post(`/api/v1/sessions/${SESSION_OF_ADA}/revoke`).send({}).expect(400);
    });

    expect(events).toMatchObject([
      { type: 'user.logout', data: { user_session: { session_id: SESSION_OF_ADA } } },
    ]);
  });

  it('is emitted when a scenario rule ends the session', async () => {
    const booted = await boot();
    const changes = {
      sessions: [{ match: { id: SESSION_OF_ADA }, set: { status: 'logout', logout_at: 'now' } }],
    };

    const events = await toldBy(booted.api, () => doneByRule(booted, changes));

    expect(typesOf(events)).toEqual(['user.logout']);
  });

  it('is not emitted when a session expires or its user is deleted', async () => {
    const { api, control } = await boot();
    await control
      .patch('/state/sessions/ses_10000000000000403')
      .send({ idle_expires_at: 'now+5m' })
      .expect(200);

    const events = await toldBy(api, async () => {
      await control.post('/clock/advance').send({ by: '6m' }).expect(200);
      await api.delete(`/api/v1/users/${ADA.id}`).expect(200);
    });

    const { body } = await control.get('/state/sessions/ses_10000000000000403').expect(200);
    expect(body.status).toBe('expired');
    expect(typesOf(events).filter((type) => /login|logout/.test(type))).toEqual([]);
  });
});
