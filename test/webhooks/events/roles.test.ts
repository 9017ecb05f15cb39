import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { doneByRule, toldBy, typesOf, type Told } from '../../support/events.ts';
import { makeChain, makeRole, organizationRoles, ROLES } from '../../support/roles.ts';
import { ACME } from '../../support/fixture-ids.ts';

const PERMISSIONS = '/api/v1/permissions';
const NOON = '2030-01-01T12:00:00.000Z';

/** Only the events of roles and permissions, without those of memberships. */
const own = (events: readonly Told[]) => events.filter(({ type }) => /^(role|permission)\./.test(type));
const summary = (events: readonly Told[]) =>
  own(events).map(({ type, data }) => [type, data['name'], data['extends']]);

describe('the events of a role', () => {
  it('cover its life from creation to deletion, without an organization id', async () => {
    const { api } = await boot({ now: NOON });
    let id = '';

    const events = await toldBy(api, async () => {
      ({ id } = await makeRole(api, 'auditor', { description: 'Reads.', extends: 'member' }));
      await api.put(`${ROLES}/auditor`).send({ display_name: 'Auditor' }).expect(200);
      await api.delete(`${ROLES}/auditor`).expect(200);
    });

    const about = {
      spec_version: '1',
      id: expect.stringMatching(/^evt_/),
      object: 'Role',
      occurred_at: NOON,
      environment_id: 'env_10000000000000001',
    };
    const data = { id, name: 'auditor', display_name: 'auditor', description: 'Reads.', extends: 'member' };
    const named = { ...data, display_name: 'Auditor' };
    expect(events).toEqual([
      { ...about, type: 'role.created', display_name: 'Role Created', data },
      { ...about, type: 'role.updated', display_name: 'Role Updated', data: named },
      { ...about, type: 'role.deleted', display_name: 'Role Deleted', data: named },
    ]);
  });

  it('include organization roles, also without an organization id', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await makeRole(api, 'auditor', {}, organizationRoles(ACME));
      await api.delete(`${organizationRoles(ACME)}/auditor`).expect(200);
    });

    expect(summary(events)).toEqual([
      ['role.created', 'auditor', null],
      ['role.deleted', 'auditor', null],
    ]);
    for (const event of events) expect(event).not.toHaveProperty('organization_id');
  });

  it('include role.updated when its permissions or its base role change', async () => {
    const { api } = await boot();
    await makeRole(api, 'auditor', { extends: 'member' });
    const permissions = `${ROLES}/auditor/permissions`;

    const events = await toldBy(api, async () => {
      await api
        .post(permissions)
        .send({ permission_names: ['invoices:read'] })
        .expect(200);
      await api
        .post(permissions)
        .send({ permission_names: ['invoices:read'] })
        .expect(200);
      await api.delete(`${permissions}/invoices:read`).expect(200);
      await api.delete(`${ROLES}/auditor/base`).expect(200);
    });

    expect(summary(events)).toEqual([
      ['role.updated', 'auditor', 'member'],
      ['role.updated', 'auditor', 'member'],
      ['role.updated', 'auditor', null],
    ]);
  });

  it('leave out changes of the default roles', async () => {
    const { api } = await boot();
    await makeRole(api, 'auditor');

    const events = await toldBy(api, () =>
      api
        .patch(`${ROLES}:set_defaults`)
        .send({ default_creator_role: 'auditor', default_member_role: 'auditor' })
        .expect(200),
    );

    expect(events).toEqual([]);
  });

  it('leave out failed calls', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api.post(ROLES).send({ name: 'admin', display_name: 'Admin' }).expect(409);
      await api.delete(`${ROLES}/admin`).expect(400);
      await api.put(`${ROLES}/nobody`).send({ display_name: 'Nobody' }).expect(404);
    });

    expect(events).toEqual([]);
  });

  it('include role.updated for reassigned dependent roles before role.deleted', async () => {
    const { api } = await boot();
    await makeChain(api);

    const events = await toldBy(api, () => api.delete(`${ROLES}/b?reassign_role_name=a`).expect(200));

    expect(summary(events)).toEqual([
      ['role.updated', 'c', 'a'],
      ['role.deleted', 'b', 'a'],
    ]);
  });

  it('leave out dependent roles that lose their base role', async () => {
    const booted = await boot();
    await makeChain(booted.api);

    const events = await toldBy(booted.api, () =>
      doneByRule(booted, { roles: [{ delete: { match: { name: 'b' } } }] }),
    );

    expect(summary(events)).toEqual([['role.deleted', 'b', 'a']]);
    const { body } = await booted.api.get(`${ROLES}/c`).expect(200);
    expect(body.role).not.toHaveProperty('extends');
  });
});

describe('the events of a permission', () => {
  const create = (api: Agent) =>
    api.post(PERMISSIONS).send({ name: 'docs:read', description: 'Read.' }).expect(201);

  it('cover its life from creation to deletion, without an organization id', async () => {
    const { api } = await boot({ now: NOON });
    let id = '';

    const events = await toldBy(api, async () => {
      ({ id } = (await create(api)).body.permission);
      await api
        .put(`${PERMISSIONS}/docs:read`)
        .send({ name: 'docs:read', description: 'Read docs.' })
        .expect(200);
      await api.delete(`${PERMISSIONS}/docs:read`).expect(200);
    });

    const data = { id, name: 'docs:read', description: 'Read.' };
    const described = { ...data, description: 'Read docs.' };
    expect(events).toMatchObject([
      { type: 'permission.created', object: 'Permission', display_name: 'Permission Created' },
      { type: 'permission.updated', object: 'Permission', display_name: 'Permission Updated' },
      { type: 'permission.deleted', object: 'Permission', display_name: 'Permission Deleted' },
    ]);
    expect(events.map((event) => event.data)).toEqual([data, described, described]);
    for (const event of events) expect(event).not.toHaveProperty('organization_id');
  });

  it('leave out roles that lose the permission', async () => {
    const { api } = await boot();
    await create(api);
    await makeRole(api, 'auditor', { permissions: ['docs:read'] });

    const events = await toldBy(api, () => api.delete(`${PERMISSIONS}/docs:read`).expect(200));

    expect(typesOf(events)).toEqual(['permission.deleted']);
    const { body } = await api.get(`${ROLES}/auditor/permissions`).expect(200);
    expect(body.permissions).toEqual([]);
  });

  it('leave out failed calls', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api.post(PERMISSIONS).send({ name: 'invoices:read', description: 'Again.' }).expect(409);
      await api.delete(`${PERMISSIONS}/nothing`).expect(404);
    });

    expect(events).toEqual([]);
  });
});
