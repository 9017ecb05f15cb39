import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import {
  ADMIN,
  makeChain,
  makeRole,
  MEMBER,
  namesOf,
  organizationRoles,
  refused,
  ROLES,
} from '../../support/roles.ts';
import {
  failure,
  invalid,
  noPrefix,
  notFound,
  refusal,
  required,
  tooShort,
} from '../../support/violations.ts';
import { ACME, ADA, EMPTY_DESK, NORDWIND } from '../../support/fixture-ids.ts';

const DESK = organizationRoles(EMPTY_DESK);

describe('RolesService_CreateOrganizationRole', () => {
  it('creates a role of one organization', async () => {
    const { api } = await boot();
    const wanted = {
      name: 'clerk',
      display_name: 'Clerk',
      extends: 'member',
      permissions: ['invoices:read'],
    };

    const created = await api.post(DESK).send(wanted).expect(201);

    const role = {
      id: expect.stringMatching(/^role_\d{17,}$/),
      name: 'clerk',
      display_name: 'Clerk',
      description: '',
      default_creator: false,
      default_member: false,
      extends: 'member',
      dependent_roles_count: 0,
      is_org_role: true,
    };
    expect(created.body).toEqual({ role });
    expect((await api.get(`${DESK}/clerk`).expect(200)).body).toEqual(created.body);
    await api.get(`${organizationRoles(ACME)}/clerk`).expect(404);
  });

  it('inherits permissions through several levels of organization and environment roles', async () => {
    const { api } = await boot();
    await makeChain(api, DESK);
    await api.put(`${DESK}/a`).send({ extends: 'member' }).expect(200);

    const { body } = await api.get(`${DESK}/c?include=permissions:all`).expect(200);

    expect(body.role.permissions).toMatchObject([
      { name: 'docs:c', role_name: 'c' },
      { name: 'docs:b', role_name: 'b' },
      { name: 'docs:a', role_name: 'a' },
      { name: 'sk_org_settings_read', role_name: 'member' },
      { name: 'sk_org_users_read', role_name: 'member' },
    ]);
  });

  it("accepts the name of another organization's role and lets it hide an environment role", async () => {
    const { api } = await boot();

    await makeRole(api, 'billing_viewer', {}, DESK);
    const own = await makeRole(api, 'member', { extends: 'member' }, DESK);

    expect((await api.get(`${DESK}/member`)).body).toEqual({ role: own });
    expect((await api.get(`${ROLES}/member`)).body.role.id).toBe(MEMBER.id);
  });

  it.each([
    ['an unknown base role', { name: 'x', extends: 'nope' }, 'base role nope not found'],
    ['an unknown permission', { name: 'x', permissions: ['nope'] }, 'permission nope not found'],
  ])('refuses %s', async (_, wanted, message) => {
    const { api } = await boot();

    const denied = await api
      .post(organizationRoles(ACME))
      .send({ display_name: 'X', ...wanted })
      .expect(400);

    expect(denied.body).toEqual(invalid(message));
  });

  it('refuses a name that the organization already uses', async () => {
    const { api } = await boot();

    const denied = await api
      .post(organizationRoles(ACME))
      .send({ name: 'billing_viewer', display_name: 'X' })
      .expect(409);

    expect(denied.body).toEqual(failure(6, 'ROLE_KEYNAME_CONFLICT', 'duplicate key not allowed'));
  });

  it('refuses a base role of another organization', async () => {
    const { api } = await boot();

    const denied = await api
      .post(DESK)
      .send({ name: 'x', display_name: 'X', extends: 'billing_viewer' })
      .expect(400);

    expect(denied.body).toEqual(invalid('base role billing_viewer not found'));
  });

  it('requires a body, both names and a known organization', async () => {
    const { api } = await boot();

    const nothing = await api.post(DESK).expect(400);
    const nameless = await api.post(organizationRoles('acme')).send({}).expect(400);
    const unknown = await api
      .post(organizationRoles('org_9'))
      .send({ name: 'x', display_name: 'X' })
      .expect(404);

    expect(nothing.body).toEqual(refusal(required('role')));
    const violations = [noPrefix('org')('org_id'), required('role.name'), required('role.display_name')];
    expect(nameless.body).toEqual(refusal(...violations));
    expect(unknown.body).toEqual(notFound('organization org_9 not found'));
  });
});

