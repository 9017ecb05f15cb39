export type SampleData = Record<string, unknown>;

const organization_id = 'org_10000000000000001';

const organization = (time: string): SampleData => ({
  id: organization_id,
  display_name: 'Acme Corp',
  external_id: 'crm-acme',
  metadata: null,
  region_code: 'US',
  create_time: time,
  update_time: time,
  settings: {
    features: [
      { enabled: true, name: 'sso' },
      { enabled: false, name: 'dir_sync' },
    ],
  },
});

const user = (time: string): SampleData => ({
  id: 'usr_10000000000000101',
  email: 'ada@acme.example',
  external_id: 'crm-acme-ada',
  metadata: null,
  create_time: time,
  update_time: time,
  user_profile: {
    id: 'usp_10000000000000101',
    name: 'Ada Byrne',
    given_name: 'Ada',
    family_name: 'Byrne',
    email_verified: true,
    phone_number: '',
    phone_number_verified: false,
    picture: '',
    gender: '',
    locale: 'en-US',
    preferred_username: '',
    groups: null,
    metadata: null,
    custom_attributes: null,
    external_identities: [],
  },
});

const session = (time: string): SampleData => ({
  session_id: 'ses_10000000000000401',
  user_id: 'usr_10000000000000101',
  organization_id,
  // Unverified: upper case here, as in the service's samples of webhooks, though its API answers lower case.
  status: 'ACTIVE',
  authenticated_organizations: [organization_id],
  created_at: time,
  updated_at: time,
  last_active_at: time,
  idle_expires_at: later(time, 7),
  absolute_expires_at: later(time, 30),
  expired_at: null,
  logout_at: null,
  device: {
    browser: 'Firefox',
    browser_version: '134.0',
    device_type: 'Desktop',
    os: 'Linux',
    ip: '203.0.113.7',
  },
});

const later = (time: string, days: number) => new Date(Date.parse(time) + days * 86_400_000).toISOString();

/** By what the event is about. */
export const SAMPLES = {
  organization,
  domain: (time: string): SampleData => ({
    id: 'dom_10000000000000271',
    domain: 'acme.example',
    domain_type: 'ORGANIZATION_DOMAIN',
    organization_id,
    txt_record_key: '_understudy.acme.example',
    txt_record_secret: 'test_txt_record_secret',
    verification_status: 'PENDING',
    verification_method: 'DNS',
    updated_at: time,
  }),
  membership: (time: string): SampleData => ({ organization: organization(time), user: user(time) }),
  login: (time: string): SampleData => ({
    user: { ...user(time), last_login_time: time },
    user_session: session(time),
  }),
  directory: (time: string): SampleData => ({
    id: 'dir_10000000000000281',
    directory_type: 'SCIM',
    enabled: true,
    organization_id,
    provider: 'OKTA',
    updated_at: time,
  }),
  directoryUser: (): SampleData => ({
    id: 'diruser_10000000000000291',
    organization_id,
    dp_id: 'okta-17',
    email: 'ada@acme.example',
    active: true,
    name: 'Ada Byrne',
    given_name: 'Ada',
    family_name: 'Byrne',
    groups: [{ id: 'dirgroup_10000000000000295', name: 'Finance' }],
    roles: [{ role_name: 'member' }],
    custom_attributes: {},
    raw_attributes: {},
  }),
  directoryGroup: (): SampleData => ({
    id: 'dirgroup_10000000000000295',
    directory_id: 'dir_10000000000000281',
    display_name: 'Finance',
    external_id: 'okta-finance',
    organization_id,
    raw_attributes: {},
  }),
  connection: (): SampleData => ({
    id: 'conn_10000000000000251',
    organization_id,
    connection_type: 'OIDC',
    provider: 'OKTA',
  }),
  role: (): SampleData => ({
    id: 'role_10000000000000101',
    name: 'billing_viewer',
    display_name: 'Billing viewer',
    description: 'Sees invoices.',
    extends: 'member',
  }),
  permission: (): SampleData => ({
    id: 'perm_10000000000000101',
    name: 'invoices:read',
    description: 'See invoices.',
  }),
  connectedAccount: (time: string): SampleData => ({
    id: 'ca_10000000000000301',
    identifier: 'default',
    connection_id: 'conn_10000000000000201',
    connection_name: 'gmail',
    provider: 'GMAIL',
    authorization_type: 'OAUTH',
    status: 'ACTIVE',
    token_expires_at: time,
    last_used_at: time,
  }),
};
