import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import {
  ADMIN,
  makeChain,
  makeRole,
  MEMBER,
  namesOf,
  organizationRoles,
  ROLES,
} from '../../support/roles.ts';
import { invalid, notFound, refusal, required } from '../../support/violations.ts';
import { ACME, EMPTY_DESK, NINA, PRIYA } from '../../support/fixture-ids.ts';

describe('RolesService_ListDependentRoles', () => {
  it('lists the roles that extend a role directly', async () => {
    const { api } = await boot();
    const { b } = await makeChain(api);

    const ofA = await api.get(`${ROLES}/a/dependents`).expect(200);
    const ofC = await api.get(`${ROLES}/c/dependents`).expect(200);

    expect(ofA.body).toEqual({ roles: [{ ...b, dependent_roles_count: 1 }] });
    expect(ofC.body).toEqual({ roles: [] });
    expect((await api.get(`${ROLES}/a`)).body.role.dependent_roles_count).toBe(1);
  });

  it('includes organization roles', async () => {
    const { api } = await boot();

    const { body } = await api.get(`${ROLES}/member/dependents`).expect(200);

    expect(body.roles).toMatchObject([{ name: 'billing_viewer', is_org_role: true }]);
  });
});

describe('RolesService_DeleteRoleBase', () => {
  it('removes the base role and can be repeated', async () => {
    const { api } = await boot();
    await makeChain(api);

    const ended = await api.delete(`${ROLES}/c/base`).expect(200);
    await api.delete(`${ROLES}/c/base`).expect(200);

    expect(ended.body).toEqual({});
    const { body } = await api.get(`${ROLES}/c?include=permissions:all`).expect(200);
    expect(body.role).not.toHaveProperty('extends');
    expect(namesOf(body.role.permissions)).toEqual(['docs:c']);
    expect((await api.get(`${ROLES}/b`)).body.role.dependent_roles_count).toBe(0);
  });
});

describe('RolesService_GetRoleUsersCount', () => {
  const roles = `/api/v1/organizations/${ACME}/users/${NINA}/roles`;

  it('counts each user once, including invited users', async () => {
    const { api } = await boot({ fixture: 'small' });
    await makeRole(api, 'unused');
    const countOf = async (name: string) => (await api.get(`${ROLES}/${name}/users:count`).expect(200)).body;

    expect(await countOf('member')).toEqual({ count: '4' });
    expect(await countOf('admin')).toEqual({ count: '2' });
    expect(await countOf('unused')).toEqual({ count: '0' });

    await api
      .post(roles)
      .send([{ role_name: 'admin' }])
      .expect(200);
    expect(await countOf('admin')).toEqual({ count: '2' });
  });
});

describe.each([
  ['get', 'RolesService_ListDependentRoles', 'dependents'],
  ['delete', 'RolesService_DeleteRoleBase', 'base'],
  ['get', 'RolesService_GetRoleUsersCount', 'users:count'],
] as const)('%s of %s', (verb, _, path) => {
  it.each(['nope', 'billing_viewer'])('answers 404 for the role %s', async (name) => {
    const { api } = await boot();

    const missing = await api[verb](`${ROLES}/${name}/${path}`).expect(404);

    expect(missing.body).toEqual(notFound(`role ${name} not found`));
  });
});

describe('RolesService_UpdateDefaultRoles', () => {
  const PATHS = [`${ROLES}:set_defaults`, `${ROLES}/default`];

  it.each(PATHS)('sets the default roles for creators and members at %s', async (path) => {
    const { api } = await boot();
    const lead = await makeRole(api, 'lead');
    const guest = await makeRole(api, 'guest');

    const updated = await api
      .patch(path)
      .send({ default_creator_role: 'lead', default_member_role: 'guest' })
      .expect(200);

    const creator = { ...lead, default_creator: true };
    const member = { ...guest, default_member: true };
    expect(updated.body).toEqual({ default_creator: creator, default_member: member });
    const { body } = await api.get(ROLES).expect(200);
    expect(body.roles.slice(0, 4)).toEqual([
      { ...ADMIN, default_creator: false },
      { ...MEMBER, default_member: false },
      creator,
      member,
    ]);
  });

  it('sets the role of new members', async () => {
    const { api } = await boot();
    await makeRole(api, 'guest');
    await api
      .patch(PATHS[0]!)
      .send({ default_creator_role: 'admin', default_member_role: 'guest' })
      .expect(200);

    await api.post(`/api/v1/memberships/organizations/${EMPTY_DESK}/users/${PRIYA}`).send({}).expect(201);

    const { body } = await api.get(`/api/v1/organizations/${EMPTY_DESK}/users/${PRIYA}/roles`).expect(200);
    expect(namesOf(body.roles)).toEqual(['guest']);
  });

  it('keeps the member default when only the creator default is given', async () => {
    const { api } = await boot();

    const updated = await api.patch(PATHS[0]!).send({ default_creator_role: 'member' }).expect(200);

    const both = { ...MEMBER, default_creator: true };
    expect(updated.body).toEqual({ default_creator: both, default_member: both });
  });

  it('accepts the deprecated objects when no names are given', async () => {
    const { api } = await boot();
    const wanted = {
      default_creator: { id: MEMBER.id },
      default_member: { id: MEMBER.id },
      default_member_role: 'admin',
    };

    const { body } = await api.patch(PATHS[0]!).send(wanted).expect(200);

    expect([body.default_creator.name, body.default_member.name]).toEqual(['member', 'admin']);
  });

  it.each([
    ['creators', { default_creator_role: 'nope' }, 'role nope not found'],
    ['creators by id', { default_creator: { id: 'role_9' } }, 'role role_9 not found'],
    ['members', { default_creator_role: 'member', default_member_role: 'nope' }, 'role nope not found'],
    [
      'members, of an organization',
      { default_creator_role: 'member', default_member_role: 'billing_viewer' },
      'role billing_viewer not found',
    ],
  ])('refuses an unknown role for %s and changes nothing', async (_, wanted, message) => {
    const { api } = await boot();

    const denied = await api.patch(PATHS[0]!).send(wanted).expect(400);

    expect(denied.body).toEqual(invalid(message));
    expect((await api.get(ROLES)).body.roles.slice(0, 2)).toEqual([ADMIN, MEMBER]);
  });

  it('requires the role for creators', async () => {
    const { api } = await boot();

    const denied = await api.patch(PATHS[0]!).send({ default_member_role: 'member' }).expect(400);

    expect(denied.body).toEqual(refusal(required('default_creator_role')));
  });
});

