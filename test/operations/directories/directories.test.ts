import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import {
  ACME,
  DISABLED,
  EMPTY_DESK,
  FINANCE,
  makeDirectory,
  NORDWIND,
  OKTA,
} from '../../support/directories.ts';
import { failure, noPrefix, notFound, refusal, required, tooLong } from '../../support/violations.ts';

const NEVER = '0001-01-01T00:00:00Z';
const NO_SUCH_DIRECTORY = notFound('directory not found');
const undefinedEnum = (field: string) => ({
  field,
  description: 'value must be one of the defined enum values',
  constraint: 'enum.defined_only',
});

const read = async (api: Agent, path: string) => (await api.get(path).expect(200)).body.directory;

describe('DirectoryService_CreateDirectory', () => {
  it('creates an enabled directory without users and groups', async () => {
    const { api } = await boot({ baseUrl: 'https://idp.example' });

    const directory = await makeDirectory(api, EMPTY_DESK, { directory_provider: 'OKTA' });

    expect(directory).toEqual({
      id: expect.stringMatching(/^dir_\d{17,}$/),
      name: '',
      directory_type: 'SCIM',
      organization_id: 'org_10000000000000003',
      enabled: true,
      directory_provider: 'OKTA',
      directory_endpoint: `https://idp.example/directory/${directory.id}/scim/v2`,
      total_users: 0,
      total_groups: 0,
      secrets: [],
      stats: { total_users: 0, total_groups: 0 },
      status: 'IN_PROGRESS',
      email: '',
      groups_tracked: '',
    });
    expect(await read(api, `${EMPTY_DESK}/${directory.id}`)).toEqual(directory);
  });

  it.each([{}, { directory_provider: 'DIRECTORY_PROVIDER_UNSPECIFIED' }])(
    'accepts a directory without a provider: %j',
    async (wanted) => {
      const { api } = await boot();

      const directory = await makeDirectory(api, EMPTY_DESK, wanted);

      expect(directory.directory_provider).toBe('DIRECTORY_PROVIDER_UNSPECIFIED');
    },
  );

  it.each([
    ['no type', {}, required('directory.directory_type')],
    [
      'an unspecified type',
      { directory_type: 'DIRECTORY_TYPE_UNSPECIFIED' },
      undefinedEnum('directory.directory_type'),
    ],
    [
      'an unknown provider',
      { directory_type: 'SCIM', directory_provider: 'ACME' },
      undefinedEnum('directory.directory_provider'),
    ],
  ])('refuses %s and names the field', async (_, wrong, violation) => {
    const { api } = await boot();

    const refused = await api.post(EMPTY_DESK).send(wrong).expect(400);

    expect(refused.body).toEqual(refusal(violation));
  });

  it('requires a body', async () => {
    const { api } = await boot();

    const refused = await api.post(EMPTY_DESK).expect(400);

    expect(refused.body).toEqual(refusal(required('directory')));
  });
});

describe('DirectoryService_GetDirectory', () => {
  it('returns all attributes of the directory and only the suffixes of its secrets', async () => {
    const { api } = await boot({ now: '2026-02-10T09:00:00Z' });

    const directory = await read(api, OKTA);

    expect(directory).toMatchObject({
      name: 'Okta directory',
      status: 'COMPLETED',
      total_users: 3,
      total_groups: 2,
      stats: {
        total_users: 3,
        total_groups: 2,
        group_updated_at: '2026-01-20T09:00:00.000Z',
        user_updated_at: '2026-01-28T17:00:00.000Z',
      },
      role_assignments: {
        assignments: [{ group_id: FINANCE, role_name: 'billing_viewer', role_id: 'role_10000000000000101' }],
      },
      attribute_mappings: { attributes: [{ key: 'department', map_to: 'team' }] },
    });
    expect(directory.secrets).toEqual([
      {
        id: 'sec_10000000000000601',
        create_time: '2026-01-14T09:00:00.000Z',
        secret_suffix: '9f3k',
        status: 'INACTIVE',
        expire_time: '2026-02-11T09:00:00.000Z',
        last_used_time: '2026-02-10T22:10:00.000Z',
        directory_id: 'dir_10000000000000601',
      },
      expect.objectContaining({ id: 'sec_10000000000000602', status: 'ACTIVE', expire_time: NEVER }),
    ]);
  });

  it('does not count untracked groups', async () => {
    const { api } = await boot();

    const google = await read(api, `${NORDWIND}/dir_10000000000000603`);

    expect(google).toMatchObject({ total_groups: 0, email: 'nina@nordwind.example', status: 'IN_PROGRESS' });
  });
});

