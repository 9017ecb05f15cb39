import { describe, expect, it } from 'vitest';
import { COLLECTIONS, TABLES } from '../../src/state/schema.ts';
import type { Collection } from '../../src/state/env.ts';
import { boot, type Agent } from '../support/boot.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const NUMBER = '10000000000000999';

/** What the author of a new row must give, beside the id. */
const NEEDED: Record<Collection, string[]> = {
  settings: [],
  signing_keys: ['number', 'private_key'],
  mails: ['kind', 'to', 'subject', 'text'],
  organizations: ['display_name'],
  portal_links: ['organization_id', 'token', 'expire_time'],
  users: ['email'],
  deleted_users: [],
  memberships: ['organization_id', 'user_id'],
  members: ['email'],
  roles: ['name', 'display_name'],
  permissions: ['name'],
  clients: ['name'],
  scopes: ['name'],
  resources: ['name', 'resource_type'],
  consents: ['resource_id', 'client_id', 'subject'],
  api_tokens: ['organization_id', 'token'],
  domains: ['organization_id', 'domain', 'verification_status'],
  directories: ['organization_id', 'enabled', 'status'],
  directory_groups: ['directory_id', 'display_name'],
  directory_users: ['directory_id', 'email'],
  sessions: ['user_id', 'idle_expires_at', 'absolute_expires_at'],
  idp_apps: ['directory_id', 'provider', 'token', 'base_url'],
  idp_users: ['app_id', 'email', 'user_name', 'external_id'],
  idp_groups: ['app_id', 'display_name', 'external_id'],
  idp_pushes: ['app_id', 'kind', 'label', 'status'],
  passkeys: ['user_id', 'credential_id', 'authenticator'],
  authenticator_keys: ['user_id', 'credential_id', 'private_key'],
  passkey_ceremonies: ['kind', 'challenge', 'rp_id', 'user_verification', 'expires_at'],
  totp_registrations: ['secret'],
  login_transactions: [
    'client_id',
    'redirect_uri',
    'intent',
    'status',
    'browser_secret',
    'csrf_token',
    'expires_at',
  ],
  authorization_codes: ['code', 'client_id', 'redirect_uri', 'subject', 'expires_at'],
  refresh_tokens: ['token', 'family_id', 'client_id', 'subject'],
  revoked_tokens: ['client_id', 'expires_at'],
  portal_sessions: ['token', 'csrf_token', 'organization_id', 'expires_at'],
  passwordless_requests: ['email', 'passwordless_type', 'status', 'expires_in', 'expires_at'],
  login_requests: ['connection_id', 'auth_request_id', 'status', 'expires_at'],
  token_templates: [],
  auth_logs: ['email', 'status'],
  events: ['type', 'object'],
  interceptors: ['display_name', 'trigger_point', 'timeout_ms', 'failure_policy', 'secret_id', 'secret'],
  webhook_endpoints: ['secret'],
  webhook_deliveries: ['endpoint_id', 'event_id', 'event_type', 'status'],
  webhook_portal_links: ['token', 'expires_at'],
  webhook_portal_sessions: ['token', 'csrf_token', 'expires_at'],
  connections: ['provider', 'provider_key', 'type'],
  providers: ['provider_id', 'display_name'],
  tools: ['provider', 'definition'],
  proxy_responses: ['path', 'status'],
  connected_accounts: ['connection_id', 'identifier', 'authorization_type', 'status'],
  magic_links: ['connected_account_id', 'expires_at'],
  account_authorizations: ['connected_account_id', 'status', 'browser_secret', 'csrf_token', 'expires_at'],
  auth_requests: ['connected_account_id', 'identifier', 'expires_at'],
  account_records: ['connected_account_id', 'kind', 'group', 'key'],
  mcp_configs: ['name', 'server_token'],
  mcp_instances: ['name', 'config_id', 'user_identifier', 'link_token'],
  mcps: ['connected_account_identifier', 'link_token'],
  mcp_sessions: ['server', 'identifier', 'protocol_version', 'expires_at'],
  outgoing_calls: ['kind', 'url', 'status'],
};

type Row = Record<string, unknown> & { id: string };

