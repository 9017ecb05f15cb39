import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { failure, invalid, noPrefix, notFound, refusal } from '../../support/violations.ts';

const PATH = '/api/v1/organizations';
const ACME = `${PATH}/org_10000000000000001`;
const NORDWIND = `${PATH}/org_10000000000000002`;

const custom = (policy: object) => ({ policy_source: 'CUSTOM', ...policy });
const inMinutes = { absolute_session_timeout_unit: 'MINUTES' };

describe('OrganizationService_GetOrganizationSessionPolicy', () => {
  it("returns the organization's own policy or the source APPLICATION", async () => {
    const { api } = await boot();

    const none = await api.get(`${ACME}/session-policy`).expect(200);
    const own = await api.get(`${NORDWIND}/session-policy`).expect(200);

    expect(none.body).toEqual({ policy: { policy_source: 'APPLICATION' } });
    expect(own.body).toEqual({
      policy: {
        policy_source: 'CUSTOM',
        absolute_session_timeout: 240,
        absolute_session_timeout_unit: 'MINUTES',
        idle_session_timeout_enabled: true,
        idle_session_timeout: 30,
        idle_session_timeout_unit: 'MINUTES',
      },
    });
  });
});

describe('OrganizationService_UpdateOrganizationSessionPolicy', () => {
  it.each([
    [{ absolute_session_timeout: 360 }, { absolute_session_timeout: 360 }],
    [
      { absolute_session_timeout: 8, absolute_session_timeout_unit: 'HOURS' },
      { absolute_session_timeout: 480 },
    ],
    [
      { absolute_session_timeout: 2, absolute_session_timeout_unit: 'DAYS' },
      { absolute_session_timeout: 2880 },
    ],
    [
      { absolute_session_timeout: 30, absolute_session_timeout_unit: 'SESSION_TIME_UNIT_UNSPECIFIED' },
      { absolute_session_timeout: 30 },
    ],
    [
      { absolute_session_timeout: 365, absolute_session_timeout_unit: 'DAYS' },
      { absolute_session_timeout: 525_600 },
    ],
  ])('stores %o and answers in minutes', async (wanted, answered) => {
    const { api } = await boot();

    const updated = await api.patch(`${ACME}/session-policy`).send(custom(wanted)).expect(200);

    const policy = custom({ ...answered, ...inMinutes, idle_session_timeout_enabled: false });
    expect(updated.body).toEqual({ policy });
    const read = await api.get(`${ACME}/session-policy`).expect(200);
    expect(read.body).toEqual(updated.body);
  });

  it.each([
    [{ idle_session_timeout: 60 }, 60],
    [{ idle_session_timeout: 2, idle_session_timeout_unit: 'HOURS' }, 120],
    [{ idle_session_timeout: 7, idle_session_timeout_unit: 'DAYS' }, 10_080],
  ])('stores the idle timeout %o', async (idle, idle_session_timeout) => {
    const { api } = await boot();
    const wanted = {
      absolute_session_timeout: 8,
      absolute_session_timeout_unit: 'DAYS',
      idle_session_timeout_enabled: true,
      ...idle,
    };

    const { body } = await api.patch(`${ACME}/session-policy`).send(custom(wanted)).expect(200);

    expect(body.policy).toMatchObject({ idle_session_timeout, idle_session_timeout_unit: 'MINUTES' });
  });

  it('replaces the whole policy and drops a disabled idle timeout', async () => {
    const { api } = await boot();
    const wanted = custom({ absolute_session_timeout: 90, idle_session_timeout: 45 });

    const updated = await api.patch(`${NORDWIND}/session-policy`).send(wanted).expect(200);

    expect(updated.body.policy).toEqual(
      custom({ absolute_session_timeout: 90, ...inMinutes, idle_session_timeout_enabled: false }),
    );
  });

  it("returns to the application's policy and ignores the other fields", async () => {
    const { api, control } = await boot();
    const wanted = { policy_source: 'APPLICATION', absolute_session_timeout: -1 };

    const updated = await api.patch(`${NORDWIND}/session-policy`).send(wanted).expect(200);

    expect(updated.body).toEqual({ policy: { policy_source: 'APPLICATION' } });
    const kept = await control.get('/state/organizations/org_10000000000000002').expect(200);
    expect(kept.body).not.toHaveProperty('session_policy');
  });

  it.each([
    [{}, 'policy_source must be APPLICATION or CUSTOM'],
    [{ policy_source: 'SESSION_POLICY_TYPE_UNSPECIFIED' }, 'policy_source must be APPLICATION or CUSTOM'],
    [custom({}), 'absolute_session_timeout is required'],
    [
      custom({ absolute_session_timeout: 60, idle_session_timeout_enabled: true }),
      'idle_session_timeout is required',
    ],
    [
      custom({ absolute_session_timeout: 0 }),
      'absolute_session_timeout must be between 1 and 525600 minutes',
    ],
    [
      custom({ absolute_session_timeout: 366, absolute_session_timeout_unit: 'DAYS' }),
      'absolute_session_timeout must be between 1 and 525600 minutes',
    ],
    [
      custom({
        absolute_session_timeout: 525_600,
        idle_session_timeout_enabled: true,
        idle_session_timeout: 10_081,
      }),
      'idle_session_timeout must be between 1 and 10080 minutes',
    ],
    [
      custom({ absolute_session_timeout: 60, idle_session_timeout_enabled: true, idle_session_timeout: 60 }),
      'idle_session_timeout must be shorter than absolute_session_timeout',
    ],
    [
      custom({ absolute_session_timeout: 60, idle_session_timeout_enabled: true, idle_session_timeout: 5 }),
      "idle_session_timeout must be longer than the 5 minutes of the application's access tokens",
    ],
    [
      custom({ absolute_session_timeout: 5 }),
      "absolute_session_timeout must be longer than the 5 minutes of the application's access tokens",
    ],
  ])('refuses %o and changes nothing', async (wanted, message) => {
    const { api } = await boot();
    const before = await api.get(`${NORDWIND}/session-policy`).expect(200);

    const refused = await api.patch(`${NORDWIND}/session-policy`).send(wanted).expect(400);

    expect(refused.body).toEqual(invalid(message));
    const after = await api.get(`${NORDWIND}/session-policy`).expect(200);
    expect(after.body).toEqual(before.body);
  });

  it('compares the timeout with the access token lifetime of the settings', async () => {
    const { api, control } = await boot();
    await control.patch('/state/settings/settings').send({ access_token_expiry: 4 }).expect(200);

    const updated = await api.patch(`${ACME}/session-policy`).send(custom({ absolute_session_timeout: 5 }));

    expect(updated.status).toBe(200);
  });
});

