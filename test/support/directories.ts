import type { Agent } from './boot.ts';

export const ACME = '/api/v1/organizations/org_10000000000000001/directories';
export const NORDWIND = '/api/v1/organizations/org_10000000000000002/directories';
export const EMPTY_DESK = '/api/v1/organizations/org_10000000000000003/directories';
/** Acme's first directory, with three users and two groups. */
export const OKTA = `${ACME}/dir_10000000000000601`;
export const DISABLED = `${ACME}/dir_10000000000000602`;
export const ENGINEERING = 'dirgroup_10000000000000611';
export const FINANCE = 'dirgroup_10000000000000612';

export async function makeDirectory(api: Agent, organization = EMPTY_DESK, wanted: object = {}) {
  const body = { directory_type: 'SCIM', ...wanted };
  return (await api.post(organization).send(body).expect(200)).body.directory;
}

/** Inserts a directory user, as a SCIM push of the provider would. */
export async function putUser(control: Agent, number: number, row: object = {}) {
  const id = `diruser_2000000000000${String(number).padStart(4, '0')}`;
  const filled = {
    directory_id: 'dir_10000000000000601',
    email: `user${number}@acme.example`,
    emails: [],
    group_ids: [],
    updated_at: '2026-03-01T09:00:00.000Z',
    ...row,
  };
  await control.put(`/state/directory_users/${id}`).send(filled).expect(200);
  return id;
}

export async function putGroup(control: Agent, number: number, row: object = {}) {
  const id = `dirgroup_2000000000000${String(number).padStart(4, '0')}`;
  const filled = {
    directory_id: 'dir_10000000000000601',
    display_name: `Group ${number}`,
    role_ids: [],
    updated_at: '2026-03-01T09:00:00.000Z',
    ...row,
  };
  await control.put(`/state/directory_groups/${id}`).send(filled).expect(200);
  return id;
}