describe('a new row', () => {
  it('needs of its author, in each collection, what nobody can guess', async () => {
    const { control } = await boot();
    const needed = new Map<string, string[]>();

    for (const collection of COLLECTIONS) needed.set(collection, await neededIn(control, collection));

    expect(Object.fromEntries(needed)).toEqual(NEEDED);
  });

  it('can do without each member that has a default, in each collection', async () => {
    const { control } = await boot({ now: NOW, fixture: 'sso' });
    const { body: state } = await control.get('/state').expect(200);
    const refused: unknown[] = [];

    for (const collection of COLLECTIONS)
      for (const row of (state[collection] as Row[]).slice(0, 3)) {
        const required = await requiredIn(control, collection);
        const left = required.filter((name) => !['id', ...NEEDED[collection]].includes(name));
        const shorter = Object.fromEntries(Object.entries(row).filter(([name]) => !left.includes(name)));
        const { status, body } = await control.put(`/state/${collection}/${row.id}`).send(shorter);
        const absent = left.filter((name) => !Object.hasOwn(body, name));
        if (status !== 200 || absent.length > 0) refused.push({ collection, status, absent, body });
      }

    expect(refused).toEqual([]);
  });

  it('has what the API would have given it', async () => {
    const { control, api } = await boot({ now: NOW });
    const user = 'usr_10000000000000999';

    await control.put('/state/organizations/org_999').send({ display_name: 'Globex' }).expect(200);
    await control.put(`/state/users/${user}`).send({ email: 'sam@globex.example' }).expect(200);
    const membership = { organization_id: 'org_999', user_id: user };
    const { body: member } = await control.put('/state/memberships/mem_999').send(membership).expect(200);

    expect(member).toMatchObject({ membership_status: 'ACTIVE', role_ids: [], resent_count: 0 });
    const { body } = await api.get(`/api/v1/users/${user}`).expect(200);
    expect(body.user).toMatchObject({ create_time: NOW, user_profile: { id: 'usp_10000000000000999' } });
    const { body: found } = await api.get('/api/v1/organizations/org_999').expect(200);
    expect(found.organization).toMatchObject({ create_time: NOW, update_time: NOW, region_code: 'US' });
  });

  it('keeps what its author gives, and refuses null and a part without what it needs', async () => {
    const { control } = await boot({ now: NOW });
    const path = '/state/users/usr_10000000000000999';
    const given = { email: 'a@b.example', create_time: 'now-1d', user_profile: { given_name: 'Sam' } };

    const { body: kept } = await control.put(path).send(given).expect(200);
    const nothing = await control
      .put(path)
      .send({ ...given, metadata: null })
      .expect(400);
    const tool = { provider: 'GMAIL', definition: { name: 'gmail_x' } };
    const part = await control.put('/state/tools/gmail_x').send(tool).expect(400);

    expect(kept).toMatchObject({
      create_time: '2029-12-31T00:00:00.000Z',
      user_profile: { id: 'usp_10000000000000999', given_name: 'Sam' },
    });
    expect(nothing.body.message).toContain('metadata');
    expect(part.body.message).toContain('definition');
    expect((await control.get(path).expect(200)).body).toEqual(kept);
  });

  it('has defaults in a fixture and in a scenario too', async () => {
    const { control } = await boot({ now: NOW });
    const organization = { id: 'org_999', display_name: 'Globex' };
    const defaults = { create_time: NOW, update_time: NOW, region_code: 'US', metadata: {} };

    const edits = { organizations: [{ insert: organization }] };
    await control.post('/scenarios').send({ name: 'globex', state: edits }).expect(201);
    const inserted = await control.get('/state/organizations/org_999').expect(200);
    await control
      .put('/state')
      .send({ include: ['empty'], organizations: [organization] })
      .expect(204);
    const written = await control.get('/state/organizations/org_999').expect(200);

    expect(inserted.body).toEqual({ ...organization, ...defaults });
    expect(written.body).toEqual({ ...organization, ...defaults });
  });

  it.each([[[null]], [['org_1']], ['org_1'], [{ id: 'org_1' }], [[{ display_name: 'Globex' }]], [[[]]]])(
    'refuses %j as the organizations of a fixture',
    async (organizations) => {
      const { control } = await boot();
      const hash = (await control.get('/state/hash').expect(200)).body;

      await control
        .put('/state')
        .send({ include: ['empty'], organizations })
        .expect(400);

      expect((await control.get('/state/hash').expect(200)).body).toEqual(hash);
    },
  );
});

interface Violation {
  field: string;
  description: string;
}

/** The members whose absence a row without members is refused for. */
async function neededIn(control: Agent, collection: Collection): Promise<string[]> {
  const { body, status } = await control.put(`/state/${collection}/${idIn(collection)}`).send({});
  const violations = (body.details?.[0]?.validation_error_info?.field_violations ?? []) as Violation[];
  expect([collection, status]).toEqual([collection, violations.length === 0 ? 200 : 400]);
  return violations.flatMap(({ description }) => /required property '(\w+)'/.exec(description)?.[1] ?? []);
}

const IDS: Partial<Record<Collection, string>> = {
  settings: 'settings',
  users: `usr_${NUMBER}`,
  deleted_users: `usr_${NUMBER}`,
};

const idIn = (collection: Collection) => IDS[collection] ?? `x_${NUMBER}`;

async function requiredIn(control: Agent, collection: Collection): Promise<string[]> {
  const { body } = await control.get('/openapi.json').expect(200);
  return body.components.schemas[TABLES[collection].schema].required as string[];
}
