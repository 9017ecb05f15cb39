import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { doneByRule, toldBy, typesOf } from '../support/events.ts';
import { ACME } from '../support/fixture-ids.ts';

const byId = (id: string) => ({ match: { id } });
const directory = { organization_id: ACME, name: '', directory_type: 'SCIM', status: 'DRAFT', secrets: [] };
const member = { directory_id: 'dir_10000000000000601', updated_at: 'now' };
const connection = {
  organization_id: ACME,
  provider: 'OKTA',
  provider_key: 'OKTA',
  type: 'OIDC',
  status: 'COMPLETED',
  enabled: true,
  ui_button_title: '',
  created_at: 'now',
  updated_at: 'now',
};
const domain = {
  organization_id: ACME,
  domain: 'acme.fr',
  domain_type: 'ORGANIZATION_DOMAIN',
  verification_status: 'VERIFIED',
  verification_method: 'ADMIN',
  txt_record_key: '',
  txt_record_secret: '',
  create_time: 'now',
  update_time: 'now',
};
const NO_DEFAULT = { default_creator: false, default_member: false };
const role = { name: 'auditor', display_name: 'Auditor', description: '', permission_ids: [] };

/** Changes of a scenario and the event types that they emit. */
const CHANGES: [what: string, changes: object, told: string[]][] = [
  [
    'an organization and its domains',
    {
      organizations: [{ ...byId(ACME), set: { display_name: 'Acme SE' } }],
      domains: [
        { insert: domain },
        { ...byId('dom_10000000000000273'), set: { verification_status: 'VERIFIED' } },
        { ...byId('dom_10000000000000272'), set: { verification_status: 'FAILED' } },
        { ...byId('dom_10000000000000271'), set: { verification_status: 'PENDING', domain: 'acme.de' } },
        { delete: byId('dom_10000000000000271') },
      ],
    },
    [
      'organization.updated',
      'organization.domain_created',
      'organization.domain_dns_verification_success',
      'organization.domain_dns_verification_failed',
      'organization.domain_deleted',
    ],
  ],
  [
    'directories, their users and groups',
    {
      directories: [
        { insert: { ...directory, enabled: true, create_time: 'now' } },
        { insert: { ...directory, enabled: false, create_time: 'now' } },
        { ...byId('dir_10000000000000602'), set: { name: 'Old LDAP' } },
        { ...byId('dir_10000000000000601'), set: { enabled: false } },
      ],
      directory_groups: [
        { insert: { ...member, display_name: 'Sales', role_ids: [] } },
        { delete: byId('dirgroup_10000000000000612') },
      ],
      directory_users: [
        { insert: { ...member, email: 'lea@acme.example', emails: [], group_ids: [] } },
        { ...byId('diruser_10000000000000623'), set: { updated_at: 'now' } },
      ],
    },
    [
      'organization.directory_enabled',
      'organization.directory_disabled',
      'organization.directory.group_created',
      'organization.directory.group_deleted',
      'organization.directory.user_updated',
      'organization.directory.user_created',
      'organization.directory.user_updated',
      'user.organization_membership_updated',
    ],
  ],
  [
    'connections',
    {
      connections: [
        { insert: connection },
        { insert: { ...connection, organization_id: undefined } },
        { delete: byId('conn_10000000000000252') },
      ],
    },
    ['organization.sso_created', 'organization.sso_enabled', 'organization.sso_deleted'],
  ],
  [
    'permissions and roles',
    {
      permissions: [
        {
          insert: {
            ...byId('').match,
            id: 'perm_1',
            name: 'docs:read',
            description: '',
            create_time: 'now',
            update_time: 'now',
            is_scalekit_permission: false,
          },
        },
        { ...byId('perm_10000000000000101'), set: { description: 'Read invoices.' } },
      ],
      roles: [
        { insert: { ...role, ...NO_DEFAULT } },
        { ...byId('role_10000000000000102'), set: { display_name: 'Invoicer' } },
      ],
    },
    ['permission.created', 'permission.updated', 'role.created', 'role.updated'],
  ],
];

describe.each(CHANGES)('changes of %s', (_, changes, types) => {
  it('emit events in order when a scenario rule makes them', async () => {
    const booted = await boot();

    const events = await toldBy(booted.api, () => doneByRule(booted, changes));

    expect(typesOf(events)).toEqual(types);
  });

  it('emit no events as the initial state of a scenario', async () => {
    const { api, control } = await boot();

    const events = await toldBy(api, async () => {
      const scenario = { name: 'from-the-start', state: changes, restore: true };
      const { body } = await control.post('/scenarios').send(scenario).expect(201);
      await control.delete(`/scenarios/${body.id}`).expect(204);
    });

    expect(events).toEqual([]);
  });
});

it('changes through the control API emit no events', async () => {
  const { api, control } = await boot();

  const events = await toldBy(api, async () => {
    await control
      .put('/state/roles/role_1')
      .send({ ...role, ...NO_DEFAULT })
      .expect(200);
    await control.put('/state/domains/dom_1').send(domain).expect(200);
    await control.patch('/state/domains/dom_1').send({ verification_status: 'FAILED' }).expect(200);
    await control.put('/state/connections/conn_1').send(connection).expect(200);
    await control.patch(`/state/organizations/${ACME}`).send({ display_name: 'Acme SE' }).expect(200);
    await control.delete('/state/directories/dir_10000000000000601').expect(204);
    const { body } = await control.get('/state').expect(200);
    await control
      .put('/state')
      .send({ ...body, directory_users: [] })
      .expect(204);
  });

  expect(events).toEqual([]);
});