describe('RolesService_UpdateDefaultOrganizationRoles', () => {
  const path = `${organizationRoles(ACME)}:set_defaults`;
  const marked = async (api: Awaited<ReturnType<typeof boot>>['api'], organization: string) => {
    const { body } = await api.get(organizationRoles(organization)).expect(200);
    return namesOf(body.roles.filter((role: { default_member: boolean }) => role.default_member));
  };

  it.each(['billing_viewer', 'admin'])('makes %s the default of that organization only', async (name) => {
    const { api } = await boot();

    const updated = await api.patch(path).send({ default_member_role: name }).expect(200);

    expect(updated.body.default_member).toMatchObject({ name, default_member: true });
    expect(await marked(api, ACME)).toEqual([name]);
    expect(await marked(api, EMPTY_DESK)).toEqual(['member']);
    expect((await api.get(`${ROLES}/admin`)).body).toEqual({ role: ADMIN });
  });

  it('sets the role of new members of the organization', async () => {
    const { api } = await boot();
    await api.patch(path).send({ default_member_role: 'admin' }).expect(200);

    await api.post(`/api/v1/memberships/organizations/${ACME}/users/${PRIYA}`).send({}).expect(201);

    const { body } = await api.get(`/api/v1/organizations/${ACME}/users/${PRIYA}/roles`).expect(200);
    expect(namesOf(body.roles)).toEqual(['admin']);
  });

  it("falls back to the environment's default when the role is deleted", async () => {
    const { api } = await boot();
    await makeRole(api, 'guest', {}, organizationRoles(ACME));
    await api.patch(path).send({ default_member_role: 'guest' }).expect(200);

    await api.delete(`${organizationRoles(ACME)}/guest`).expect(200);

    expect(await marked(api, ACME)).toEqual(['member']);
  });

  it('does not show the default role in the organization', async () => {
    const { api } = await boot();
    await api.patch(path).send({ default_member_role: 'admin' }).expect(200);

    const { body } = await api.get(`/api/v1/organizations/${ACME}`).expect(200);

    expect(body.organization).not.toHaveProperty('default_member_role_id');
  });

  it('refuses roles that the organization does not have', async () => {
    const { api } = await boot();
    const wanted = { default_member_role: 'billing_viewer' };

    const foreign = await api
      .patch(`${organizationRoles(EMPTY_DESK)}:set_defaults`)
      .send(wanted)
      .expect(400);
    const missing = await api
      .patch(`${organizationRoles('org_9')}:set_defaults`)
      .send(wanted)
      .expect(404);
    const nothing = await api.patch(path).send({}).expect(400);

    expect(foreign.body).toEqual(invalid('role billing_viewer not found'));
    expect(missing.body).toEqual(notFound('organization org_9 not found'));
    expect(nothing.body).toEqual(refusal(required('default_member_role')));
  });
});

describe('role rows in the control API', () => {
  it('cannot make an organization role a default of the environment', async () => {
    const { control } = await boot({ brokenContract: true });

    const denied = await control
      .patch('/state/roles/role_10000000000000101')
      .send({ default_member: true })
      .expect(400);

    expect(denied.body.message).toContain('default_member');
  });

  it('lose a deleted base role and a deleted permission', async () => {
    const { api, control } = await boot();

    await control.delete(`/state/roles/${MEMBER.id}`).expect(204);
    await control.delete('/state/permissions/perm_10000000000000101').expect(204);

    const { body } = await api
      .get(`${organizationRoles(ACME)}/billing_viewer?include=permissions:all`)
      .expect(200);
    expect(body.role).not.toHaveProperty('extends');
    expect(body.role.permissions).toEqual([]);
  });
});
