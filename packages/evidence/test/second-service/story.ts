import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import type { ServiceClient } from './client.ts';

const REDIRECT = 'http://localhost:3000/callback';

/** What a program does with the service in a recording: something of everything. */
export async function play(client: ServiceClient): Promise<void> {
  await client.signIn();
  await client.token({ ...KNOWN_CREDENTIALS, client_secret: 'wrong' });
  await client.token();
  // A message leaves out a list that is empty.
  await client.rpc('OrganizationService/ListOrganization', { page_size: 5 });
  const org = await organizations(client);
  await users(client, org);
  await settings(client, org);
  await redirects(client);
  await rpcs(client, org);
  await client.call('DELETE', `/api/v1/organizations/${org}`);
  await client.call('GET', `/api/v1/organizations/${org}`);
  await client.call('POST', '/api/v1/events', { json: { page_size: 3 } });
}

async function organizations(client: ServiceClient): Promise<string> {
  const create = (json: object) => client.call('POST', '/api/v1/organizations', { json });
  const first = await create({ display_name: 'Acme', external_id: 'crm-a', metadata: { plan: 'pro' } });
  const org: string = first.organization.id;
  await create({ display_name: 'Hooli', external_id: 'crm-h' });
  await create({ display_name: 'Initech', external_id: 'crm-i' });
  const page = await client.call('GET', '/api/v1/organizations?page_size=2');
  await client.call(
    'GET',
    `/api/v1/organizations?page_size=2&page_token=${encodeURIComponent(page.next_page_token)}`,
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

async function users(client: ServiceClient, org: string): Promise<void> {
  const create = (email: string) =>
    client.call('POST', `/api/v1/organizations/${org}/users`, {
      json: { email, user_profile: { given_name: 'Ada', family_name: 'Lovelace' }, metadata: {} },
    });
  const made = await create('ada@acme.example');
  await create('grace@acme.example');
  await create('ada@acme.example');
  await client.call('GET', `/api/v1/users/${made.user.id}`);
  await client.call('GET', `/api/v1/organizations/${org}/users`);
  await client.call('PATCH', `/api/v1/users/${made.user.id}`, {
    json: { user_profile: { given_name: 'Augusta' } },
  });
  await client.call('GET', '/api/v1/users?page_size=1');
}

async function settings(client: ServiceClient, org: string): Promise<void> {
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

async function redirects(client: ServiceClient): Promise<void> {
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

async function rpcs(client: ServiceClient, org: string): Promise<void> {
  await client.rpc('OrganizationService/GetOrganization', { id: org });
  await client.rpc('OrganizationService/ListOrganization', { page_size: 5 });
  await client.rpc('OrganizationService/GetOrganization', { id: 'org_99999999999999999' });
  await client.rpc('OrganizationService/CreateOrganization', {
    organization: { display_name: 'Acme', external_id: 'crm-a' },
  });
}