describe('RolesService_ListOrganizationRoles', () => {
  it("lists the environment's roles first, then only those of the organization", async () => {
    const { api } = await boot();
    await makeRole(api, 'clerk', {}, DESK);
    await makeRole(api, 'editor');

    const desk = await api.get(DESK).expect(200);
    const acme = await api.get(organizationRoles(ACME)).expect(200);

    expect(namesOf(desk.body.roles)).toEqual(['admin', 'member', 'editor', 'clerk']);
    expect(desk.body.roles.slice(0, 2)).toEqual([ADMIN, MEMBER]);
    expect(namesOf(acme.body.roles)).toEqual([
      'admin',
      'member',
      'editor',
      'billing_viewer',
      'billing_manager',
    ]);
  });

  it.each([
    ['permissions', ['invoices:write']],
    ['permissions:all', ['invoices:write', 'invoices:read', 'sk_org_settings_read', 'sk_org_users_read']],
  ])('returns permissions for include=%s', async (include, names) => {
    const { api } = await boot();

    const { body } = await api.get(`${organizationRoles(ACME)}?include=${include}`).expect(200);

    expect(namesOf(body.roles.at(-1).permissions)).toEqual(names);
  });

  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot();

    const missing = await api.get(organizationRoles('org_9')).expect(404);

    expect(missing.body).toEqual(notFound('organization org_9 not found'));
  });
});

describe('RolesService_GetOrganizationRole', () => {
  it('finds environment roles, too', async () => {
    const { api } = await boot();

    const { body } = await api.get(`${DESK}/admin`).expect(200);

    expect(body).toEqual({ role: ADMIN });
  });

  it.each([
    [`${DESK}/billing_viewer`, 'role billing_viewer not found'],
    [`${organizationRoles('org_9')}/admin`, 'organization org_9 not found'],
  ])('answers 404 for %s', async (path, message) => {
    const { api } = await boot();

    const missing = await api.get(path).expect(404);

    expect(missing.body).toEqual(notFound(message));
  });
});

describe('RolesService_UpdateOrganizationRole', () => {
  const viewer = `${organizationRoles(ACME)}/billing_viewer`;

  it('changes only the given fields', async () => {
    const { api } = await boot();
    const { role } = (await api.get(`${viewer}?include=permissions:all`)).body;

    await api.put(viewer).send({ description: 'Looks.' }).expect(200);

    const read = await api.get(`${viewer}?include=permissions:all`).expect(200);
    expect(read.body).toEqual({ role: { ...role, description: 'Looks.' } });
  });

  it('removes all permissions for an empty list', async () => {
    const { api } = await boot();

    await api.put(viewer).send({ permissions: [] }).expect(200);

    expect((await api.get(`${viewer}?include=permissions`)).body.role.permissions).toEqual([]);
  });

  it('refuses a cycle of base roles', async () => {
    const { api } = await boot();

    const denied = await api.put(viewer).send({ extends: 'billing_manager' }).expect(400);

    const message = 'role billing_viewer cannot extend billing_manager: it would extend itself';
    expect(denied.body).toEqual(invalid(message));
  });

  it('refuses an empty description and answers 404 for environment roles', async () => {
    const { api } = await boot();

    const empty = await api.put(viewer).send({ description: '' }).expect(400);
    const general = await api.put(`${DESK}/member`).send({ display_name: 'X' }).expect(404);

    expect(empty.body).toEqual(refusal(tooShort(1)('role.description')));
    expect(general.body).toEqual(notFound('role member not found'));
  });
});

