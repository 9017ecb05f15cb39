import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { portalCookie } from '../support/portal.ts';
import { invalid, refusal, tooLong } from '../support/violations.ts';
import { ACME, GMAIL, NORDWIND, OKTA } from '../support/fixture-ids.ts';

const PATH = '/api/v1/events/paginated';
const NOON = '2030-01-01T12:00:00.000Z';

interface List {
  events: { id: string }[];
  next_page_token: string;
  prev_page_token: string;
}

const list = async (api: Agent, filter: object = {}, query = ''): Promise<List> =>
  (await api.post(`${PATH}${query}`).send(filter).expect(200)).body;
const numbers = ({ events }: List) => events.map(({ id }) => Number(id.slice(-1)));
const send = (api: Agent, type: string) => api.post(`/api/v1/webhooks/test-event/${type}`);

/** Boots with the events evt_1 to evt_6, one minute apart from noon on. */
async function bootWithEvents() {
  const booted = await boot({ now: NOON });
  const old = (await booted.control.get('/state/events').expect(200)).body.rows as { id: string }[];
  for (const { id } of old) await booted.control.delete(`/state/events/${id}`).expect(204);
  const rows = [
    { type: 'organization.created', organization_id: ACME },
    { type: 'organization.created', organization_id: NORDWIND },
    { type: 'organization.sso_enabled', organization_id: ACME, connection_id: OKTA },
    { type: 'organization.directory.user_created', organization_id: ACME, source: 'DIR_SYNC' },
    {
      type: 'interceptor.executed',
      auth_request_id: 'req_1',
      interceptor_id: 'icp_1',
      interceptor_status: 'SUCCESS',
      interceptor_decision: 'DENY',
    },
    { type: 'connected_account.updated', connected_account_id: GMAIL, connection_id: 'conn_1' },
  ];
  for (const [index, row] of rows.entries())
    await booted.control
      .put(`/state/events/evt_${index + 1}`)
      .send({ occurred_at: `now+${index}m`, object: 'JSON', source: 'SCALEKIT', data: {}, ...row })
      .expect(200);
  return booted;
}

describe('EventsService_ListEvents', () => {
  it('lists as its twin does, and counts all pages', async () => {
    const { api } = await bootWithEvents();
    const counted = async (filter: object, query = '') =>
      (await api.post(`/api/v1/events${query}`).send(filter).expect(200)).body;

    const whole = await counted({}, '?page_size=2');
    const second = await counted({}, `?page_size=2&page_token=${whole.next_page_token}`);
    const filtered = await counted({ organization_id: ACME });

    expect([numbers(whole), whole.total_size]).toEqual([[6, 5], 6]);
    expect([numbers(second), second.total_size]).toEqual([[4, 3], 6]);
    expect([numbers(filtered), filtered.total_size]).toEqual([[4, 3, 1], 3]);
    expect(await list(api, { organization_id: ACME })).not.toHaveProperty('total_size');
  });

  it.each(['', '/paginated'])('refuses a start after the end: /api/v1/events%s', async (path) => {
    const { api } = await boot();
    const times = { start_time: '2030-01-02T00:00:00Z', end_time: '2030-01-01T00:00:00Z' };

    const refused = await api.post(`/api/v1/events${path}`).send(times).expect(400);

    expect(refused.body).toEqual(
      invalid('start_time 2030-01-02T00:00:00Z is after end_time 2030-01-01T00:00:00Z'),
    );
    await api
      .post(`/api/v1/events${path}`)
      .send({ ...times, end_time: times.start_time })
      .expect(200);
  });
});

describe('EventsService_SendCustomEvent', () => {
  const EVENT = '/api/v1/events/frontend_events/portal.step_done';

  it('records an event of the organization whose portal is open', async () => {
    const booted = await boot({ now: NOON });
    const cookie = await portalCookie(booted);

    const { body } = await booted.anonymous.post(EVENT).set({ cookie }).send({ step: 2 }).expect(200);

    const [event] = (await list(booted.api, { event_types: ['portal.step_done'] })).events;
    expect(event).toEqual({
      spec_version: '1',
      id: body.event_id,
      type: 'portal.step_done',
      occurred_at: NOON,
      environment_id: 'env_10000000000000001',
      organization_id: NORDWIND,
      object: 'JSON',
      data: { step: 2 },
      display_name: '',
    });
    expect((await booted.control.get('/state/webhook_deliveries').expect(200)).body.rows).toEqual([]);
  });

  it('is refused for a client, without a session, and after the session', async () => {
    const booted = await boot({ now: NOON });
    const cookie = await portalCookie(booted);

    const refused = await booted.api.post(EVENT).send({}).expect(403);
    await booted.anonymous.post(EVENT).send({}).expect(401);
    await booted.anonymous
      .post(EVENT)
      .set({ cookie: `${cookie}x` })
      .send({})
      .expect(401);
    await booted.control.post('/clock/advance').send({ by: '6h' }).expect(200);
    await booted.anonymous.post(EVENT).set({ cookie }).send({}).expect(401);

    expect(refused.body.message).toBe('EventsService_SendCustomEvent is not for the token of a client');
  });

  it('is recorded in the environment of the portal', async () => {
    const booted = await boot();
    const blue = await booted.environment('blue');
    const cookie = await portalCookie({ ...booted, ...blue });

    await booted.anonymous.post(EVENT).set({ cookie }).send({}).expect(200);

    expect((await list(blue.api, { event_types: ['portal.step_done'] })).events).toHaveLength(1);
    expect((await list(booted.api, { event_types: ['portal.step_done'] })).events).toEqual([]);
  });
});

