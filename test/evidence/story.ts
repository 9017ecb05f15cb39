import { KNOWN_CREDENTIALS } from '../../src/config.ts';
import type { RecordingClient } from './recorder.ts';

const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: KNOWN_CREDENTIALS.client_id,
  client_secret: KNOWN_CREDENTIALS.client_secret,
};
const REDIRECT = 'http://localhost:3000/callback';

/** What a program does with the service in a recording: something of everything. */
export async function play(client: RecordingClient): Promise<void> {
  await client.signIn();
  await client.call('POST', '/oauth/token', {
    form: { grant_type: 'client_credentials', client_id: 'skc_1000000000000000001', client_secret: 'wrong' },
    token: 'none',
  });
  await client.call('POST', '/oauth/token', { form: CREDENTIALS, token: 'none' });
  const org = await organizations(client);
  await users(client, org);
  await settings(client, org);
  await redirects(client);
  await rpcs(client, org);
  await client.call('DELETE', `/api/v1/organizations/${org}`);
  await client.call('GET', `/api/v1/organizations/${org}`);
  await client.call('POST', '/api/v1/events', { json: { page_size: 3 } });
}

async function organizations(client: RecordingClient): Promise<string> {
  const create = (json: object) => client.call('POST', '/api/v1/organizations', { json });
  const first = await create({ display_name: 'Acme', external_id: 'crm-a', metadata: { plan: 'pro' } });
  const org: string = first.body.organization.id;
  await create({ display_name: 'Hooli', external_id: 'crm-h' });
  await create({ display_name: 'Initech', external_id: 'crm-i' });
  const { body } = await client.call('GET', '/api/v1/organizations?page_size=2');
  await client.call(
    'GET',
    `/api/v1/organizations?page_size=2&page_token=${encodeURIComponent(body.next_page_token)}`,
  );
  await client.call('GET', '/api/v1/organizations?page_size=10');
  await client.call('GET', `/api/v1/organizations/${org}`);
  await client.call('PATCH', `/api/v1/organizations/${org}`, { json: { display_name: 'Acme Corp' } });
  await client.call('PATCH', `/api/v1/organizations/${org}`, { json: { display_name: 'Acme Corporation' } });
  await client.call('GET', '/api/v1/organizations/org_99999999999999999');
  await create({ display_name: 'Acme', external_id: 'crm-a' });
  await create({ display_name: '' });
  return org;
}

async function users(client: RecordingClient, org: string): Promise<void> {
  const create = (email: string) =>
    client.call('POST', `/api/v1/organizations/${org}/users`, {
      json: { email, user_profile: { given_name: 'Ada', family_name: 'Lovelace' }, metadata: {} },
    });
  const { body } = await create('ada@acme.example');
  await create('grace@acme.example');
  await create('ada@acme.example');
  await client.call('GET', `/api/v1/users/${body.user.id}`);
  await client.call('GET', `/api/v1/organizations/${org}/users`);
  await client.call('PATCH', `/api/v1/users/${body.user.id}`, {
    json: { user_profile: { given_name: 'Augusta' } },
  });
  await client.call('GET', '/api/v1/users?page_size=1');
}

async function settings(client: RecordingClient, org: string): Promise<void> {
  await client.call('PUT', `/api/v1/organizations/${org}/portal_links`);
  await client.call('PATCH', `/api/v1/organizations/${org}/settings`, {
    json: { features: [{ name: 'sso', enabled: true }] },
  });
  await client.call('POST', `/api/v1/organizations/${org}/domains`, { json: { domain: 'acme.example' } });
  await client.call('POST', '/api/v1/roles', { json: { name: 'auditor', display_name: 'Auditor' } });
  await client.call('GET', '/api/v1/roles');
  await client.call('GET', '/api/v1/roles/nobody');
  await client.call('POST', `/api/v1/organizations/${org}/clients`, {
    json: { name: 'Robot', scopes: ['read:all', 'write:all'], audience: ['https://api.example'] },
  });
  await client.call('GET', '/api/v1/organizations', { token: 'none' });
  await client.call('GET', '/.well-known/openid-configuration', { token: 'none' });
}

async function redirects(client: RecordingClient): Promise<void> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'skc_1000000000000000001',
    redirect_uri: REDIRECT,
    scope: 'openid',
    state: 'abc',
  });
  await client.call('GET', `/oauth/authorize?${query.toString()}`, { token: 'none' });
  query.set('prompt', 'none');
  await client.call('GET', `/oauth/authorize?${query.toString()}`, { token: 'none' });
}

async function rpcs(client: RecordingClient, org: string): Promise<void> {
  await client.rpc('OrganizationService/GetOrganization', { id: org });
  await client.rpc('OrganizationService/ListOrganization', { page_size: 5 });
  await client.rpc('OrganizationService/GetOrganization', { id: 'org_99999999999999999' });
  await client.rpc('OrganizationService/CreateOrganization', {
    organization: { display_name: 'Acme', external_id: 'crm-a' },
  });
}