describe('RolesService_DeleteOrganizationRole', () => {
  const acme = organizationRoles(ACME);

  it('deletes a role without users and dependent roles', async () => {
    const { api } = await boot();

    const deleted = await api.delete(`${acme}/billing_manager`).expect(200);

    expect(deleted.body).toEqual({});
    await api.get(`${acme}/billing_manager`).expect(404);
  });

  it.each(['billing_manager', 'admin'])(
    'requires reassign_role_name for a role with users, for example %s',
    async (heir) => {
      const { api } = await boot();
      const ravi = `/api/v1/organizations/${ACME}/users/usr_10000000000000102/roles`;

      const denied = await api.delete(`${acme}/billing_viewer`).expect(400);
      await api.delete(`${acme}/billing_viewer?reassign_role_name=${heir}`).expect(200);

      expect(denied.body).toEqual(refused('role cannot be deleted as it is assigned to users'));
      expect((await api.get(ravi)).body.roles[0].name).toBe(heir);
      const base = heir === 'admin' ? 'admin' : 'member';
      expect((await api.get(`${acme}/billing_manager`)).body.role.extends).toBe(base);
    },
  );

  it('refuses to reassign to a role of another organization', async () => {
    const { api } = await boot();
    await makeRole(api, 'clerk', {}, DESK);

    const denied = await api.delete(`${acme}/billing_viewer?reassign_role_name=clerk`).expect(400);

    expect(denied.body).toEqual(invalid('role clerk not found'));
  });

  it('answers 404 for environment roles', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor');

    const missing = await api.delete(`${acme}/editor`).expect(404);

    expect(missing.body).toEqual(notFound('role editor not found'));
  });

  it('is not required when the organization is deleted: its roles are deleted, too', async () => {
    const { api } = await boot();

    await api.delete(`/api/v1/organizations/${ACME}`).expect(200);

    expect(namesOf((await api.get(ROLES)).body.roles)).toEqual(['admin', 'member']);
    expect((await api.get(`${ROLES}/member`)).body.role.dependent_roles_count).toBe(0);
  });
});

describe('RolesService_DeleteOrganizationRoleBase', () => {
  const viewer = `${organizationRoles(ACME)}/billing_viewer`;

  it('removes the base role and its permissions', async () => {
    const { api } = await boot();

    const ended = await api.delete(`${viewer}/base`).expect(200);

    expect(ended.body).toEqual({});
    const { body } = await api.get(`${viewer}?include=permissions:all`).expect(200);
    expect(body.role).not.toHaveProperty('extends');
    expect(namesOf(body.role.permissions)).toEqual(['invoices:read']);
  });

  it('answers 404 for environment roles', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor', { extends: 'member' });

    const missing = await api.delete(`${organizationRoles(ACME)}/editor/base`).expect(404);

    expect(missing.body).toEqual(notFound('role editor not found'));
  });
});

describe('RolesService_GetOrganizationRoleUsersCount', () => {
  it.each([
    [ACME, 'admin', '1'],
    [ACME, 'member', '3'],
    [ACME, 'billing_viewer', '1'],
    [ACME, 'billing_manager', '0'],
    [NORDWIND, 'member', '1'],
    [EMPTY_DESK, 'admin', '0'],
  ])('counts the users in %s who have the role %s directly', async (organization, name, count) => {
    const { api } = await boot();

    const { body } = await api.get(`${organizationRoles(organization)}/${name}/users:count`).expect(200);

    expect(body).toEqual({ count });
  });

  it('counts one user less when a member is removed', async () => {
    const { api } = await boot();

    await api.delete(`/api/v1/memberships/organizations/${ACME}/users/${ADA}`).expect(200);

    const { body } = await api.get(`${organizationRoles(ACME)}/admin/users:count`).expect(200);
    expect(body).toEqual({ count: '0' });
  });

  it.each([
    ['org_9', 'admin', 'organization org_9 not found'],
    [EMPTY_DESK, 'billing_viewer', 'role billing_viewer not found'],
  ])('answers 404 in %s for the role %s', async (organization, name, message) => {
    const { api } = await boot();

    const missing = await api.get(`${organizationRoles(organization)}/${name}/users:count`).expect(404);

    expect(missing.body).toEqual(notFound(message));
  });
});
