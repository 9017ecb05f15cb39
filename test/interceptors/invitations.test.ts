import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { receiver } from '../support/receiver.ts';
import { FIXED, intercept, latest, SILENCE } from './support.ts';
import { ADA } from '../operations/sign-in-support.ts';
import { ACME, LENA, NORDWIND } from '../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const TRIGGER = 'PRE_USER_INVITATION';
const DENY = { decision: 'DENY', error: { message: 'No more guests this year' } };
const COMMON_CONTEXT = {
  environment_id: 'env_10000000000000001',
  triggered_at: NOW,
  ip_address: '127.0.0.1',
};

async function addInterceptor({ api }: Booted, answer: object = { decision: 'ALLOW' }, wanted: object = {}) {
  const server = await receiver(answer);
  await intercept(api, { trigger_point: TRIGGER, api_url: server.url, ...wanted });
  return server;
}

const invite = ({ api }: Booted, email = 'mia@harbour.example', query = '') =>
  api.post(`/api/v1/organizations/${ACME}/users${query}`).send({ email });
const add = ({ api }: Booted) =>
  api.post(`/api/v1/memberships/organizations/${NORDWIND}/users/${ADA.id}`).send({});
const resend = ({ api }: Booted) =>
  api.patch(`/api/v1/invites/organizations/${NORDWIND}/users/${LENA}/resend`).send({});

const hashAndMails = async ({ control }: Booted) => [
  (await control.get('/state/hash').expect(200)).body,
  (await control.get('/mail').expect(200)).body,
];

describe('interceptor.PRE_USER_INVITATION', () => {
  it('receives the invited user, the organization, the user agent and the IP address', async () => {
    const booted = await boot({ now: NOW });
    const { received } = await addInterceptor(booted);
    const agent = 'Mozilla/5.0 (Windows NT 10.0)';

    await invite(booted).set({ 'user-agent': agent, 'x-forwarded-for': '203.0.113.7' }).expect(201);
    await add(booted).expect(201);

    const acme = { id: ACME, name: expect.any(String) };
    const mine = { ...COMMON_CONTEXT, user_agent: agent, device_type: 'Desktop', ip_address: '203.0.113.7' };
    expect(received.map(({ body }) => body)).toEqual([
      {
        display_name: 'Gate',
        trigger_point: TRIGGER,
        interceptor_context: { ...mine, user_email: 'mia@harbour.example', organization_id: ACME },
        data: { organization: acme },
      },
      {
        display_name: 'Gate',
        trigger_point: TRIGGER,
        interceptor_context: {
          ...COMMON_CONTEXT,
          user_agent: '',
          device_type: 'Unknown',
          user_id: ADA.id,
          user_email: ADA.email,
          organization_id: NORDWIND,
        },
        data: { organization: { id: NORDWIND, name: 'Nordwind GmbH' } },
      },
    ]);
  });

  it.each([
    ['of a new user', (booted: Booted) => invite(booted)],
    ['of an existing user', add],
    ['that is resent', resend],
  ])('denies an invitation %s and changes nothing', async (_, run) => {
    const booted = await boot({ now: NOW });
    await addInterceptor(booted, DENY);
    const before = await hashAndMails(booted);

    const { body } = await run(booted).expect(403);

    expect(body).toMatchObject({
      code: 7,
      message: 'No more guests this year',
      details: [{ error_code: 'PERMISSION_DENIED' }],
    });
    expect(await latest(booted.control)).toMatchObject({
      changes: [],
      interceptors: [{ trigger_point: TRIGGER, decision: 'DENY', status: 200 }],
    });
    expect(await hashAndMails(booted)).toEqual(before);
  });

  it('follows its failure policy when it is unreachable', async () => {
    const booted = await boot();
    const { id } = await intercept(booted.api, {
      trigger_point: TRIGGER,
      api_url: SILENCE,
      failure_policy: 'FAIL_OPEN',
    });
    await invite(booted).expect(201);
    await booted.api.patch(`/api/v1/interceptors/${id}`).send({ failure_policy: 'FAIL_CLOSED' }).expect(200);

    const { body } = await invite(booted, 'lee@harbour.example').expect(403);

    expect(body.message).toBe(FIXED);
  });

  it('is not called for a user who is added without an invitation email', async () => {
    const booted = await boot();
    const { received } = await addInterceptor(booted, DENY);

    await invite(booted, 'mia@harbour.example', '?send_invitation_email=false').expect(201);

    expect(received).toEqual([]);
  });

  it('denies when any of several interceptors denies', async () => {
    const booted = await boot();
    const first = await addInterceptor(booted);
    const last = await addInterceptor(booted, { decision: 'DENY' });

    const { body } = await invite(booted).expect(403);

    expect(body.message).toBe(FIXED);
    expect([first, last].map(({ received }) => received.length)).toEqual([1, 1]);
  });
});
