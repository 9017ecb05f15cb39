import { failure } from './violations.ts';
import type { Agent } from './boot.ts';

export const ROLES = '/api/v1/roles';
export const organizationRoles = (organization: string) => `/api/v1/organizations/${organization}/roles`;

/** The roles of the environment, as a read without options shows them. */
export const ADMIN = {
  id: 'role_10000000000000001',
  name: 'admin',
  display_name: 'Admin',
  description: 'Runs the organization.',
  default_creator: true,
  default_member: false,
  dependent_roles_count: 0,
  is_org_role: false,
};
export const MEMBER = {
  id: 'role_10000000000000002',
  name: 'member',
  display_name: 'Member',
  description: 'Belongs to the organization.',
  default_creator: false,
  default_member: true,
  dependent_roles_count: 1,
  is_org_role: false,
};

export const refused = (message: string) => failure(9, 'FAILED_PRECONDITION', message);

/** Creates a role; in the environment unless `path` says otherwise. */
export async function makeRole(api: Agent, name: string, more: object = {}, path = ROLES) {
  const { body } = await api
    .post(path)
    .send({ name, display_name: name, ...more })
    .expect(201);
  return body.role;
}

/** Creates the roles A, B and C, where C extends B and B extends A, each with one permission of its own. */
export async function makeChain(api: Agent, path = ROLES) {
  for (const letter of ['a', 'b', 'c']) {
    await api
      .post('/api/v1/permissions')
      .send({ name: `docs:${letter}` })
      .expect(201);
  }
  const a = await makeRole(api, 'a', { permissions: ['docs:a'] }, path);
  const b = await makeRole(api, 'b', { extends: 'a', permissions: ['docs:b'] }, path);
  const c = await makeRole(api, 'c', { extends: 'b', permissions: ['docs:c'] }, path);
  return { a, b, c };
}

export const namesOf = (things: { name: string }[]) => things.map(({ name }) => name);
