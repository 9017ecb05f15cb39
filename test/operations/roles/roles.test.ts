import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { ADMIN, makeChain, makeRole, MEMBER, namesOf, ROLES } from '../../support/roles.ts';
import {
  failure,
  invalid,
  notFound,
  refusal,
  required,
  tooLong,
  tooShort,
} from '../../support/violations.ts';

const noName = (field: string) => ({
  field,
  description: 'value does not match regex pattern `^[a-zA-Z0-9_]{1,100}$`',
  constraint: 'string.pattern',
});

describe('RolesService_CreateRole', () => {
  it('creates an environment role that is not a default', async () => {
    const { api } = await boot();

    const created = await api
      .post(ROLES)
      .send({ name: 'editor', display_name: 'Editor', description: 'Edits.', extends: 'member' })
      .expect(201);

    const role = {
      id: expect.stringMatching(/^role_\d{17,}$/),
      name: 'editor',
      display_name: 'Editor',
      description: 'Edits.',
      default_creator: false,
      default_member: false,
      extends: 'member',
      dependent_roles_count: 0,
      is_org_role: false,
    };
    expect(created.body).toEqual({ role });
    expect((await api.get(`${ROLES}/editor`).expect(200)).body).toEqual(created.body);
  });

  it('stores an empty description and no base role by default', async () => {
    const { api } = await boot();

    const role = await makeRole(api, 'plain');

    expect(role.description).toBe('');
    expect(role).not.toHaveProperty('extends');
  });

  it('stores duplicate permissions once', async () => {
    const { api, control } = await boot();
    const { id } = await makeRole(api, 'reader', { permissions: ['invoices:read', 'invoices:read'] });

    const { body } = await control.get(`/state/roles/${id}`).expect(200);

    expect(body.permission_ids).toEqual(['perm_10000000000000101']);
  });

  it.each([
    ['an unknown base role', { extends: 'nope' }, 'base role nope not found'],
    ['a base role of an organization', { extends: 'billing_viewer' }, 'base role billing_viewer not found'],
    ['itself as base role', { extends: 'editor' }, 'base role editor not found'],
    ['an unknown permission', { permissions: ['nope'] }, 'permission nope not found'],
  ])('refuses %s and creates nothing', async (_, wanted, message) => {
    const { api } = await boot();

    const denied = await api
      .post(ROLES)
      .send({ name: 'editor', display_name: 'E', ...wanted })
      .expect(400);

    expect(denied.body).toEqual(invalid(message));
    await api.get(`${ROLES}/editor`).expect(404);
  });

  it('refuses a taken name, with 400 for programs of older SDKs', async () => {
    const { api, control } = await boot();
    const create = () => api.post(ROLES).send({ name: 'member', display_name: 'Again' });

    const refused = await create().expect(409);
    await control.post('/scenarios').send({ name: 'older-conflicts' }).expect(201);
    const older = await create().expect(400);
    await control.delete('/scenarios/older-conflicts').expect(204);

    expect(refused.body).toEqual(failure(6, 'ROLE_KEYNAME_CONFLICT', 'duplicate key not allowed'));
    expect(older.body).toEqual(invalid('duplicate key not allowed'));
    await create().expect(409);
  });

  it('accepts names of 1 to 100 characters and names of organization roles', async () => {
    const { api } = await boot();

    for (const name of ['x', 'x'.repeat(100), 'billing_viewer']) {
      expect((await makeRole(api, name)).name).toBe(name);
      await api.get(`${ROLES}/${name}/permissions`).expect(200);
    }
  });

  it.each([
    ['no name', { display_name: 'E' }, [required('role.name')]],
    ['no display name', { name: 'e' }, [required('role.display_name')]],
    ['an empty display name', { name: 'e', display_name: '' }, [required('role.display_name')]],
    ['a hyphen in the name', { name: 'e-1', display_name: 'E' }, [noName('role.name')]],
    [
      'a name of 101 characters',
      { name: 'e'.repeat(101), display_name: 'E' },
      [tooLong(100)('role.name'), noName('role.name')],
    ],
    [
      'a description of 2001 characters',
      { name: 'e', display_name: 'E', description: 'x'.repeat(2001) },
      [tooLong(2000)('role.description')],
    ],
    [
      '101 permissions',
      { name: 'e', display_name: 'E', permissions: Array.from({ length: 101 }, (_, i) => `p${i}`) },
      [
        {
          field: 'role.permissions',
          description: 'value must contain no more than 100 item(s)',
          constraint: 'repeated.max_items',
        },
      ],
    ],
  ])('refuses %s', async (_, wanted, violations) => {
    const { api } = await boot();

    const denied = await api.post(ROLES).send(wanted).expect(400);

    expect(denied.body).toEqual(refusal(...violations));
  });
});