describe('EventsService_ListEventsPaginated', () => {
  it('lists events newest first', async () => {
    const { api, control } = await boot({ now: NOON });
    const data = { id: ACME, nested: { list: [1, null] } };
    const row = { type: 'organization.updated', occurred_at: 'now', object: 'Organization', data };
    await control
      .put('/state/events/evt_1')
      .send({ ...row, organization_id: ACME, display_name: 'Organization Updated', source: 'SCALEKIT' })
      .expect(200);
    await control
      .put('/state/events/evt_2')
      .send({ ...row, source: 'SCALEKIT' })
      .expect(200);

    const { events } = await list(api, {}, '?page_size=2');

    const common = { ...row, spec_version: '1', occurred_at: NOON, environment_id: 'env_10000000000000001' };
    expect(events).toEqual([
      { ...common, id: 'evt_2', display_name: '' },
      { ...common, id: 'evt_1', organization_id: ACME, display_name: 'Organization Updated' },
    ]);
  });

  it.each([
    [{ event_types: ['organization.created'] }, [2, 1]],
    [{ event_types: ['organization.created', 'interceptor.executed'] }, [5, 2, 1]],
    [{ event_types: ['nothing.known'] }, []],
    [{ organization_id: ACME }, [4, 3, 1]],
    [{ organization_id: ACME, event_types: ['organization.created'] }, [1]],
    [{ source: 'DIR_SYNC' }, [4]],
    [{ source: 'SCALEKIT', organization_id: ACME }, [3, 1]],
    [{ source: 'SOURCE_UNSPECIFIED' }, [6, 5, 4, 3, 2, 1]],
    [{ auth_request_id: 'req_1' }, [5]],
    [{ interceptor_id: 'icp_1' }, [5]],
    [{ interceptor_status: 'SUCCESS' }, [5]],
    [{ interceptor_decision: 'ALLOW' }, []],
    [{ interceptor_id: 'icp_1', interceptor_decision: 'DENY' }, [5]],
    [{ connection_id: OKTA }, [3]],
    [{ connected_account_id: GMAIL }, [6]],
    [{ connected_account_id: GMAIL, connection_id: OKTA }, []],
    [{ start_time: '2030-01-01T12:04:00Z' }, [6, 5]],
    [{ end_time: '2030-01-01T12:00:00Z' }, [1]],
    [{ start_time: '2030-01-01T12:01:00Z', end_time: '2030-01-01T12:02:00Z' }, [3, 2]],
    [{ organization_id: '', event_types: [] }, [6, 5, 4, 3, 2, 1]],
  ])('applies the filter %j', async (filter, expected) => {
    const { api } = await bootWithEvents();

    expect(numbers(await list(api, filter))).toEqual(expected);
  });

  it('pages forwards and backwards', async () => {
    const { api } = await bootWithEvents();
    const filter = { organization_id: ACME };

    const first = await list(api, filter, '?page_size=2');
    const last = await list(api, filter, `?page_size=2&page_token=${first.next_page_token}`);
    const back = await list(api, filter, `?page_size=2&page_token=${last.prev_page_token}`);

    expect([first, last, back].map(numbers)).toEqual([[4, 3], [1], [4, 3]]);
    expect([first.prev_page_token, last.next_page_token]).toEqual(['', '']);
  });

  it('accepts a request without a filter', async () => {
    const { api } = await bootWithEvents();

    const answer = await api.post(PATH).expect(200);

    expect(numbers(answer.body)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('keeps events of deleted rows', async () => {
    const { api, control } = await bootWithEvents();
    await control.delete(`/state/organizations/${ACME}`).expect(204);
    await control.delete(`/state/connected_accounts/${GMAIL}`).expect(204);

    expect(numbers(await list(api, { organization_id: ACME }))).toEqual([4, 3, 1]);
    expect(numbers(await list(api, { connected_account_id: GMAIL }))).toEqual([6]);
  });

  it('refuses an invalid page token', async () => {
    const { api } = await boot();

    const answer = await api.post(`${PATH}?page_token=x`).send({}).expect(400);

    expect(answer.body).toEqual(invalid('invalid page_token'));
  });
});

describe('WebhookService_SendTestEvent', () => {
  it('emits an event that the list then shows', async () => {
    const { api } = await boot({ now: NOON });

    const answer = await send(api, 'permission.created').expect(200);

    expect(answer.body).toEqual({
      event_type: 'permission.created',
      event_payload: {
        spec_version: '1',
        id: expect.stringMatching(/^evt_\d{17,}$/),
        type: 'permission.created',
        occurred_at: NOON,
        environment_id: 'env_10000000000000001',
        object: 'Permission',
        data: { id: 'perm_10000000000000101', name: 'invoices:read', description: 'See invoices.' },
        display_name: 'Permission Created',
      },
    });
    const { events } = await list(api, { event_types: ['permission.created'] });
    expect(events).toEqual([answer.body.event_payload]);
  });

  it.each([
    ['organization.deleted', 'Organization', { deleted_at: NOON }],
    ['organization.domain_created', 'Organization', { verification_status: 'PENDING' }],
    ['organization.domain_dns_verification_failed', 'Organization', { verification_status: 'FAILED' }],
    ['user.organization_invitation', 'OrgMembership', { organization: { id: ACME } }],
    ['user.organization_membership_created', 'OrgMembership', { user: { email: 'ada@acme.example' } }],
    [
      'user.login',
      'User',
      { user_session: { status: 'ACTIVE', idle_expires_at: '2030-01-08T12:00:00.000Z' } },
    ],
    ['organization.directory_disabled', 'Directory', { enabled: false }],
    ['organization.directory.group_deleted', 'DirectoryGroup', { display_name: 'Finance' }],
    ['organization.sso_enabled', 'Connection', { enabled: true, status: 'COMPLETED' }],
    ['role.updated', 'Role', { name: 'billing_viewer' }],
    ['connected_account.status_updated', 'ConnectedAccount', { old_status: 'PENDING_AUTH' }],
    ['connected_account.token_refresh_failed', 'ConnectedAccount', { provider: 'GMAIL' }],
  ])('emits %s with example data', async (type, object, data) => {
    const { api } = await boot({ now: NOON });

    const { event_payload } = (await send(api, type).expect(200)).body;

    expect(event_payload).toMatchObject({ type, object, data });
    const ofNobody = /^(role|connected_account)\./.test(type);
    expect(event_payload.organization_id).toBe(ofNobody ? undefined : ACME);
  });

  it.each([
    ['organization.domain_created', ['environment_id', 'txt_record_key', 'verification_method']],
    ['user.login', ['user_session.device.location.region_subdivision', 'user_session.device.user_agent']],
    [
      'organization.directory.user_created',
      ['preferred_username', 'department', 'zoneinfo', 'raw_attributes'],
    ],
    ['organization.directory.group_deleted', ['dp_id', 'directory_id']],
  ])('includes all documented attributes in %s', async (type, members) => {
    const { api } = await boot();

    const { data } = (await send(api, type).expect(200)).body.event_payload;

    for (const member of members) expect(data).toHaveProperty(member);
  });

  it('includes only dp_id as an external id of deleted directory users and groups', async () => {
    const { api } = await boot();

    const user = (await send(api, 'organization.directory.user_deleted').expect(200)).body.event_payload;
    const group = (await send(api, 'organization.directory.group_deleted').expect(200)).body.event_payload;

    expect(Object.keys(user.data).toSorted()).toEqual(['dp_id', 'email', 'id', 'organization_id']);
    expect(group.data).not.toHaveProperty('external_id');
  });

  it('sends directory user events with the source DIR_SYNC', async () => {
    const { api } = await boot();
    await send(api, 'organization.directory.user_updated').expect(200);
    await send(api, 'organization.directory_enabled').expect(200);

    const { events } = await list(api, { source: 'DIR_SYNC' }, '?page_size=1');

    expect(events).toMatchObject([{ type: 'organization.directory.user_updated', object: 'DirectoryUser' }]);
  });

  it.each(['user.created', 'organization', 'created'])('refuses the unknown event type %s', async (type) => {
    const { api, control } = await boot();
    const before = (await control.get('/state/events').expect(200)).body;

    const answer = await send(api, type).expect(400);

    expect(answer.body).toEqual(invalid(`event type ${type} is not known`));
    expect((await control.get('/state/events').expect(200)).body).toEqual(before);
  });

  it('enforces the maximum length of event_type', async () => {
    const { api } = await boot();

    const answer = await send(api, 'x'.repeat(256)).expect(400);

    expect(answer.body).toEqual(refusal(tooLong(255)('event_type')));
  });
});

describe('WebhookService_GetPortalURL', () => {
  it("answers a different URL of the caller's environment each time", async () => {
    const booted = await boot();
    const { api } = await booted.environment('suite-1');

    const urls = [];
    for (const caller of [booted.api, booted.api, api])
      urls.push((await caller.get('/api/v1/webhooks/portal-url').expect(200)).body.url);

    expect(new Set(urls).size).toBe(3);
    expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhooks\/portal\/[0-9a-f-]{36}$/);
    expect(urls[2]).toContain('/webhooks/portal/suite-1.');
  });
});
