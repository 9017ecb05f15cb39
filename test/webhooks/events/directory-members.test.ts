import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { ACME, ENGINEERING, FINANCE, makeDirectory, OKTA } from '../../support/directories.ts';
import { doneByRule, toldBy, typesOf } from '../../support/events.ts';

const NOON = '2030-01-01T12:00:00.000Z';
const organization_id = 'org_10000000000000001';
const DIRECTORY = 'dir_10000000000000601';
const RAVI = 'diruser_10000000000000622';

describe('the events of a directory', () => {
  it('include one event for each change of enabled', async () => {
    const { api } = await boot({ now: NOON });

    const events = await toldBy(api, async () => {
      await api.patch(`${OKTA}:disable`).expect(200);
      await api.patch(`${OKTA}:disable`).expect(200);
      await api.patch(`${OKTA}:enable`).expect(200);
    });

    const about = { object: 'Directory', organization_id, occurred_at: NOON };
    const data = {
      id: DIRECTORY,
      directory_type: 'SCIM',
      organization_id,
      provider: 'OKTA',
      updated_at: NOON,
    };
    expect(events).toMatchObject([
      {
        ...about,
        type: 'organization.directory_disabled',
        display_name: 'Organization Directory Disabled',
      },
      { ...about, type: 'organization.directory_enabled', display_name: 'Organization Directory Enabled' },
    ]);
    expect(events.map((event) => event.data)).toEqual([
      { ...data, enabled: false },
      { ...data, enabled: true },
    ]);
  });

  it('include directory_enabled when the directory is created', async () => {
    const { api } = await boot();

    const events = await toldBy(api, () => makeDirectory(api));

    expect(typesOf(events)).toEqual(['organization.directory_enabled']);
    expect(events[0]!.data).toMatchObject({ enabled: true, provider: 'DIRECTORY_PROVIDER_UNSPECIFIED' });
  });

  it('leave out new secrets, refused calls and the deletion of a disabled directory', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api.post(`${OKTA}/secrets`).expect(200);
      await api.delete(OKTA).expect(400);
      await api.delete(`${ACME}/dir_10000000000000602`).expect(200);
    });

    expect(events).toEqual([]);
  });
});

describe('the events of directory users', () => {
  const user = {
    id: 'diruser_1',
    directory_id: DIRECTORY,
    email: 'lea@acme.example',
    given_name: 'Lea',
    family_name: 'Sand',
    emails: [],
    group_ids: [ENGINEERING, FINANCE],
    updated_at: 'now',
    detail: { dp_id: 'okta-9', active: false, title: 'Auditor', address: { state: 'WA' }, department: 7 },
  };

  it('contain all attributes of a new user', async () => {
    const booted = await boot();

    const events = await toldBy(booted.api, () =>
      doneByRule(booted, { directory_users: [{ insert: user }] }),
    );

    expect(events).toMatchObject([
      { type: 'organization.directory.user_created', object: 'DirectoryUser', organization_id },
    ]);
    expect(events[0]!.data).toEqual({
      id: 'diruser_1',
      organization_id,
      dp_id: 'okta-9',
      email: 'lea@acme.example',
      active: false,
      name: 'Lea Sand',
      given_name: 'Lea',
      family_name: 'Sand',
      preferred_username: '',
      nickname: '',
      phone_number: '',
      title: 'Auditor',
      department: '',
      division: '',
      cost_center: '',
      employee_id: '',
      user_type: '',
      organization: '',
      locale: '',
      language: '',
      zoneinfo: '',
      profile: '',
      address: { postal_code: '', state: 'WA', formatted: '' },
      groups: [
        { id: ENGINEERING, name: 'Engineering' },
        { id: FINANCE, name: 'Finance' },
      ],
      roles: [{ role_name: 'billing_viewer' }],
      custom_attributes: {},
      raw_attributes: {},
    });
  });

  it('contain all attributes of an updated user and four of a deleted one', async () => {
    const booted = await boot();
    const match = { id: RAVI };

    const events = await toldBy(booted.api, () =>
      doneByRule(booted, {
        directory_users: [
          { match, set: { group_ids: [], detail: { active: true } } },
          { match: { email: 'tom@acme.example' }, set: { updated_at: 'now' } },
          { delete: { match: { email: 'ada@acme.example' } } },
        ],
      }),
    );

    expect(typesOf(events)).toEqual([
      'organization.directory.user_updated',
      'organization.directory.user_updated',
      'organization.directory.user_deleted',
      'user.organization_membership_updated',
    ]);
    expect(events[0]!.data).toMatchObject({
      id: RAVI,
      active: true,
      title: 'Controller',
      groups: [],
      roles: [],
    });
    expect(events[1]!.data).toMatchObject({ name: 'Tom Okafor', active: false });
    expect(events[2]!.data).toEqual({
      id: 'diruser_10000000000000621',
      organization_id,
      dp_id: '',
      email: 'ada@acme.example',
    });
  });

  it('have the source DIR_SYNC', async () => {
    const booted = await boot();
    const filter = { source: 'DIR_SYNC', event_types: ['organization.directory.user_created'] };

    await doneByRule(booted, { directory_users: [{ insert: user }] });

    const { body } = await booted.api.post('/api/v1/events/paginated').send(filter).expect(200);
    expect(body.events[0].data.id).toBe('diruser_1');
  });
});

