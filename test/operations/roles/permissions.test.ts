import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { namesOf, refused } from '../../support/roles.ts';
import { failure, invalid, notFound, refusal, required, tooLong } from '../../support/violations.ts';

const PERMISSIONS = '/api/v1/permissions';
const READ = `${PERMISSIONS}/invoices:read`;

const noName = (field: string) => ({
  field,
  description: 'value does not match regex pattern `^[a-zA-Z0-9_:]+$`',
  constraint: 'string.pattern',
});
const noSize = {
  field: 'page_size',
  description: 'value must be greater than or equal to 1 and less than or equal to 100',
  constraint: 'uint32.gte_lte',
};

const list = async (api: Agent, query: string) => (await api.get(`${PERMISSIONS}?${query}`).expect(200)).body;

describe('RolesService_CreatePermission', () => {
  it('creates a permission', async () => {
    const { api } = await boot({ now: '2030-01-01T00:00:00Z' });

    const created = await api.post(PERMISSIONS).send({ name: 'docs:read', description: 'Read.' }).expect(201);

    const permission = {
      id: expect.stringMatching(/^perm_\d{17,}$/),
      name: 'docs:read',
      description: 'Read.',
      create_time: '2030-01-01T00:00:00.000Z',
      update_time: '2030-01-01T00:00:00.000Z',
      is_scalekit_permission: false,
    };
    expect(created.body).toEqual({ permission });
    expect((await api.get(`${PERMISSIONS}/docs:read`).expect(200)).body).toEqual(created.body);
  });

  it.each([{ name: 'a' }, { name: 'a', description: '' }])(
    'stores an empty description for %o',
    async (wanted) => {
      const { api } = await boot();

      const { body } = await api.post(PERMISSIONS).send(wanted).expect(201);

      expect(body.permission.description).toBe('');
    },
  );

  it.each(['invoices:read', 'sk_org_users_read'])('refuses the taken name %s', async (name) => {
    const { api, control } = await boot();

    const denied = await api.post(PERMISSIONS).send({ name }).expect(409);
    await control.post('/scenarios').send({ name: 'older-conflicts' }).expect(201);
    const older = await api.post(PERMISSIONS).send({ name }).expect(400);

    expect(denied.body).toEqual(failure(6, 'ALREADY_EXISTS', 'duplicate key not allowed'));
    expect(older.body).toEqual(invalid('duplicate key not allowed'));
  });

  it.each([
    ['no name', {}, [required('permission.name')]],
    ['an empty name', { name: '' }, [required('permission.name')]],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, [tooLong(64)('permission.name')]],
    ['a dot in the name', { name: 'docs.read' }, [noName('permission.name')]],
    [
      'a description of 2001 characters',
      { name: 'x', description: 'x'.repeat(2001) },
      [tooLong(2000)('permission.description')],
    ],
  ])('refuses %s', async (_, wanted, violations) => {
    const { api } = await boot();

    const denied = await api.post(PERMISSIONS).send(wanted).expect(400);

    expect(denied.body).toEqual(refusal(...violations));
  });
});

describe('RolesService_GetPermission', () => {
  it('returns a built-in permission', async () => {
    const { api } = await boot();

    const { body } = await api.get(`${PERMISSIONS}/sk_org_users_read`).expect(200);

    expect(body.permission).toMatchObject({ name: 'sk_org_users_read', is_scalekit_permission: true });
  });
});

