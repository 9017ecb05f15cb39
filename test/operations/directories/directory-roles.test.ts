import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { ENGINEERING, FINANCE, NORDWIND, OKTA, putUser } from '../../support/directories.ts';
import { invalid, refusal, required, tooLong, tooShort } from '../../support/violations.ts';
import { ACME } from '../../support/fixture-ids.ts';

const PATH = `${OKTA}/groups/-/roles:assign`;
const [ADA, RAVI, TOM] = ['101', '102', '104'].map((end) => `usr_10000000000000${end}`);
const ROLES = {
  admin: 'role_10000000000000001',
  member: 'role_10000000000000002',
  billing_viewer: 'role_10000000000000101',
};

const gives = (group_id: string, role_name: keyof typeof ROLES) => ({ group_id, role_name });
const shown = (group_id: string, role_name: keyof typeof ROLES) => ({
  group_id,
  role_name,
  role_id: ROLES[role_name],
});

async function assign(api: Agent, ...assignments: object[]) {
  return (await api.put(PATH).send({ assignments }).expect(200)).body.role_assignments.assignments;
}

/** The names of the user's roles in Acme. */
async function rolesOf(api: Agent, user: string | undefined): Promise<string[]> {
  const { body } = await api.get(`/api/v1/users/${user}`).expect(200);
  const memberships = body.user.memberships as { organization_id: string; roles: { name: string }[] }[];
  const acme = memberships.find(({ organization_id }) => organization_id === ACME);
  return acme!.roles.map(({ name }) => name);
}

describe('DirectoryService_AssignRoles', () => {
  it('replaces the previous assignments', async () => {
    const { api } = await boot();

    const assigned = await assign(api, gives(FINANCE, 'member'), gives(ENGINEERING, 'admin'));

    expect(assigned).toEqual([shown(ENGINEERING, 'admin'), shown(FINANCE, 'member')]);
    const { body } = await api.get(OKTA).expect(200);
    expect(body.directory.role_assignments).toEqual({ assignments: assigned });
  });

  it('accepts several roles for one group and removes duplicates', async () => {
    const { api } = await boot();

    const both = [gives(FINANCE, 'admin'), gives(FINANCE, 'member'), gives(FINANCE, 'admin')];

    expect(await assign(api, ...both)).toEqual([shown(FINANCE, 'admin'), shown(FINANCE, 'member')]);
  });

  it('removes all assignments for an empty body and changes nothing without a body', async () => {
    const { api } = await boot();

    const unchanged = await api.put(PATH).expect(200);
    const none = await api.put(PATH).send({}).expect(200);

    expect(unchanged.body).toEqual({
      role_assignments: { assignments: [shown(FINANCE, 'billing_viewer')] },
    });
    expect(none.body).toEqual({ role_assignments: { assignments: [] } });
    const { body } = await api.get(OKTA).expect(200);
    expect(body.directory).not.toHaveProperty('role_assignments');
  });

  it('adds the roles of a group to the roles that its members already have', async () => {
    const { api } = await boot();

    await assign(api, gives(FINANCE, 'billing_viewer'), gives(ENGINEERING, 'member'));

    expect(await rolesOf(api, ADA)).toEqual(['admin', 'member']);
    expect(await rolesOf(api, RAVI)).toEqual(['billing_viewer', 'member']);
  });

  it('removes roles that a group no longer has and falls back to the default role', async () => {
    const { api } = await boot();

    await assign(api);

    expect(await rolesOf(api, RAVI)).toEqual(['member']);
    expect(await rolesOf(api, ADA)).toEqual(['admin']);
  });

  it('keeps a role that another group of the member still has', async () => {
    const { api } = await boot();

    await assign(api, gives(ENGINEERING, 'billing_viewer'));

    expect(await rolesOf(api, RAVI)).toEqual(['billing_viewer']);
  });

  it('matches members by email address in any letter case', async () => {
    const { api, control } = await boot();
    await putUser(control, 1, { email: 'TOM@acme.example', group_ids: [ENGINEERING] });
    await putUser(control, 2, { email: 'lena@nordwind.example', group_ids: [ENGINEERING] });
    await putUser(control, 3, { email: 'nobody@acme.example', group_ids: [ENGINEERING] });
    const before = await api.get('/api/v1/users/usr_10000000000000105').expect(200);

    await assign(api, gives(ENGINEERING, 'billing_viewer'));

    expect(await rolesOf(api, TOM)).toEqual(['member', 'billing_viewer']);
    const after = await api.get('/api/v1/users/usr_10000000000000105').expect(200);
    expect(after.body).toEqual(before.body);
  });

  it('leaves out a deleted role', async () => {
    const { api, control } = await boot();

    await control.delete(`/state/roles/${ROLES.billing_viewer}`).expect(204);

    const { body } = await api.get(OKTA).expect(200);
    expect(body.directory).not.toHaveProperty('role_assignments');
  });

  it('accepts role_id only when it matches role_name', async () => {
    const { api } = await boot();
    const right = { ...gives(FINANCE, 'admin'), role_id: ROLES.admin };
    const wrong = { ...gives(FINANCE, 'admin'), role_id: ROLES.member };

    expect(await assign(api, right)).toEqual([shown(FINANCE, 'admin')]);
    const refused = await api
      .put(PATH)
      .send({ assignments: [wrong] })
      .expect(400);
    expect(refused.body).toEqual(invalid(`role ${ROLES.member} is not admin`));
  });

  it.each([
    ['role', gives(FINANCE, 'owner' as 'admin'), 'role owner not found'],
    ['group', gives('dirgroup_9', 'admin'), 'directory group dirgroup_9 not found'],
    [
      'group of this directory',
      gives('dirgroup_10000000000000613', 'admin'),
      'directory group dirgroup_10000000000000613 not found',
    ],
  ])('refuses an unknown %s and assigns nothing', async (_, wrong, message) => {
    const { api } = await boot();

    const refused = await api
      .put(PATH)
      .send({ assignments: [gives(FINANCE, 'admin'), wrong] })
      .expect(400);

    expect(refused.body).toEqual(invalid(message));
    const { body } = await api.get(OKTA).expect(200);
    expect(body.directory.role_assignments).toEqual({ assignments: [shown(FINANCE, 'billing_viewer')] });
  });

  it('refuses a role of another organization', async () => {
    const { api } = await boot();
    const { body } = await api.get(`${NORDWIND}/dir_10000000000000603/groups?include_external_groups=true`);
    const wrong = gives(body.groups[0].id, 'billing_viewer');

    const refused = await api
      .put(`${NORDWIND}/dir_10000000000000603/groups/-/roles:assign`)
      .send({ assignments: [wrong] })
      .expect(400);

    expect(refused.body).toEqual(invalid('role billing_viewer not found'));
  });

  it.each([
    ['no role name', { group_id: FINANCE }, required('role_assignments.assignments[0].role_name')],
    ['an empty group id', gives('', 'admin'), tooShort(1)('role_assignments.assignments[0].group_id')],
    [
      'a group id of 33 characters',
      gives('g'.repeat(33), 'admin'),
      tooLong(32)('role_assignments.assignments[0].group_id'),
    ],
    [
      'a role id of 33 characters',
      { ...gives(FINANCE, 'admin'), role_id: 'r'.repeat(33) },
      tooLong(32)('role_assignments.assignments[0].role_id'),
    ],
  ])('refuses %s and names the field', async (_, wrong, violation) => {
    const { api } = await boot();

    const refused = await api
      .put(PATH)
      .send({ assignments: [wrong] })
      .expect(400);

    expect(refused.body).toEqual(refusal(violation));
  });
});
