import { describe, expect, it } from 'vitest';
import { bootOnce } from '../support/boot.ts';
import { ACCOUNTS, ORGANIZATIONS, send, USERS } from './support.ts';
import { ACME, ADA, GMAIL, LENA, NORDWIND } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();

type Fits = (value: unknown) => boolean;

const isText: Fits = (value) => typeof value === 'string';
const isFlag: Fits = (value) => typeof value === 'boolean';
const isWhole: Fits = (value) => Number.isInteger(value);
const isObject: Fits = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTime: Fits = (value) =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(value));
const isNumeric: Fits = (value) => isText(value) && /^\d+$/.test(String(value));
const isListOf =
  (fits: Fits): Fits =>
  (value) =>
    Array.isArray(value) && value.every(fits);
const isTexts = isListOf(isText);
const isAddress: Fits = (value) => isText(value) && URL.canParse(String(value));
const isPairs: Fits = (value) => isObject(value) && Object.values(value as object).every(isText);
const isOneOf =
  (...values: string[]): Fits =>
  (value) =>
    values.includes(String(value));
const startsWith =
  (prefix: string): Fits =>
  (value) =>
    String(value).startsWith(prefix);

const named = (names: string, fits: Fits) => names.split(' ').map((name) => [name, fits] as const);

interface Resource {
  /** Calls that prepare an answer with all fields, then the one with the answer. */
  calls: [call: string, body?: object][];
  find: (body: never) => unknown[];
  fields: (readonly [name: string, fits: Fits])[];
}

const PROVIDERS = [
  'OKTA',
  'GOOGLE',
  'MICROSOFT_AD',
  'AUTH0',
  'ONELOGIN',
  'PING_IDENTITY',
  'JUMPCLOUD',
  'CUSTOM',
  'GITHUB',
  'GITLAB',
  'LINKEDIN',
  'SALESFORCE',
  'MICROSOFT',
  'IDP_SIMULATOR',
  'SCALEKIT',
  'ADFS',
];
const TYPES = ['OIDC', 'SAML', 'PASSWORD', 'OAUTH', 'PASSWORDLESS', 'BASIC', 'BEARER', 'API_KEY', 'WEBAUTHN'];
const OWN_TYPES = ['OAUTH', 'API_KEY', 'BASIC_AUTH', 'BEARER_TOKEN', 'CUSTOM', 'BASIC'];
const STATUSES = ['ACTIVE', 'EXPIRED', 'PENDING_AUTH', 'PENDING_VERIFICATION', 'DISCONNECTED'];

const OAUTH = { oauth_token: { access_token: 'at', refresh_token: 'rt', domain: 'acme', scopes: ['a'] } };
const NEW_ACCOUNT = {
  connector: 'gmail',
  identifier: 'new@acme.example',
  organization_id: ACME,
  connected_account: { authorization_details: OAUTH, api_config: { region: 'eu' } },
};
const PROFILE = {
  given_name: 'Zoe',
  family_name: 'Lind',
  name: 'Zoe Lind',
  preferred_username: 'zoe',
  gender: 'any',
  locale: 'en-GB',
  phone_number: '+15550100234',
  picture: 'https://cdn.example/z.png',
  groups: ['a'],
  custom_attributes: { team: 'red' },
  metadata: { team: 'red' },
};
const NEW_USER = {
  email: 'zoe@acme.example',
  external_id: 'crm-zoe',
  metadata: { team: 'red' },
  user_profile: PROFILE,
  membership: { inviter_email: 'ada@acme.example', metadata: { desk: 'one' }, roles: [{ name: 'member' }] },
};
const ROLE = { name: 'auditor', display_name: 'Auditor', description: 'Reads', extends: 'member' };
const CLIENT = {
  name: 'Billing',
  description: 'Bills',
  audience: ['https://api.example'],
  expiry: '600',
  custom_claims: [{ key: 'plan', value: 'gold' }],
};
const members = (name: string) => (body: never) => [body[name]].flat() as unknown[];
const inside = (path: string) => (body: never) =>
  path.split('.').reduce<unknown[]>((at, step) => at.flatMap((each) => (each as never)[step] ?? []), [body]);

