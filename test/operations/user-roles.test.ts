import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { ACME, EMPTY_DESK, makeRole, namesOf, NORDWIND, organizationRoles } from '../support/roles.ts';
import { invalid, noPrefix, notFound, refusal, required, tooLong } from '../support/violations.ts';

const RAVI = 'usr_10000000000000102';
const NINA = 'usr_10000000000000103';
const pathOf = (organization: string, user: string, what = 'roles') =>
  `/api/v1/organizations/${organization}/users/${user}/${what}`;

const ADMIN = { id: 'role_10000000000000001', name: 'admin', display_name: 'Admin' };
const MEMBER = { id: 'role_10000000000000002', name: 'member', display_name: 'Member' };
const VIEWER = { id: 'role_10000000000000101', name: 'billing_viewer', display_name: 'Billing viewer' };

describe('UserService_ListUserRoles', () => {
  it('tells the roles of the user there, then what they extend', async () => {
    const { api } = await boot();

    const { body } = await api.get(pathOf(ACME, RAVI)).expect(200);

    expect(body).toEqual({ roles: [VIEWER, MEMBER] });
  });

  it('tells one organization from another', async () => {
    const { api } = await boot();

    expect((await api.get(pathOf(ACME, NINA))).body).toEqual({ roles: [MEMBER] });
    expect((await api.get(pathOf(NORDWIND, NINA))).body).toEqual({ roles: [ADMIN] });
  });
});

describe('UserService_AssignUserRoles', () => {
  it('adds to the roles there are, however often it is done', async () => {
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

  it("gives the organization's own role before the environment's of that name", async () => {
    const { api } = await boot();
    const own = await makeRole(api, 'admin', {}, organizationRoles(ACME));

    const { body } = await api
      .post(pathOf(ACME, NINA))
      .send([{ role_name: 'admin' }])
      .expect(200);

    expect(body.roles[1].id).toBe(own.id);
  });

  it.each([
    ['nobody has', [{ role_name: 'nope' }], 'role nope not found'],
    ['another organization has', [{ role_name: 'billing_viewer' }], 'role billing_viewer not found'],
    ['has another id', [{ id: VIEWER.id }], `role ${VIEWER.id} not found`],
    ['has no name', [{ role_name: 'member' }, {}], 'role has neither a name nor an id'],
    ['has an empty name', [{ role_name: '' }], 'role has neither a name nor an id'],
  ])('refuses a role that %s, and adds none', async (_, wanted, message) => {
    const { api } = await boot();

    const denied = await api.post(pathOf(NORDWIND, NINA)).send(wanted).expect(400);

    expect(denied.body).toEqual(invalid(message));
    expect((await api.get(pathOf(NORDWIND, NINA))).body).toEqual({ roles: [ADMIN] });
  });

  it('wants at least one role, with a name of at most 100 characters', async () => {
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
  it('takes one role away, even the last', async () => {
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

  it.each(['nope', 'admin', 'member'])('does not find %s among the roles of the user', async (name) => {
    const { api } = await boot();

    const missing = await api.delete(`${pathOf(ACME, RAVI)}/${name}`).expect(404);

    expect(missing.body).toEqual(notFound(`role ${name} of ${RAVI} not found`));
  });
});

describe('UserService_ListUserPermissions', () => {
  it('tells what all roles of the user give there, each once', async () => {
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

  it('tells none where the user has no role', async () => {
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
  ])('does not find %s that is not there', async (_, path, message) => {
    const { api } = await boot();

    const missing = await api[verb](path).send(body).expect(404);

    expect(missing.body).toEqual(notFound(message));
  });

  it('wants ids of an organization and of a user', async () => {
    const { api } = await boot();

    const denied = await api[verb](pathOf('acme', 'nina', what))
      .send(body)
      .expect(400);

    expect(denied.body).toEqual(refusal(noPrefix('org_')('organization_id'), noPrefix('usr_')('user_id')));
  });
});