describe('the events of directory groups', () => {
  const sales = {
    id: 'dirgroup_1',
    directory_id: DIRECTORY,
    display_name: 'Sales',
    role_ids: [],
    updated_at: 'now',
    detail: { external_id: 'okta-sales', raw_attributes: { size: 4 } },
  };

  it('cover the life of a group from creation to deletion', async () => {
    const booted = await boot();
    const match = { id: 'dirgroup_1' };

    const events = await toldBy(booted.api, async () => {
      await doneByRule(booted, { directory_groups: [{ insert: sales }] });
      await doneByRule(booted, { directory_groups: [{ match, set: { display_name: 'Sales EMEA' } }] });
      await doneByRule(booted, { directory_groups: [{ delete: { match } }] });
    });

    const data = {
      id: 'dirgroup_1',
      directory_id: DIRECTORY,
      organization_id,
      raw_attributes: { size: 4 },
    };
    expect(events).toMatchObject([
      { type: 'organization.directory.group_created', object: 'DirectoryGroup', organization_id },
      { type: 'organization.directory.group_updated', object: 'DirectoryGroup', organization_id },
      { type: 'organization.directory.group_deleted', object: 'DirectoryGroup', organization_id },
    ]);
    expect(events.map((event) => event.data)).toEqual([
      { ...data, display_name: 'Sales', external_id: 'okta-sales' },
      { ...data, display_name: 'Sales EMEA', external_id: 'okta-sales' },
      { ...data, display_name: 'Sales EMEA', dp_id: 'okta-sales' },
    ]);
  });

  it('leave out untracked groups until they are tracked', async () => {
    const booted = await boot();
    const match = { id: 'dirgroup_1' };

    const events = await toldBy(booted.api, async () => {
      await doneByRule(booted, { directory_groups: [{ insert: { ...sales, external: true } }] });
      await doneByRule(booted, { directory_groups: [{ match, set: { display_name: 'Sales EMEA' } }] });
    });
    const then = await toldBy(booted.api, () =>
      doneByRule(booted, { directory_groups: [{ match, set: { external: false } }] }),
    );

    expect(events).toEqual([]);
    expect(typesOf(then)).toEqual(['organization.directory.group_created']);
  });

  it('leave out role assignments of a group', async () => {
    const { api, control } = await boot();
    const assignments = [{ group_id: ENGINEERING, role_name: 'billing_viewer' }];

    const events = await toldBy(api, () =>
      api.put(`${OKTA}/groups/-/roles:assign`).send({ assignments }).expect(200),
    );

    const { body } = await control.get(`/state/directory_groups/${ENGINEERING}`).expect(200);
    expect(body.role_ids).toEqual(['role_10000000000000101']);
    expect(typesOf(events).filter((type) => type.startsWith('organization.directory'))).toEqual([]);
  });

  it('include user_updated for each member of a deleted group', async () => {
    const booted = await boot();

    const events = await toldBy(booted.api, () =>
      doneByRule(booted, { directory_groups: [{ delete: { match: { id: ENGINEERING } } }] }),
    );

    const { body } = await booted.control.get(`/state/directory_users/${RAVI}`).expect(200);
    expect(body.group_ids).toEqual([FINANCE]);
    expect(typesOf(events)).toEqual([
      'organization.directory.group_deleted',
      'organization.directory.user_updated',
      'organization.directory.user_updated',
    ]);
  });
});

it('include only directory_disabled when a scenario rule deletes an enabled directory', async () => {
  const booted = await boot();

  const events = await toldBy(booted.api, () =>
    doneByRule(booted, { directories: [{ delete: { match: { id: DIRECTORY } } }] }),
  );

  expect(typesOf(events)).toEqual(['organization.directory_disabled']);
  expect(events[0]!.data).toMatchObject({ id: DIRECTORY, enabled: false });
});
