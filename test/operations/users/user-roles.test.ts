import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { makeRole, namesOf, organizationRoles } from '../../support/roles.ts';
import { invalid, noPrefix, notFound, refusal, required, tooLong } from '../../support/violations.ts';
import { ACME, EMPTY_DESK, NINA, NORDWIND, RAVI } from '../../support/fixture-ids.ts';

const pathOf = (organization: string, user: string, what = 'roles') =>
  `/api/v1/organizations/${organization}/users/${user}/${what}`;

const ADMIN = { id: 'role_10000000000000001', name: 'admin', display_name: 'Admin' };
const MEMBER = { id: 'role_10000000000000002', name: 'member', display_name: 'Member' };
const VIEWER = { id: 'role_10000000000000101', name: 'billing_viewer', display_name: 'Billing viewer' };

describe('UserService_ListUserRoles', () => {
  it("lists the user's roles in the organization, then their base roles", async () => {
    const { api } = await boot();

    const { body } = await api.get(pathOf(ACME, RAVI)).expect(200);

    expect(body).toEqual({ roles: [VIEWER, MEMBER] });
  });

  it('lists the roles of the given organization only', async () => {
    const { api } = await boot();

    expect((await api.get(pathOf(ACME, NINA))).body).toEqual({ roles: [MEMBER] });
    expect((await api.get(pathOf(NORDWIND, NINA))).body).toEqual({ roles: [ADMIN] });
  });
});

describe('UserService_AssignUserRoles', () => {
  it('adds roles once, even when repeated', async () => {
    const { api } = await boot();
    const wanted = [{ role_name: 'admin' }, { id: VIEWER.id }, { role_name: 'admin' }];

    const assigned = await api.post(pathOf(ACME, NINA)).send(wanted).expect(200);
    const again = await api.post(pathOf(ACME, NINA)).send(wanted).expect(200);

    expect(assigned.body).toEqual({ roles: [MEMBER, ADMIN, VIEWER] });
    expect(again.body).toEqual(assigned.body);
    expect((await api.get(pathOf(ACME, NINA))).body).toEqual(assigned.body);
    expect((await api.get(pathOf(NORDWIND, NINA))).body).toEqual({ roles: [ADMIN] });
    const { body } = await api.get(`/api/v1/users/${NINA}`).expect(200);
    expect(JSON.stringify(body.user.memberships)).toContain('"billing_viewer"');
  });

  it("prefers the organization's role over the environment's role of the same name", async () => {
    const { api } = await boot();
    const own = await makeRole(api, 'admin', {}, organizationRoles(ACME));

    const { body } = await api
      .post(pathOf(ACME, NINA))
      .send([{ role_name: 'admin' }])
      .expect(200);

    expect(body.roles[1].id).toBe(own.id);
  });

  it.each([
    ['does not exist', [{ role_name: 'nope' }], 'role nope not found'],
    ['belongs to another organization', [{ role_name: 'billing_viewer' }], 'role billing_viewer not found'],
    ['belongs to another organization, given by id', [{ id: VIEWER.id }], `role ${VIEWER.id} not found`],
    ['has no name', [{ role_name: 'member' }, {}], 'role has neither a name nor an id'],
    ['has an empty name', [{ role_name: '' }], 'role has neither a name nor an id'],
  ])('refuses a role that %s and adds none', async (_, wanted, message) => {
    const { api } = await boot();

    const denied = await api.post(pathOf(NORDWIND, NINA)).send(wanted).expect(400);

    expect(denied.body).toEqual(invalid(message));
    expect((await api.get(pathOf(NORDWIND, NINA))).body).toEqual({ roles: [ADMIN] });
  });

  it('requires at least one role with a name of at most 100 characters', async () => {
    const { api } = await boot();
    const path = pathOf(NORDWIND, NINA);

    const none = await api.post(path).send([]).expect(400);
    const nothing = await api.post(path).expect(400);
    const long = await api
      .post(path)
      .send([{ role_name: 'x'.repeat(101) }])
      .expect(400);

    expect(none.body).toEqual(refusal(required('roles')));
    expect(nothing.body).toEqual(refusal(required('roles')));
    expect(long.body).toEqual(refusal(tooLong(100)('roles[0].role_name')));
  });
});

describe('UserService_RemoveUserRole', () => {
  it('removes one role, even the last', async () => {
    const { api } = await boot();
    await api
      .post(pathOf(ACME, NINA))
      .send([{ role_name: 'admin' }])
      .expect(200);

    const removed = await api.delete(`${pathOf(ACME, NINA)}/admin`).expect(200);
    expect(removed.body).toEqual({});
    expect((await api.get(pathOf(ACME, NINA))).body).toEqual({ roles: [MEMBER] });

    await api.delete(`${pathOf(ACME, NINA)}/member`).expect(200);
    expect((await api.get(pathOf(ACME, NINA))).body).toEqual({ roles: [] });
    expect((await api.get(pathOf(NORDWIND, NINA))).body).toEqual({ roles: [ADMIN] });
  });

  it.each(['nope', 'admin', 'member'])(
    'answers 404 for the role %s that the user does not have directly',
    async (name) => {
      const { api } = await boot();

      const missing = await api.delete(`${pathOf(ACME, RAVI)}/${name}`).expect(404);

      expect(missing.body).toEqual(notFound(`role ${name} of ${RAVI} not found`));
    },
  );
});

describe('UserService_ListUserPermissions', () => {
  it('lists the permissions of all roles of the user, each once', async () => {
    const { api } = await boot();
    await api
      .post(pathOf(ACME, RAVI))
      .send([{ role_name: 'billing_manager' }])
      .expect(200);

    const { body } = await api.get(pathOf(ACME, RAVI, 'permissions')).expect(200);

    expect(body.permissions[0]).toEqual({
      id: 'perm_10000000000000101',
      name: 'invoices:read',
      description: 'See invoices.',
      tags: [],
    });
    const names = ['invoices:read', 'invoices:write', 'sk_org_settings_read', 'sk_org_users_read'];
    expect(namesOf(body.permissions)).toEqual(names);
  });

  it('answers an empty list for a user without roles', async () => {
    const { api } = await boot();
    await api.delete(`${pathOf(ACME, NINA)}/member`).expect(200);

    const { body } = await api.get(pathOf(ACME, NINA, 'permissions')).expect(200);

    expect(body).toEqual({ permissions: [] });
  });
});

describe.each([
  ['get', 'roles'],
  ['post', 'roles'],
  ['delete', 'roles/member'],
  ['get', 'permissions'],
] as const)('%s of %s', (verb, what) => {
  const body = verb === 'post' ? [{ role_name: 'member' }] : undefined;

  it.each([
    ['the organization', pathOf('org_9', NINA, what), 'organization org_9 not found'],
    ['the user', pathOf(ACME, 'usr_9', what), 'user usr_9 not found'],
    ['the membership', pathOf(EMPTY_DESK, NINA, what), `membership of ${NINA} in ${EMPTY_DESK} not found`],
  ])('answers 404 when %s does not exist', async (_, path, message) => {
    const { api } = await boot();

    const missing = await api[verb](path).send(body).expect(404);

    expect(missing.body).toEqual(notFound(message));
  });

  it('requires an organization id and a user id with their prefixes', async () => {
    const { api } = await boot();

    const denied = await api[verb](pathOf('acme', 'nina', what))
      .send(body)
      .expect(400);

    expect(denied.body).toEqual(refusal(noPrefix('org_')('organization_id'), noPrefix('usr_')('user_id')));
  });
});
