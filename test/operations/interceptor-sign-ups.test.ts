import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { receiver } from '../support/receiver.ts';
import { FIXED, intercept, latest, SILENCE } from './interceptor-support.ts';
import { ask, exchange, verified } from './oauth-support.ts';
import {
  ACME,
  ADA,
  authorizeUrl,
  expectCode,
  lastRow,
  mailCodes,
  rows,
  signedIn,
} from './sign-in-support.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const TRIGGER = 'PRE_SIGNUP';
const DENY = { decision: 'DENY', error: { message: 'Use the address of your company' } };
const MIA = { email: 'mia@harbour.example', first_name: 'Mia', organization_name: 'Harbour Works' };

async function gate({ api }: Booted, answer: object = { decision: 'ALLOW' }, wanted: object = {}) {
  const asked = await receiver(answer);
  await intercept(api, { trigger_point: TRIGGER, api_url: asked.url, ...wanted });
  return asked;
}

const places = (create_organization_membership: object) => ({
  decision: 'ALLOW',
  response: { create_organization_membership },
});

async function signUp(booted: Booted, said: Record<string, string> = {}, fields: object = MIA) {
  const page = await new Browser(booted).open(authorizeUrl({ prompt: 'create', ...said }));
  return page.submit({ ...fields });
}

const made = ({ control }: Booted) =>
  Promise.all(['users', 'organizations', 'memberships', 'sessions'].map((each) => rows(control, each)));

/** A user without an organization, who is asked to make one. */
async function homeless(booted: Booted) {
  for (const { id, user_id } of await rows(booted.control, 'memberships'))
    if (user_id === ADA.id) await booted.control.delete(`/state/memberships/${String(id)}`).expect(204);
  for (const { id } of await rows(booted.control, 'domains'))
    await booted.control.delete(`/state/domains/${String(id)}`).expect(204);
  return (await signedIn(booted, ADA)).visit;
}