describe('DirectoryService_ListDirectories', () => {
  it('lists directories oldest first', async () => {
    const { api } = await boot({ baseUrl: 'https://idp.example' });
    const newest = await makeDirectory(api, ACME);

    const { body } = await api.get(ACME).expect(200);

    expect(body.directories.map(({ id }: { id: string }) => id)).toEqual([
      'dir_10000000000000601',
      'dir_10000000000000602',
      newest.id,
    ]);
    expect(body.directories[0]).toEqual(await read(api, OKTA));
  });

  it('answers an empty list for an organization without directories', async () => {
    const { api } = await boot();

    const { body } = await api.get(EMPTY_DESK).expect(200);

    expect(body).toEqual({ directories: [] });
  });
});

describe.each([
  ['EnableDirectory', 'enable', true, DISABLED],
  ['DisableDirectory', 'disable', false, OKTA],
] as const)('DirectoryService_%s', (_, verb, enabled, path) => {
  it('changes enabled once and answers an error_message when called again', async () => {
    const { api } = await boot({ baseUrl: 'https://idp.example' });
    const before = await read(api, path);

    const switched = await api.patch(`${path}:${verb}`).expect(200);
    const again = await api.patch(`${path}:${verb}`).expect(200);

    expect(switched.body).toEqual({ enabled });
    expect(again.body).toEqual({ enabled, error_message: `directory is already ${verb}d` });
    expect(await read(api, path)).toEqual({ ...before, enabled });
  });
});

describe('DirectoryService_DeleteDirectory', () => {
  it('refuses an enabled directory', async () => {
    const { api } = await boot();

    const refused = await api.delete(OKTA).expect(400);

    const message = 'directory is enabled; disable it before deleting it';
    expect(refused.body).toEqual(failure(9, 'FAILED_PRECONDITION', message));
    expect(await read(api, OKTA)).toMatchObject({ enabled: true });
  });

  it('deletes a disabled directory with its users and groups', async () => {
    const { api, control } = await boot();
    await api.patch(`${OKTA}:disable`).expect(200);

    const deleted = await api.delete(OKTA).expect(200);

    expect(deleted.body).toEqual({});
    const missing = await api.get(OKTA).expect(404);
    expect(missing.body).toEqual(NO_SUCH_DIRECTORY);
    const users = await control.get('/state/directory_users').expect(200);
    const groups = await control.get('/state/directory_groups').expect(200);
    expect(users.body.rows).toEqual([]);
    expect(groups.body.rows).toMatchObject([{ directory_id: 'dir_10000000000000603' }]);
  });

  it('is not required when the organization is deleted: its directories are deleted, too', async () => {
    const { api, control } = await boot();

    await api.delete('/api/v1/organizations/org_10000000000000001').expect(200);

    const { body } = await control.get('/state/directories').expect(200);
    expect(body.rows).toMatchObject([{ id: 'dir_10000000000000603' }]);
  });
});

