import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { makeChain, makeRole, namesOf, refused, ROLES } from '../../support/roles.ts';
import { invalid, notFound } from '../../support/violations.ts';
import { NINA, NORDWIND } from '../../support/fixture-ids.ts';

describe('RolesService_DeleteRole', () => {
  const userRoles = `/api/v1/organizations/${NORDWIND}/users/${NINA}/roles`;

  it('deletes a role without users and frees its name', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor');

    const deleted = await api.delete(`${ROLES}/editor`).expect(200);

    expect(deleted.body).toEqual({});
    await api.get(`${ROLES}/editor`).expect(404);
    await makeRole(api, 'editor');
  });

  it('refuses a role while it is assigned to users', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor');
    await api
      .post(userRoles)
      .send([{ role_name: 'editor' }])
      .expect(200);

    const denied = await api.delete(`${ROLES}/editor`).expect(400);

    expect(denied.body).toEqual(refused('role cannot be deleted as it is assigned to users'));
    await api.delete(`${userRoles}/editor`).expect(200);
    await api.delete(`${ROLES}/editor`).expect(200);
  });

  it.each(['reassign_role_name=member', 'reassign_role_id=role_10000000000000002'])(
    'reassigns its users by %s, each once',
    async (heir) => {
      const { api } = await boot();
      await makeRole(api, 'editor');
      const wanted = [{ role_name: 'editor' }, { role_name: 'member' }];
      await api.post(userRoles).send(wanted).expect(200);

      await api.delete(`${ROLES}/editor?${heir}`).expect(200);

      const { body } = await api.get(userRoles).expect(200);
      expect(namesOf(body.roles)).toEqual(['admin', 'member']);
    },
  );

  it('refuses a role with dependent roles unless a replacement is given', async () => {
    const { api } = await boot();
    await makeChain(api);

    const denied = await api.delete(`${ROLES}/b`).expect(400);
    await api.delete(`${ROLES}/b?reassign_role_name=admin`).expect(200);

    expect(denied.body).toEqual(refused('role cannot be deleted as other roles extend it'));
    expect((await api.get(`${ROLES}/c`)).body.role.extends).toBe('admin');
  });

  it('does not create a cycle of base roles', async () => {
    const { api } = await boot();
    await makeChain(api);
    await makeRole(api, 'side', { extends: 'b' });

    await api.delete(`${ROLES}/b?reassign_role_name=c`).expect(200);

    expect((await api.get(`${ROLES}/c`)).body.role.extends).toBe('a');
    expect((await api.get(`${ROLES}/side`)).body.role.extends).toBe('c');
  });

  it.each(['admin', 'member'])('refuses to delete the default role %s', async (name) => {
    const { api } = await boot();
    await makeRole(api, 'editor');

    const denied = await api.delete(`${ROLES}/${name}?reassign_role_name=editor`).expect(400);

    const message = 'role cannot be deleted as it is a default role of the environment';
    expect(denied.body).toEqual(refused(message));
  });

  it.each([
    ['that does not exist', 'nope', invalid('role nope not found')],
    ['of an organization', 'billing_viewer', invalid('role billing_viewer not found')],
    ['that is the deleted role itself', 'editor', refused('role cannot be replaced by itself')],
  ])('refuses a replacement role %s', async (_, heir, body) => {
    const { api } = await boot();
    await makeRole(api, 'editor');

    const denied = await api.delete(`${ROLES}/editor?reassign_role_name=${heir}`).expect(400);

    expect(denied.body).toEqual(body);
    await api.get(`${ROLES}/editor`).expect(200);
  });

  it('answers 404 for an unknown role', async () => {
    const { api } = await boot();

    const missing = await api.delete(`${ROLES}/nope`).expect(404);

    expect(missing.body).toEqual(notFound('role nope not found'));
  });
});