describe('RolesService_ListPermissions', () => {
  it('lists permissions newest first, in pages', async () => {
    const { api } = await boot();
    await api.post(PERMISSIONS).send({ name: 'docs:read' }).expect(201);

    const first = await list(api, 'page_size=2');
    const second = await list(api, `page_size=2&page_token=${first.next_page_token}`);
    const back = await list(api, `page_size=2&page_token=${second.prev_page_token}`);

    expect(namesOf(first.permissions)).toEqual(['docs:read', 'invoices:write']);
    expect(namesOf(second.permissions)).toEqual(['invoices:read', 'sk_org_session_policy_manage']);
    expect(first).toMatchObject({ prev_page_token: '', total_size: 15 });
    expect(back).toEqual(first);
  });

  it('uses the default page size of the environment', async () => {
    const { api } = await boot();

    const first = await list(api, '');
    const last = await list(api, 'page_size=100');

    expect(first.permissions).toHaveLength(10);
    expect(last.permissions).toHaveLength(14);
    expect(last.next_page_token).toBe('');
  });

  it.each([
    ['ALL', 14],
    ['SCALEKIT', 12],
    ['ENVIRONMENT', 2],
  ])('filters by the type %s', async (type, count) => {
    const { api } = await boot();

    const page = await list(api, `type=${type}&page_size=100`);

    expect(page).toMatchObject({ total_size: count });
    expect(page.permissions).toHaveLength(count);
    const kinds = new Set(
      page.permissions.map((each: object) => 'is_scalekit_permission' in each && each.is_scalekit_permission),
    );
    expect([...kinds]).toEqual(type === 'ALL' ? [false, true] : [type === 'SCALEKIT']);
  });

  it.each([
    ['page_size=0', refusal(noSize)],
    ['page_size=101', refusal(noSize)],
    [
      'type=OTHER',
      refusal({
        field: 'type',
        description: 'value must be in list [ALL, SCALEKIT, ENVIRONMENT]',
        constraint: 'string.in',
      }),
    ],
    ['page_token=nonsense', invalid('invalid page_token')],
  ])('refuses %s', async (query, body) => {
    const { api } = await boot();

    const denied = await api.get(`${PERMISSIONS}?${query}`).expect(400);

    expect(denied.body).toEqual(body);
  });
});

describe('RolesService_UpdatePermission', () => {
  it('changes the description but not the name', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await api.post(PERMISSIONS).send({ name: 'docs:read' }).expect(201);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const updated = await api
      .put(`${PERMISSIONS}/docs:read`)
      .send({ name: 'other', description: 'Read.' })
      .expect(200);

    expect(updated.body.permission).toMatchObject({
      name: 'docs:read',
      description: 'Read.',
      create_time: '2030-01-01T00:00:00.000Z',
      update_time: '2030-01-01T01:00:00.000Z',
    });
    expect((await api.get(`${PERMISSIONS}/docs:read`)).body).toEqual(updated.body);
    await api.get(`${PERMISSIONS}/other`).expect(404);
  });

  it.each([
    [{ name: 'invoices:read' }, 'See invoices.'],
    [{ name: 'invoices:read', description: '' }, ''],
  ])('updates the description from %o', async (wanted, description) => {
    const { api } = await boot();

    const { body } = await api.put(READ).send(wanted).expect(200);

    expect(body.permission.description).toBe(description);
  });

  it('requires the name although it cannot change', async () => {
    const { api } = await boot();

    const denied = await api.put(READ).send({ description: 'x' }).expect(400);

    expect(denied.body).toEqual(refusal(required('permission.name')));
  });
});

describe('RolesService_DeletePermission', () => {
  it('removes the permission from roles and frees its name', async () => {
    const { api } = await boot();
    const role = { name: 'reader', display_name: 'R', permissions: ['invoices:read', 'invoices:write'] };
    await api.post('/api/v1/roles').send(role).expect(201);

    const deleted = await api.delete(READ).expect(200);

    expect(deleted.body).toEqual({});
    const { body } = await api.get('/api/v1/roles/reader?include=permissions').expect(200);
    expect(namesOf(body.role.permissions)).toEqual(['invoices:write']);
    await api.post(PERMISSIONS).send({ name: 'invoices:read' }).expect(201);
  });
});

describe('a built-in permission', () => {
  const builtIn = `${PERMISSIONS}/sk_org_users_read`;

  it('cannot be changed or deleted', async () => {
    const { api } = await boot();
    const before = (await api.get(builtIn)).body;

    const changed = await api.put(builtIn).send({ name: 'sk_org_users_read', description: 'x' }).expect(400);
    const deleted = await api.delete(builtIn).expect(400);

    const body = refused('permission sk_org_users_read is built in and cannot be changed');
    expect([changed.body, deleted.body]).toEqual([body, body]);
    expect((await api.get(builtIn)).body).toEqual(before);
  });
});

describe.each(['get', 'put', 'delete'] as const)('%s of a permission', (verb) => {
  it('answers 404 for an unknown permission and refuses an invalid name', async () => {
    const { api } = await boot();
    const body = verb === 'put' ? { name: 'x' } : undefined;

    const missing = await api[verb](`${PERMISSIONS}/nope`).send(body).expect(404);
    const malformed = await api[verb](`${PERMISSIONS}/no.name`).send(body).expect(400);

    expect(missing.body).toEqual(notFound('permission nope not found'));
    expect(malformed.body).toEqual(refusal(noName('permission_name')));
  });
});