describe('DirectoryService_CreateDirectorySecret', () => {
  it('returns the secret once, and afterwards only its last four characters', async () => {
    const { api } = await boot({ now: '2030-01-01T00:00:00Z' });

    const { body } = await api.post(`${DISABLED}/secrets`).expect(200);

    const { plain_secret, secret } = body;
    expect(plain_secret).toMatch(/^test_[a-zA-Z0-9]{40}$/);
    expect(secret).toEqual({
      id: expect.stringMatching(/^sec_\d{17,}$/),
      create_time: '2030-01-01T00:00:00.000Z',
      secret_suffix: plain_secret.slice(-4),
      status: 'ACTIVE',
      expire_time: NEVER,
      last_used_time: NEVER,
      directory_id: 'dir_10000000000000602',
    });
    const directory = await api.get(DISABLED).expect(200);
    const listed = await api.get(ACME).expect(200);
    expect(directory.body.directory.secrets).toEqual([secret]);
    expect(directory.text + listed.text).not.toContain(plain_secret);
  });

  it('adds a different secret with each call', async () => {
    const { api } = await boot();

    const one = await api.post(`${OKTA}/secrets`).expect(200);
    const two = await api.post(`${OKTA}/secrets`).expect(200);

    expect(one.body.plain_secret).not.toBe(two.body.plain_secret);
    const { secrets } = await read(api, OKTA);
    expect(secrets).toHaveLength(4);
    expect(secrets.slice(2)).toEqual([one.body.secret, two.body.secret]);
  });

  it('puts the name of the environment into the secret', async () => {
    const booted = await boot();
    const { api } = await booted.environment('blue');

    const { body } = await api.post(`${OKTA}/secrets`).expect(200);

    expect(body.plain_secret).toMatch(/^test_blue_/);
  });

  it('creates secrets that are ACTIVE until they expire', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    const secret = (end: number, expire_time?: string) => ({
      id: `sec_2000000000000000${end}`,
      secret_suffix: 'abcd',
      status: 'ACTIVE',
      create_time: '2030-01-01T00:00:00.000Z',
      ...(expire_time && { expire_time }),
    });
    const secrets = [secret(1, '2030-01-01T02:00:00.000Z'), secret(2, '2030-01-01T01:00:00.000Z'), secret(3)];
    await control.patch('/state/directories/dir_10000000000000602').send({ secrets }).expect(200);
    const statuses = async () =>
      (await read(api, DISABLED)).secrets.map(({ status }: { status: string }) => status);

    expect(await statuses()).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);
    expect(await statuses()).toEqual(['ACTIVE', 'INACTIVE', 'ACTIVE']);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);
    expect(await statuses()).toEqual(['INACTIVE', 'INACTIVE', 'ACTIVE']);
  });
});

/** The operations on one directory; `true` means that they check the prefixes of ids. */
const CALLS = [
  ['GetDirectory', (api: Agent, at: string) => api.get(at), false],
  ['DeleteDirectory', (api: Agent, at: string) => api.delete(at), true],
  ['EnableDirectory', (api: Agent, at: string) => api.patch(`${at}:enable`), true],
  ['DisableDirectory', (api: Agent, at: string) => api.patch(`${at}:disable`), true],
  ['ListDirectoryUsers', (api: Agent, at: string) => api.get(`${at}/users`), true],
  ['ListDirectoryGroups', (api: Agent, at: string) => api.get(`${at}/groups`), true],
  ['CreateDirectorySecret', (api: Agent, at: string) => api.post(`${at}/secrets`), true],
  ['AssignRoles', (api: Agent, at: string) => api.put(`${at}/groups/-/roles:assign`).send({}), false],
] as const;

describe.each(CALLS)('DirectoryService_%s', (_, call, isStrict) => {
  it.each([
    ['does not exist', `${ACME}/dir_9`, NO_SUCH_DIRECTORY],
    ['belongs to another organization', `${NORDWIND}/dir_10000000000000601`, NO_SUCH_DIRECTORY],
    [
      'is requested under an unknown organization',
      '/api/v1/organizations/org_9/directories/dir_10000000000000601',
      notFound('organization org_9 not found'),
    ],
  ])('answers 404 for a directory that %s', async (__, path, failed) => {
    const { api } = await boot();

    const unknown = await call(api, path).expect(404);

    expect(unknown.body).toEqual(failed);
  });

  it(`${isStrict ? 'refuses' : 'looks up'} ids without their prefixes`, async () => {
    const { api } = await boot();

    const { body } = await call(api, '/api/v1/organizations/foo/directories/bar').expect(
      isStrict ? 400 : 404,
    );

    const fields = body.details[0].validation_error_info?.field_violations;
    if (isStrict)
      expect(fields).toMatchObject([noPrefix('org_')('organization_id'), noPrefix('dir_')(fields[1].field)]);
    else expect(body).toEqual(notFound('organization foo not found'));
  });

  it('refuses ids of more than 32 characters', async () => {
    const { api } = await boot();

    const { body } = await call(api, `${ACME}/dir_${'1'.repeat(29)}`).expect(400);

    const [{ field }] = body.details[0].validation_error_info.field_violations;
    expect(body).toEqual(refusal(tooLong(32)(field)));
  });
});
