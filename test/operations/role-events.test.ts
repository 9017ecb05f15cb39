import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { doneByRule, toldBy, typesOf, type Told } from '../support/events.ts';
import { ACME, makeChain, makeRole, organizationRoles, ROLES } from '../support/roles.ts';

const PERMISSIONS = '/api/v1/permissions';
const NOON = '2030-01-01T12:00:00.000Z';

/** Those of roles and permissions: members have events of their own. */
const own = (events: readonly Told[]) => events.filter(({ type }) => /^(role|permission)\./.test(type));
const shortly = (events: readonly Told[]) =>
  own(events).map(({ type, data }) => [type, data['name'], data['extends']]);

describe('what happens to a role', () => {
  it('is told from its creation to its end, without an organization', async () => {
    const { api } = await boot({ now: NOON });
    let id = '';

    const told = await toldBy(api, async () => {
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
    expect(told).toEqual([
      { ...about, type: 'role.created', display_name: 'Role Created', data },
      { ...about, type: 'role.updated', display_name: 'Role Updated', data: named },
      { ...about, type: 'role.deleted', display_name: 'Role Deleted', data: named },
    ]);
  });

  it('is told of an organization’s own roles, too, and still without it', async () => {
    const { api } = await boot();

    const told = await toldBy(api, async () => {
      await makeRole(api, 'auditor', {}, organizationRoles(ACME));
      await api.delete(`${organizationRoles(ACME)}/auditor`).expect(200);
    });

    expect(shortly(told)).toEqual([
      ['role.created', 'auditor', null],
      ['role.deleted', 'auditor', null],
    ]);
    for (const event of told) expect(event).not.toHaveProperty('organization_id');
  });

  it('is told as an update when it allows something else, or extends another', async () => {
    const { api } = await boot();
    await makeRole(api, 'auditor', { extends: 'member' });
    const permissions = `${ROLES}/auditor/permissions`;

    const told = await toldBy(api, async () => {
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

    expect(shortly(told)).toEqual([
      ['role.updated', 'auditor', 'member'],
      ['role.updated', 'auditor', 'member'],
      ['role.updated', 'auditor', null],
    ]);
  });

  it('is not told of what it is the default of', async () => {
    const { api } = await boot();
    await makeRole(api, 'auditor');

    const told = await toldBy(api, () =>
      api
        .patch(`${ROLES}:set_defaults`)
        .send({ default_creator_role: 'auditor', default_member_role: 'auditor' })
        .expect(200),
    );

    expect(told).toEqual([]);
  });

  it('is not told of a call that fails', async () => {
    const { api } = await boot();

    const told = await toldBy(api, async () => {
      await api.post(ROLES).send({ name: 'admin', display_name: 'Admin' }).expect(400);
      await api.delete(`${ROLES}/admin`).expect(400);
      await api.put(`${ROLES}/nobody`).send({ display_name: 'Nobody' }).expect(404);
    });

    expect(told).toEqual([]);
  });

  it('has the roles that extend another one before that one’s end', async () => {
    const { api } = await boot();
    await makeChain(api);

    const told = await toldBy(api, () => api.delete(`${ROLES}/b?reassign_role_name=a`).expect(200));

    expect(shortly(told)).toEqual([
      ['role.updated', 'c', 'a'],
      ['role.deleted', 'b', 'a'],
    ]);
  });

  it('is its end alone, not that others extend it no more', async () => {
    const booted = await boot();
    await makeChain(booted.api);

    const told = await toldBy(booted.api, () =>
      doneByRule(booted, { roles: [{ delete: { match: { name: 'b' } } }] }),
    );

    expect(shortly(told)).toEqual([['role.deleted', 'b', 'a']]);
    const { body } = await booted.api.get(`${ROLES}/c`).expect(200);
    expect(body.role).not.toHaveProperty('extends');
  });
});

describe('what happens to a permission', () => {
  const create = (api: Agent) =>
    api.post(PERMISSIONS).send({ name: 'docs:read', description: 'Read.' }).expect(201);

  it('is told from its creation to its end, without an organization', async () => {
    const { api } = await boot({ now: NOON });
    let id = '';

    const told = await toldBy(api, async () => {
      ({ id } = (await create(api)).body.permission);
      await api
        .put(`${PERMISSIONS}/docs:read`)
        .send({ name: 'docs:read', description: 'Read docs.' })
        .expect(200);
      await api.delete(`${PERMISSIONS}/docs:read`).expect(200);
    });

    const data = { id, name: 'docs:read', description: 'Read.' };
    const described = { ...data, description: 'Read docs.' };
    expect(told).toMatchObject([
      { type: 'permission.created', object: 'Permission', display_name: 'Permission Created' },
      { type: 'permission.updated', object: 'Permission', display_name: 'Permission Updated' },
      { type: 'permission.deleted', object: 'Permission', display_name: 'Permission Deleted' },
    ]);
    expect(told.map((event) => event.data)).toEqual([data, described, described]);
    for (const event of told) expect(event).not.toHaveProperty('organization_id');
  });

  it('is its end alone, not that roles have it no more', async () => {
    const { api } = await boot();
    await create(api);
    await makeRole(api, 'auditor', { permissions: ['docs:read'] });

    const told = await toldBy(api, () => api.delete(`${PERMISSIONS}/docs:read`).expect(200));

    expect(typesOf(told)).toEqual(['permission.deleted']);
    const { body } = await api.get(`${ROLES}/auditor/permissions`).expect(200);
    expect(body.permissions).toEqual([]);
  });

  it('is not told of a call that fails', async () => {
    const { api } = await boot();

    const told = await toldBy(api, async () => {
      await api.post(PERMISSIONS).send({ name: 'invoices:read', description: 'Again.' }).expect(400);
      await api.delete(`${PERMISSIONS}/nothing`).expect(404);
    });

    expect(told).toEqual([]);
  });
});