const RESOURCES: Record<string, Resource> = {
  'a connected account in a list': {
    calls: [[`GET ${ACCOUNTS}?page_size=30`]],
    find: members('connected_accounts'),
    fields: [
      ['id', startsWith('ca_')],
      ...named('connection_id connector provider identifier', isText),
      ['authorization_type', isOneOf(...OWN_TYPES)],
      ['status', isOneOf(...STATUSES)],
      ...named('last_used_at token_expires_at updated_at', isTime),
    ],
  },
  'a whole connected account': {
    calls: [[`POST ${ACCOUNTS}`, NEW_ACCOUNT]],
    find: members('connected_account'),
    fields: [['id', startsWith('ca_')], ...named('api_config authorization_details', isObject)],
  },
  'an OAuth token of an account': {
    calls: [[`POST ${ACCOUNTS}`, NEW_ACCOUNT]],
    find: inside('connected_account.authorization_details.oauth_token'),
    fields: [...named('access_token refresh_token domain', isText), ['scopes', isTexts]],
  },
  'an organization': {
    calls: [[`GET ${ORGANIZATIONS}?page_size=30`]],
    find: members('organizations'),
    fields: [
      ['id', startsWith('org_')],
      ...named('create_time update_time', isTime),
      ...named('display_name external_id', isText),
      ['metadata', isPairs],
      ['region_code', isOneOf('US', 'EU')],
    ],
  },
  'a feature of an organization': {
    calls: [[`GET ${ORGANIZATIONS}/${ACME}`]],
    find: inside('organization.settings.features'),
    fields: [
      ['name', isOneOf('sso', 'dir_sync', 'directory_sync')],
      ['enabled', isFlag],
    ],
  },
  'a user': {
    calls: [[`POST ${USERS}`, NEW_USER]],
    find: members('user'),
    fields: [
      ['id', startsWith('usr_')],
      ...named('email external_id', isText),
      ...named('create_time update_time', isTime),
      ['metadata', isPairs],
      ['memberships', isListOf(isObject)],
      ['user_profile', isObject],
    ],
  },
  'a user who has signed in': {
    calls: [[`GET /api/v1/users/${ADA}`]],
    find: members('user'),
    fields: [['last_login_time', isTime]],
  },
  'a membership': {
    calls: [[`POST ${USERS}`, NEW_USER]],
    find: inside('user.memberships'),
    fields: [
      ...named('organization_id name display_name inviter_email', isText),
      ['membership_status', isOneOf('ACTIVE', 'INACTIVE', 'PENDING_INVITE', 'INVITE_EXPIRED')],
      ['roles', isListOf(isObject)],
      ['permissions', isTexts],
      ['metadata', isPairs],
      [
        'provisioning_method',
        isOneOf('jit_using_sso', 'allowed_email_domain', 'org_creator', 'direct_provision', 'invitation'),
      ],
      ...named('created_at expires_at', isTime),
    ],
  },
  'an active membership': {
    calls: [
      [`POST /api/v1/memberships/organizations/${NORDWIND}/users/${ADA}?send_invitation_email=false`, {}],
    ],
    find: inside('user.memberships'),
    fields: [['join_time', isTime]],
  },
  'a role of a membership': {
    calls: [[`POST ${USERS}`, NEW_USER]],
    find: inside('user.memberships.roles'),
    fields: named('id name display_name', isText),
  },
  'a profile': {
    calls: [[`POST ${USERS}`, NEW_USER]],
    find: inside('user.user_profile'),
    fields: [
      ...named('id given_name family_name name preferred_username gender locale phone_number', isText),
      ...named('phone_number_verified email_verified', isFlag),
      ['picture', isAddress],
      ['groups', isTexts],
      ...named('custom_attributes metadata', isPairs),
      ['external_identities', isListOf(isObject)],
    ],
  },
  'an invitation that is sent again': {
    calls: [[`PATCH /api/v1/invites/organizations/${NORDWIND}/users/${LENA}/resend`, {}]],
    find: members('invite'),
    fields: [
      ...named('organization_id user_id inviter_email status', isText),
      ...named('created_at expires_at resent_at', isTime),
      ['resent_count', isWhole],
    ],
  },
  'a role': {
    calls: [
      [`POST ${ORGANIZATIONS}/${ACME}/roles`, ROLE],
      [`GET ${ORGANIZATIONS}/${ACME}/roles?include=permissions:all`],
    ],
    find: members('roles'),
    fields: [
      ...named('id name display_name description extends', isText),
      ...named('is_org_role default_creator default_member', isFlag),
      ['dependent_roles_count', isWhole],
      ['permissions', isListOf(isObject)],
    ],
  },
  'a permission of a role': {
    calls: [[`GET ${ORGANIZATIONS}/${ACME}/roles?include=permissions:all`]],
    find: inside('roles.permissions'),
    fields: [...named('id name description role_name', isText), ...named('create_time update_time', isTime)],
  },
  'a connection': {
    calls: [['GET /api/v1/connections?include=all']],
    find: members('connections'),
    fields: [
      ...named('id key_id organization_id organization_name provider_key', isText),
      ['domains', isTexts],
      ['enabled', isFlag],
      ['provider', isOneOf(...PROVIDERS)],
      ['status', isOneOf('DRAFT', 'IN_PROGRESS', 'COMPLETED')],
      ['type', isOneOf(...TYPES)],
    ],
  },
  'a link to the admin portal': {
    calls: [[`PUT ${ORGANIZATIONS}/${ACME}/portal_links`]],
    find: members('link'),
    fields: [
      ['id', isText],
      ['location', isAddress],
      ['expire_time', isTime],
    ],
  },
  'an API client': {
    calls: [[`POST ${ORGANIZATIONS}/${ACME}/clients`, CLIENT], [`GET ${ORGANIZATIONS}/${ACME}/clients`]],
    find: members('clients'),
    fields: [
      ...named('client_id description', isText),
      ['create_time', isTime],
      ['audience', isTexts],
      ['custom_claims', isListOf(isObject)],
      ['expiry', isNumeric],
      ...named('is_cimd is_dcr', isFlag),
    ],
  },
  'a claim of an API client': {
    calls: [[`POST ${ORGANIZATIONS}/${ACME}/clients`, CLIENT]],
    find: inside('client.custom_claims'),
    fields: named('key value', isText),
  },
  'a page of organizations': {
    calls: [[`GET ${ORGANIZATIONS}?page_size=1`]],
    find: (body) => [body],
    fields: [...named('next_page_token prev_page_token', isText), ['total_size', isWhole]],
  },
  'a page of connected accounts': {
    calls: [[`GET ${ACCOUNTS}?page_size=1`]],
    find: (body) => [body],
    fields: [...named('next_page_token prev_page_token', isText), ['total_size', isWhole]],
  },
  'a page of found accounts': {
    calls: [[`GET ${ACCOUNTS}:search?query=gmail`]],
    find: (body) => [body],
    fields: [...named('next_page_token prev_page_token', isText), ['total_size', isWhole]],
  },
  'a magic link': {
    calls: [[`POST ${ACCOUNTS}/magic_link`, { id: GMAIL }]],
    find: (body) => [body],
    fields: [
      ['link', isAddress],
      ['expiry', isTime],
    ],
  },
};

const answers = new Map<string, Promise<unknown[]>>();

async function answered({ calls, find }: Resource): Promise<unknown[]> {
  const { api } = await fresh();
  let body: unknown;
  for (const [call, sent] of calls) {
    const answer = await send(api, call, sent);
    expect([200, 201], answer.text).toContain(answer.status);
    ({ body } = answer);
  }
  return find(body as never);
}

describe.each(Object.entries(RESOURCES))('%s', (name, resource) => {
  it.each(resource.fields)('has %s of the documented type', async (field, fits) => {
    const known = answers.get(name) ?? answered(resource);
    answers.set(name, known);
    const found = (await known) as Record<string, unknown>[];

    const values = found.flatMap((each) => (each[field] === undefined ? [] : [each[field]]));
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((value) => !fits(value))).toEqual([]);
  });
});
