import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { receiver } from '../support/receiver.ts';
import { FIXED, intercept, latest, SILENCE } from './support.ts';
import { ask, exchange, verified } from '../operations/oauth-support.ts';
import {
  ADA,
  authorizeUrl,
  expectCode,
  lastRow,
  mailCodes,
  rows,
  signedIn,
} from '../operations/sign-in-support.ts';
import { ACME } from '../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const TRIGGER = 'PRE_SIGNUP';
const DENY = { decision: 'DENY', error: { message: 'Use the address of your company' } };
const MIA = { email: 'mia@harbour.example', first_name: 'Mia', organization_name: 'Harbour Works' };

async function addInterceptor({ api }: Booted, answer: object = { decision: 'ALLOW' }, wanted: object = {}) {
  const server = await receiver(answer);
  await intercept(api, { trigger_point: TRIGGER, api_url: server.url, ...wanted });
  return server;
}

const places = (create_organization_membership: object) => ({
  decision: 'ALLOW',
  response: { create_organization_membership },
});

async function signUp(booted: Booted, parameters: Record<string, string> = {}, fields: object = MIA) {
  const page = await new Browser(booted).open(authorizeUrl({ prompt: 'create', ...parameters }));
  return page.submit({ ...fields });
}

const createdRows = ({ control }: Booted) =>
  Promise.all(['users', 'organizations', 'memberships', 'sessions'].map((each) => rows(control, each)));

/** Opens the page on which a user without an organization creates one. */
async function openCreateOrganization(booted: Booted) {
  for (const { id, user_id } of await rows(booted.control, 'memberships'))
    if (user_id === ADA.id) await booted.control.delete(`/state/memberships/${String(id)}`).expect(204);
  for (const { id } of await rows(booted.control, 'domains'))
    await booted.control.delete(`/state/domains/${String(id)}`).expect(204);
  return (await signedIn(booted, ADA)).visit;
}

describe('interceptor.PRE_SIGNUP', () => {
  it('receives the email address and the parameters of the authorization request', async () => {
    const booted = await boot({ now: NOW });
    const { received } = await addInterceptor(booted);

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

  it('receives an existing user who creates an organization', async () => {
    const booted = await boot();
    const { received } = await addInterceptor(booted);

    expectCode(await (await openCreateOrganization(booted)).submit({ organization_name: 'Byrne & Co' }));

    expect(received).toHaveLength(1);
    expect(received[0]!.body).toMatchObject({
      interceptor_context: { user_id: ADA.id, user_email: ADA.email },
      data: { user: { id: ADA.id, name: 'Ada Byrne', given_name: 'Ada', memberships: [] } },
    });
  });

  it('denies on the sign-up page, creates nothing and lets the user try another address', async () => {
    const booted = await boot();
    const { answers } = await addInterceptor(booted, DENY);
    const before = await createdRows(booted);

    const denied = await signUp(booted);

    expect(denied.status).toBe(403);
    expect(denied.text).toContain('role="alert">Use the address of your company</p>');
    expect(denied.text).toContain('value="Harbour Works"');
    expect(await createdRows(booted)).toEqual(before);
    expect(await lastRow(booted.control, 'auth_logs')).toMatchObject({ status: 'FAILED' });
    expect(await latest(booted.control)).toMatchObject({
      operation: 'LoginPage_SignUp',
      interceptors: [{ trigger_point: TRIGGER, decision: 'DENY' }],
    });

    answers({ decision: 'ALLOW' });
    expectCode(await denied.submit({ ...MIA, email: 'mia@company.example' }));
    expect(await lastRow(booted.control, 'auth_logs')).toMatchObject({ status: 'SUCCESS' });
  });

  it('is called after the user enters the mailed code', async () => {
    const booted = await boot();
    await mailCodes(booted);
    const { received } = await addInterceptor(booted, { decision: 'DENY' });
    const before = await createdRows(booted);

    const page = await signUp(booted);
    expect(received).toEqual([]);
    const { code } = await lastRow(booted.control, 'passwordless_requests');
    const denied = await page.submit({ code: String(code) });

    expect(denied.status).toBe(403);
    expect(denied.text).toContain(FIXED);
    expect(denied.text).toContain(`value="${MIA.email}"`);
    expect(await createdRows(booted)).toEqual(before);
  });

  it.each([
    ['organization_id', { organization_id: ACME }],
    ['external_organization_id', { external_organization_id: 'crm-acme' }],
  ])('adds the user to another organization by %s, with roles', async (_, place) => {
    const booted = await boot({ now: NOW });
    await booted.control.patch(`/state/organizations/${ACME}`).send({ external_id: 'crm-acme' }).expect(200);
    const organizations = await rows(booted.control, 'organizations');
    await addInterceptor(booted, places({ ...place, roles: ['admin'] }));

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

  it('accepts a pending invitation to the organization that it chooses', async () => {
    const booted = await boot();
    const page = await openCreateOrganization(booted);
    await booted.api.post(`/api/v1/memberships/organizations/${ACME}/users/${ADA.id}`).send({}).expect(201);
    await addInterceptor(booted, places({ organization_id: ACME }));

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
  ])('fails when it answers an unknown target: %s', async (error, place) => {
    const booted = await boot();
    const open = { failure_policy: 'FAIL_OPEN' };
    await addInterceptor(booted, places(place), open);
    const last = await addInterceptor(booted, { decision: 'ALLOW' }, open);

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
  ])('follows the policy %s when it is unreachable', async (failure_policy, status) => {
    const booted = await boot();
    await intercept(booted.api, { trigger_point: TRIGGER, api_url: SILENCE, failure_policy });

    expect((await signUp(booted)).status).toBe(status);
  });

  it('is not called for a sign-in', async () => {
    const booted = await boot();
    const { received } = await addInterceptor(booted, DENY);

    expectCode((await signedIn(booted, ADA)).visit);

    expect(received).toEqual([]);
  });
});

const newest = async ({ control }: Booted) => String((await lastRow(control, 'interceptors'))['id']);