describe('OrganizationService_GetApplicationSessionPolicy', () => {
  const application = {
    absolute_session_timeout: 480,
    idle_session_timeout_enabled: true,
    idle_session_timeout: 60,
    access_token_expiry: 5,
    absolute_session_timeout_unit: 'MINUTES',
    idle_session_timeout_unit: 'MINUTES',
  };

  it("returns the policy of the settings instead of the organization's", async () => {
    const { api } = await boot();

    const read = await api.get(`${NORDWIND}/application-session-policy`).expect(200);

    expect(read.body).toEqual({ application_policy: application });
  });

  it('answers an idle timeout of 0 when it is disabled', async () => {
    const { api, control } = await boot();
    const changed = { idle_session_timeout_enabled: false, absolute_session_timeout: 600 };
    await control.patch('/state/settings/settings').send(changed).expect(200);

    const read = await api.get(`${ACME}/application-session-policy`).expect(200);

    expect(read.body).toEqual({
      application_policy: { ...application, ...changed, idle_session_timeout: 0 },
    });
  });

  it("is refused when the organization's session_policy feature is disabled", async () => {
    const { api } = await boot();
    const set = (enabled: boolean) =>
      api
        .patch(`${ACME}/settings`)
        .send({ features: [{ name: 'session_policy', enabled }] })
        .expect(200);
    await set(false);

    const refused = await api.get(`${ACME}/application-session-policy`).expect(403);

    const off = 'session_policy is switched off for organization org_10000000000000001';
    expect(refused.body).toEqual(failure(7, 'PERMISSION_DENIED', off));
    await set(true);
    await api.get(`${ACME}/application-session-policy`).expect(200);
  });
});

describe.each([
  ['get', 'session-policy', undefined],
  ['patch', 'session-policy', { policy_source: 'APPLICATION' }],
  ['get', 'application-session-policy', undefined],
] as const)('%s %s', (verb, path, body) => {
  it('requires a known organization', async () => {
    const { api } = await boot();

    const unknown = await api[verb](`${PATH}/org_9/${path}`).send(body).expect(404);
    const malformed = await api[verb](`${PATH}/acme/${path}`).send(body).expect(400);

    expect(unknown.body).toEqual(notFound('organization org_9 not found'));
    expect(malformed.body).toEqual(refusal(noPrefix('org_')('organization_id')));
  });
});