describe('interceptor.PRE_SIGNUP', () => {
  it('is told of the address and of what the application has asked for', async () => {
    const booted = await boot({ now: NOW });
    const { received } = await gate(booted);

    expectCode(await signUp(booted, { login_hint: 'mia@', state: 's1' }));

    expect(received.map(({ body }) => body)).toEqual([
      {
        display_name: 'Gate',
        trigger_point: TRIGGER,
        interceptor_context: {
          environment_id: 'env_10000000000000001',
          user_email: MIA.email,
          connection_details: [expect.objectContaining({ type: 'PASSWORDLESS' })],
          auth_request: { login_hint: 'mia@', state: 's1' },
          user_agent: '',
          device_type: 'Unknown',
          ip_address: '127.0.0.1',
          triggered_at: NOW,
        },
        data: {},
      },
    ]);
    expect(await lastRow(booted.control, 'organizations')).toMatchObject({ display_name: 'Harbour Works' });
  });

  it('is told of a user who is there and makes an organization', async () => {
    const booted = await boot();
    const { received } = await gate(booted);

    expectCode(await (await homeless(booted)).submit({ organization_name: 'Byrne & Co' }));

    expect(received).toHaveLength(1);
    expect(received[0]!.body).toMatchObject({
      interceptor_context: { user_id: ADA.id, user_email: ADA.email },
      data: { user: { id: ADA.id, name: 'Ada Byrne', given_name: 'Ada', memberships: [] } },
    });
  });

  it('denies it on the page, where another address can be tried, and nobody is made', async () => {
    const booted = await boot();
    const { answers } = await gate(booted, DENY);
    const before = await made(booted);

    const denied = await signUp(booted);

    expect(denied.status).toBe(403);
    expect(denied.text).toContain('role="alert">Use the address of your company</p>');
    expect(denied.text).toContain('value="Harbour Works"');
    expect(await made(booted)).toEqual(before);
    expect(await lastRow(booted.control, 'auth_logs')).toMatchObject({ status: 'FAILED' });
    expect(await latest(booted.control)).toMatchObject({
      operation: 'LoginPage_SignUp',
      interceptors: [{ trigger_point: TRIGGER, decision: 'DENY' }],
    });

    answers({ decision: 'ALLOW' });
    expectCode(await denied.submit({ ...MIA, email: 'mia@company.example' }));
    expect(await lastRow(booted.control, 'auth_logs')).toMatchObject({ status: 'SUCCESS' });
  });

  it('is asked once the address is proved, where codes are mailed', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const { received } = await gate(booted, { decision: 'DENY' });
    const before = await made(booted);

    const page = await signUp(booted);
    expect(received).toEqual([]);
    const { code } = await lastRow(booted.control, 'passwordless_requests');
    const denied = await page.submit({ code: String(code) });

    expect(denied.status).toBe(403);
    expect(denied.text).toContain(FIXED);
    expect(denied.text).toContain(`value="${MIA.email}"`);
    expect(await made(booted)).toEqual(before);
  });

  it.each([
    ['organization_id', { organization_id: ACME }],
    ['external_organization_id', { external_organization_id: 'crm-acme' }],
  ])('places the user in another organization by %s, with roles', async (_, place) => {
    const booted = await boot({ now: NOW });
    await booted.control.patch(`/state/organizations/${ACME}`).send({ external_id: 'crm-acme' }).expect(200);
    const organizations = await rows(booted.control, 'organizations');
    await gate(booted, places({ ...place, roles: ['admin'] }));

    const visit = await signUp(booted);

    const { body } = await ask(booted.anonymous, exchange(visit.query('code')!)).expect(200);
    expect(await verified(booted, body.access_token)).toMatchObject({ oid: ACME, roles: ['admin'] });
    expect(await rows(booted.control, 'organizations')).toEqual(organizations);
    expect(await lastRow(booted.control, 'memberships')).toMatchObject({
      organization_id: ACME,
      membership_status: 'ACTIVE',
    });
    expect(await lastRow(booted.control, 'users')).toMatchObject({
      email: MIA.email,
      user_profile: { given_name: 'Mia', email_verified: true },
    });
  });

  it('accepts for the user an invitation to the organization where it places them', async () => {
    const booted = await boot();
    const page = await homeless(booted);
    await booted.api.post(`/api/v1/memberships/organizations/${ACME}/users/${ADA.id}`).send({}).expect(201);
    await gate(booted, places({ organization_id: ACME }));

    expectCode(await page.submit({ organization_name: 'Byrne & Co' }));

    expect(await lastRow(booted.control, 'memberships')).toMatchObject({
      user_id: ADA.id,
      membership_status: 'ACTIVE',
      accepted_at: expect.any(String),
    });
  });

  it.each([
    ['organization org_404 not found', { organization_id: 'org_404' }],
    ['organization nobodys not found', { external_organization_id: 'nobodys' }],
    ['role captain not found', { organization_id: ACME, roles: ['captain'] }],
  ])('fails with a place that is none: %s', async (error, place) => {
    const booted = await boot();
    const open = { failure_policy: 'FAIL_OPEN' };
    await gate(booted, places(place), open);
    const last = await gate(booted, { decision: 'ALLOW' }, open);

    expectCode(await signUp(booted));
    expect(await latest(booted.control)).toMatchObject({
      interceptors: [{ decision: 'ALLOW', policy: 'FAIL_OPEN', error, status: 200 }, { decision: 'ALLOW' }],
    });
    expect(await lastRow(booted.control, 'organizations')).toMatchObject({ display_name: 'Harbour Works' });

    last.answers(places(place));
    await booted.api
      .patch(`/api/v1/interceptors/${await newest(booted)}`)
      .send({ failure_policy: 'FAIL_CLOSED' });
    const denied = await signUp(booted, {}, { ...MIA, email: 'lee@harbour.example' });
    expect(denied.status).toBe(403);
    expect(denied.text).toContain(FIXED);
    expect(await latest(booted.control)).toMatchObject({
      interceptors: [{ policy: 'FAIL_OPEN' }, { decision: 'DENY', policy: 'FAIL_CLOSED', error }],
    });
  });

  it.each([
    ['FAIL_OPEN', 0],
    ['FAIL_CLOSED', 403],
  ])('lets %s decide where it can not be reached', async (failure_policy, status) => {
    const booted = await boot();
    await intercept(booted.api, { trigger_point: TRIGGER, api_url: SILENCE, failure_policy });

    expect((await signUp(booted)).status).toBe(status);
  });

  it('is not asked of who signs in', async () => {
    const booted = await boot();
    const { received } = await gate(booted, DENY);

    expectCode((await signedIn(booted, ADA)).visit);

    expect(received).toEqual([]);
  });
});

const newest = async ({ control }: Booted) => String((await lastRow(control, 'interceptors'))['id']);