describe('RolesService_GetRole', () => {
  it('returns a role without its permissions by default', async () => {
    const { api } = await boot();

    const plain = await api.get(`${ROLES}/admin`).expect(200);
    const empty = await api.get(`${ROLES}/admin?include=`).expect(200);

    expect(plain.body).toEqual({ role: ADMIN });
    expect(empty.body).toEqual({ role: ADMIN });
  });

  it('returns direct permissions, or all permissions with the role that grants them', async () => {
    const { api } = await boot({ now: '2030-01-01T00:00:00Z' });
    await makeChain(api);
    const of = (letter: string) => ({
      id: expect.stringMatching(/^perm_/),
      name: `docs:${letter}`,
      description: '',
      create_time: '2030-01-01T00:00:00.000Z',
      update_time: '2030-01-01T00:00:00.000Z',
      role_name: letter,
    });

    const direct = await api.get(`${ROLES}/c?include=permissions`).expect(200);
    const all = await api.get(`${ROLES}/c?include=permissions:all`).expect(200);

    expect(direct.body.role.permissions).toEqual([of('c')]);
    expect(all.body.role.permissions).toEqual([of('c'), of('b'), of('a')]);
  });

  it('names the nearest of several roles that grant a permission', async () => {
    const { api } = await boot();
    await makeRole(api, 'far', { permissions: ['invoices:read'] });
    await makeRole(api, 'near', { extends: 'far', permissions: ['invoices:read'] });
    await makeRole(api, 'own', { extends: 'near' });

    const { body } = await api.get(`${ROLES}/own?include=permissions:all`).expect(200);

    expect(body.role.permissions).toMatchObject([{ name: 'invoices:read', role_name: 'near' }]);
  });

  it('answers 404 for unknown roles and organization roles', async () => {
    const { api } = await boot();

    for (const name of ['nope', 'billing_viewer']) {
      const missing = await api.get(`${ROLES}/${name}`).expect(404);
      expect(missing.body).toEqual(notFound(`role ${name} not found`));
    }
  });

  it('refuses unknown include values', async () => {
    const { api } = await boot();

    const denied = await api.get(`${ROLES}/admin?include=users`).expect(400);

    const violation = {
      field: 'include',
      description: 'value must be in list [, permissions, permissions:all]',
      constraint: 'string.in',
    };
    expect(denied.body).toEqual(refusal(violation));
  });
});

describe('RolesService_ListRoles', () => {
  it('lists environment roles before organization roles, oldest first', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor');

    const { body } = await api.get(ROLES).expect(200);

    const names = ['admin', 'member', 'editor', 'billing_viewer', 'billing_manager'];
    expect(namesOf(body.roles)).toEqual(names);
    expect(body.roles.slice(0, 2)).toEqual([ADMIN, MEMBER]);
    expect(body.roles[3]).toMatchObject({ is_org_role: true, extends: 'member', default_member: false });
  });

  it('returns permissions when include asks for them', async () => {
    const { api } = await boot();

    const { body } = await api.get(`${ROLES}?include=permissions:all`).expect(200);

    const manager = body.roles.find((role: { name: string }) => role.name === 'billing_manager');
    expect(manager.permissions).toMatchObject([
      { name: 'invoices:write', role_name: 'billing_manager' },
      { name: 'invoices:read', role_name: 'billing_viewer' },
      { name: 'sk_org_settings_read', role_name: 'member' },
      { name: 'sk_org_users_read', role_name: 'member' },
    ]);
  });
});

describe('RolesService_UpdateRole', () => {
  it('changes only the given fields', async () => {
    const { api } = await boot();
    const more = { description: 'Edits.', extends: 'member', permissions: ['invoices:read'] };
    const role = await makeRole(api, 'editor', more);

    const updated = await api.put(`${ROLES}/editor`).send({ display_name: 'Chief' }).expect(200);

    expect(updated.body).toEqual({ role: { ...role, display_name: 'Chief' } });
    const read = await api.get(`${ROLES}/editor?include=permissions`).expect(200);
    expect(namesOf(read.body.role.permissions)).toEqual(['invoices:read']);
  });

  it.each([
    ['the given ones', ['invoices:write'], ['invoices:write']],
    ['an empty list', [], []],
  ])('replaces all permissions with %s', async (_, permissions, names) => {
    const { api } = await boot();
    await makeRole(api, 'editor', { permissions: ['invoices:read'] });

    await api.put(`${ROLES}/editor`).send({ permissions }).expect(200);

    const { body } = await api.get(`${ROLES}/editor?include=permissions`).expect(200);
    expect(namesOf(body.role.permissions)).toEqual(names);
  });

  it('changes the base role', async () => {
    const { api } = await boot();
    await makeRole(api, 'editor', { extends: 'member' });

    const updated = await api.put(`${ROLES}/editor`).send({ extends: 'admin' }).expect(200);

    expect(updated.body.role.extends).toBe('admin');
    expect((await api.get(`${ROLES}/admin`)).body.role.dependent_roles_count).toBe(1);
  });

  it.each(['a', 'b', 'c'])('refuses a cycle through %s', async (base) => {
    const { api } = await boot();
    await makeChain(api);

    const denied = await api.put(`${ROLES}/a`).send({ extends: base, display_name: 'A' }).expect(400);

    expect(denied.body).toEqual(invalid(`role a cannot extend ${base}: it would extend itself`));
    expect((await api.get(`${ROLES}/a`)).body.role).toMatchObject({ display_name: 'a' });
  });

  it.each([
    ['base', { extends: 'nope' }, 'base role nope not found'],
    ['permission', { permissions: ['invoices:read', 'nope'] }, 'permission nope not found'],
  ])('refuses an unknown %s', async (_, wanted, message) => {
    const { api } = await boot();

    const denied = await api.put(`${ROLES}/member`).send(wanted).expect(400);

    expect(denied.body).toEqual(invalid(message));
  });

  it('requires a body and a description that is not empty', async () => {
    const { api } = await boot();

    const empty = await api.put(`${ROLES}/member`).send({ description: '' }).expect(400);
    const nothing = await api.put(`${ROLES}/member`).expect(400);

    expect(empty.body).toEqual(refusal(tooShort(1)('role.description')));
    expect(nothing.body).toEqual(refusal(required('role')));
  });

  it('answers 404 for an organization role', async () => {
    const { api } = await boot();

    const missing = await api.put(`${ROLES}/billing_viewer`).send({}).expect(404);

    expect(missing.body).toEqual(notFound('role billing_viewer not found'));
  });
});
