import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { makeChain, makeRole, namesOf, ROLES } from '../../support/roles.ts';
import { invalid, notFound, refusal } from '../../support/violations.ts';

const EDITOR = `${ROLES}/editor/permissions`;

const direct = async (api: Agent, role: string) =>
  namesOf((await api.get(`${ROLES}/${role}/permissions`).expect(200)).body.permissions);

const noName = (field: string, pattern: string) => ({
  field,
  description: `value does not match regex pattern \`${pattern}\``,
  constraint: 'string.pattern',
});

/** Creates the given number of permissions and returns their names. */
async function makePermissions(api: Agent, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `docs:${i}`);
  for (const name of names) await api.post('/api/v1/permissions').send({ name }).expect(201);
  return names;
}

describe('RolesService_ListRolePermissions', () => {
  it('lists the direct permissions of the role', async () => {
    const { api } = await boot();
    await makeChain(api);

    const { body } = await api.get(`${ROLES}/c/permissions`).expect(200);

    expect(body.permissions).toMatchObject([{ name: 'docs:c', is_scalekit_permission: false }]);
    expect(body.permissions).toEqual([(await api.get('/api/v1/permissions/docs:c')).body.permission]);
  });

  it('answers 404 for a role name with a hyphen, which other operations refuse', async () => {
    const { api } = await boot();

    const missing = await api.get(`${ROLES}/non-existent-role/permissions`).expect(404);

    expect(missing.body).toEqual(notFound('role non-existent-role not found'));
  });
});

describe('RolesService_ListEffectiveRolePermissions', () => {
  it('lists the permissions of the role and its base roles, each once', async () => {
    const { api } = await boot();
    await makeChain(api);
    await api
      .post(`${ROLES}/a/permissions`)
      .send({ permission_names: ['docs:c'] })
      .expect(200);

    const { body } = await api.get(`${ROLES}/c/permissions:all`).expect(200);

    expect(namesOf(body.permissions)).toEqual(['docs:c', 'docs:b', 'docs:a']);
    expect(body.permissions[0]).not.toHaveProperty('role_name');
  });
});

describe('RolesService_AddPermissionsToRole', () => {
  it('adds permissions once each and returns all', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor', { permissions: ['invoices:read'] });

    const added = await api
      .post(EDITOR)
      .send({ permission_names: ['invoices:write', 'invoices:read', 'invoices:write'] })
      .expect(200);

    expect(namesOf(added.body.permissions)).toEqual(['invoices:read', 'invoices:write']);
    expect(await direct(api, 'editor')).toEqual(['invoices:read', 'invoices:write']);
  });

  it('ignores unknown names', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor');

    const added = await api
      .post(EDITOR)
      .send({ permission_names: ['nope'] })
      .expect(200);

    expect(added.body).toEqual({ permissions: [] });
  });

  it('refuses more than 100 permissions and then adds none', async () => {
    const { api } = await boot();
    const names = await makePermissions(api, 100);
    await makeRole(api, 'editor', { permissions: names });

    const denied = await api
      .post(EDITOR)
      .send({ permission_names: ['invoices:read'] })
      .expect(400);
    await api.post(EDITOR).send({ permission_names: names }).expect(200);

    expect(denied.body).toEqual(invalid('role editor cannot have more than 100 permissions'));
    expect(await direct(api, 'editor')).toHaveLength(100);
  });

  it.each([
    ['no names', [], ['permission_names', 'value is required', 'required']],
    [
      '101 names',
      Array.from({ length: 101 }, (_, i) => `p${i}`),
      ['permission_names', 'value must contain no more than 100 item(s)', 'repeated.max_items'],
    ],
  ] as const)('refuses %s', async (_, permission_names, [field, description, constraint]) => {
    const { api } = await boot();

    const denied = await api.post(`${ROLES}/member/permissions`).send({ permission_names }).expect(400);

    expect(denied.body).toEqual(refusal({ field, description, constraint }));
  });

  it('refuses an invalid name and adds nothing', async () => {
    const { api } = await boot();
    const permission_names = ['invoices:read', 'non.existent.permission'];

    const denied = await api.post(`${ROLES}/member/permissions`).send({ permission_names }).expect(400);

    expect(denied.body).toEqual(refusal(noName('permission_names[1]', '^[a-zA-Z0-9_:]+$')));
    expect(await direct(api, 'member')).toEqual(['sk_org_settings_read', 'sk_org_users_read']);
  });
});

describe('RolesService_RemovePermissionFromRole', () => {
  it('removes a permission from the role', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor', { permissions: ['invoices:read', 'invoices:write'] });

    const removed = await api.delete(`${EDITOR}/invoices:read`).expect(200);

    expect(removed.body).toEqual({});
    expect(await direct(api, 'editor')).toEqual(['invoices:write']);
    await api.get('/api/v1/permissions/invoices:read').expect(200);
  });

  it.each([
    ['does not exist', 'nope', 'permission nope not found'],
    ['the role does not have', 'invoices:write', 'permission invoices:write of role editor not found'],
    ['the role inherits', 'sk_org_users_read', 'permission sk_org_users_read of role editor not found'],
  ])('answers 404 for a permission that %s', async (_, name, message) => {
    const { api } = await boot();
    await makeRole(api, 'editor', { extends: 'member', permissions: ['invoices:read'] });

    const missing = await api.delete(`${EDITOR}/${name}`).expect(404);

    expect(missing.body).toEqual(notFound(message));
  });
});

describe.each([
  ['get', 'permissions'],
  ['get', 'permissions:all'],
  ['post', 'permissions'],
  ['delete', 'permissions/invoices:read'],
] as const)('%s of %s', (verb, path) => {
  it.each(['nope', 'billing_viewer'])('answers 404 for the role %s', async (name) => {
    const { api } = await boot();
    const body = verb === 'post' ? { permission_names: ['invoices:read'] } : undefined;

    const missing = await api[verb](`${ROLES}/${name}/${path}`).send(body).expect(404);

    expect(missing.body).toEqual(notFound(`role ${name} not found`));
  });
});
