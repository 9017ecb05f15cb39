import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import { failure, noPrefix, notFound, refusal, required } from '../../support/violations.ts';
import { EMPTY_DESK } from '../../support/fixture-ids.ts';

const PATH = '/api/v1/organizations';
const ACME = `${PATH}/org_10000000000000001`;
const NORDWIND = `${PATH}/org_10000000000000002`;
const usersOf = (organization: string) => `${PATH}/${organization}/users`;

const add = (api: Agent, organization: string, user: object, query = '') =>
  api.post(`${usersOf(organization)}${query}`).send(user);

describe('the user-management settings of an organization', () => {
  const settings = (organization: string) => `${organization}/settings/usermanagement`;

  it('have no limit by default', async () => {
    const { api } = await boot();

    const none = await api.get(settings(ACME)).expect(200);
    const some = await api.get(settings(NORDWIND)).expect(200);

    expect(none.body).toEqual({ settings: {} });
    expect(some.body).toEqual({ settings: { max_allowed_users: 25 } });
  });

  it.each([150, 0, 2_147_483_647])('store a limit of %i', async (max_allowed_users) => {
    const { api } = await boot();

    const set = await api.patch(settings(ACME)).send({ settings: { max_allowed_users } }).expect(200);

    expect(set.body).toEqual({ settings: { max_allowed_users } });
    const read = await api.get(settings(ACME)).expect(200);
    expect(read.body).toEqual(set.body);
  });

  it.each([{}, { max_allowed_users: null }])('remove the limit with %o', async (wanted) => {
    const { api } = await boot();

    const set = await api.patch(settings(NORDWIND)).send({ settings: wanted }).expect(200);

    expect(set.body).toEqual({ settings: {} });
  });

  it('require settings and refuse a negative limit', async () => {
    const { api } = await boot();

    const missing = await api.patch(settings(ACME)).send({}).expect(400);
    const negative = await api
      .patch(settings(ACME))
      .send({ settings: { max_allowed_users: -1 } })
      .expect(400);

    expect(missing.body).toEqual(refusal(required('settings')));
    expect(negative.body.details[0].validation_error_info.field_violations[0].field).toBe(
      'settings.max_allowed_users',
    );
  });
});

describe.each([
  ['get', 'settings/usermanagement', undefined],
  ['patch', 'settings/usermanagement', { settings: {} }],
] as const)('%s %s', (verb, path, body) => {
  it('requires a known organization', async () => {
    const { api } = await boot();

    const unknown = await api[verb](`${PATH}/org_9/${path}`).send(body).expect(404);
    const malformed = await api[verb](`${PATH}/acme/${path}`).send(body).expect(400);

    expect(unknown.body).toEqual(notFound('organization org_9 not found'));
    expect(malformed.body).toEqual(refusal(noPrefix('org_')('organization_id')));
  });
});

describe('the seats of an organization', () => {
  const setSeats = (api: Agent, max_allowed_users: number) =>
    api
      .patch(`${PATH}/${EMPTY_DESK}/settings/usermanagement`)
      .send({ settings: { max_allowed_users } })
      .expect(200);

  async function bootWithSeats(seats: number) {
    const booted = await boot();
    await setSeats(booted.api, seats);
    return booted;
  }

  it('are used by active and invited users', async () => {
    const { api } = await bootWithSeats(2);
    await add(api, EMPTY_DESK, { email: 'a@desk.example' }, '?send_invitation_email=false').expect(201);
    await add(api, EMPTY_DESK, { email: 'b@desk.example' }).expect(201);

    const third = await add(api, EMPTY_DESK, { email: 'c@desk.example' }).expect(400);
    const added = await api
      .post(`/api/v1/memberships/organizations/${EMPTY_DESK}/users/crm-acme-ada`)
      .send({})
      .expect(400);

    const full = `organization ${EMPTY_DESK} may have no more than 2 users`;
    expect(third.body).toEqual(failure(9, 'FAILED_PRECONDITION', full));
    expect(added.body).toEqual(third.body);
    const listed = await api.get(usersOf(EMPTY_DESK)).expect(200);
    expect(listed.body.total_size).toBe(2);
  });

  it('are freed when an invitation expires or a membership becomes inactive', async () => {
    const booted = await bootWithSeats(2);
    const { body: invited } = await add(booted.api, EMPTY_DESK, { email: 'a@desk.example' }).expect(201);
    await add(booted.api, EMPTY_DESK, { email: 'b@desk.example' }, '?send_invitation_email=false').expect(
      201,
    );
    const { rows } = (await booted.control.get('/state/memberships').expect(200)).body;
    const off = { membership_status: 'INACTIVE' };
    await booted.control
      .patch(`/state/memberships/${rows.at(-1).id}`)
      .send(off)
      .expect(200);
    const api = await later(booted, '15d');

    const statuses = [];
    for (const name of ['c', 'd', 'e']) {
      statuses.push((await add(api, EMPTY_DESK, { email: `${name}@desk.example` })).status);
    }

    expect(statuses).toEqual([201, 201, 400]);
    const expired = await api.get(`/api/v1/users/${invited.user.id}`).expect(200);
    expect(expired.body.user.memberships).toMatchObject([{ membership_status: 'INVITE_EXPIRED' }]);
  });

  it('are needed to renew an expired invitation, but not for a reminder', async () => {
    const booted = await bootWithSeats(1);
    const invite = (name: string, agent: Agent) => add(agent, EMPTY_DESK, { email: `${name}@desk.example` });
    const resend = (agent: Agent, { body }: { body: { user: { id: string } } }) =>
      agent.patch(`/api/v1/invites/organizations/${EMPTY_DESK}/users/${body.user.id}/resend`).send({});
    const first = await invite('a', booted.api).expect(201);
    const api = await later(booted, '15d');
    const second = await invite('b', api).expect(201);

    const renewed = await resend(api, first).expect(400);
    const reminded = await resend(api, second).expect(200);

    expect(renewed.body.message).toBe(`organization ${EMPTY_DESK} may have no more than 1 users`);
    expect(reminded.body.invite.resent_count).toBe(1);
    await setSeats(api, 2);
    await resend(api, first).expect(200);
  });

  it('are all used in the scenario seat-limit', async () => {
    const { api, control } = await boot();
    await control.post('/scenarios').send({ name: 'seat-limit' }).expect(201);

    const refused = await add(api, 'org_10000000000000002', { email: 'zoe@nordwind.example' }).expect(400);

    expect(refused.body.message).toBe('organization org_10000000000000002 may have no more than 2 users');
  });

  it('can be fewer than the current users: users stay, and new ones are refused', async () => {
    const { api } = await bootWithSeats(2);
    await add(api, EMPTY_DESK, { email: 'a@desk.example' }).expect(201);
    await add(api, EMPTY_DESK, { email: 'b@desk.example' }).expect(201);

    await setSeats(api, 1);

    const listed = await api.get(usersOf(EMPTY_DESK)).expect(200);
    expect(listed.body.total_size).toBe(2);
    await add(api, EMPTY_DESK, { email: 'c@desk.example' }).expect(400);
    await setSeats(api, 3);
    await add(api, EMPTY_DESK, { email: 'c@desk.example' }).expect(201);
  });

  it('are unlimited at 0', async () => {
    const { api } = await bootWithSeats(0);

    const created = await add(api, EMPTY_DESK, { email: 'a@desk.example' });

    expect(created.status).toBe(201);
  });
});
