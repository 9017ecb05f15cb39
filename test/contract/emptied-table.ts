import { tokensOf } from '../operations/oauth-support.ts';
import type { Booted } from '../support/boot.ts';
import { create } from '../support/connections.ts';
import { ACME, ADA, GMAIL, OKTA_DIRECTORY, RESEARCH, TASK_SERVER } from '../support/fixture-ids.ts';

/** What an update changes. */
export interface Target {
  /** The row as `collection/id`. */
  row: string;
  /** The variables of the path. */
  path?: Readonly<Record<string, string>>;
  /** What each body has. */
  body?: object;
  headers?: Record<string, string>;
}

type Outcome = 'empty' | 'full' | 'refused' | object;

type Prepare = (booted: Booted) => Promise<Target> | Target;

/** One list or map: what it holds after an empty one was sent. */
export interface Field {
  value: object;
  /** If not that of the operation. */
  target?: Prepare;
  /** What the body has beside it. */
  beside?: object;
  /** How the row keeps the value. */
  stored?: object;
  /** Where the row keeps it, if not under the same name. */
  at?: (row: never) => unknown;
  /** Over REST, without a mask. */
  rest?: Outcome;
  /** Over gRPC, without a mask. Protocol buffers cannot tell an empty list from a missing one. */
  rpc?: Outcome;
  /** With a mask that names it. */
  masked?: Outcome;
  /** It counts only if the mask names it. */
  onlyMasked?: true;
}

export interface Emptied {
  target: Prepare;
  /** A user calls it, not a client. */
  caller?: 'user';
  /** The parameter that is the field mask. */
  mask?: string;
  /** A text says why the field has no row. */
  fields: Readonly<Record<string, Field | string>>;
}

/** A message of its own in a body replaces what was there, so an empty one empties it over gRPC too. */
const WHOLE = { rpc: 'empty' } as const;

const REQUIRED = { rest: 'refused', rpc: 'refused' } as const;

const TAGS = { team: 'bakery' };
const CLAIMS = [{ key: 'plan', value: 'trial' }];
const EMPTY_BODY = 'the operation reads no member of the body';
const OTHER_TYPE = 'connections of organizations have no such type';

const asUser = async (booted: Booted) => ({
  authorization: `Bearer ${(await tokensOf(booted)).access_token}`,
});

/** A new connection of the environment. */
const connection =
  (wanted: { type: string; provider_key: string; key_id?: string }, config: object = {}, flags = '') =>
  async ({ api }: Booted): Promise<Target> => {
    const { id } = await create(api, wanted, undefined, flags);
    await api.patch(`/api/v1/connections/${id}`).send(config).expect(200);
    return { row: `connections/${id}`, path: { connection_id: id }, body: { type: wanted.type } };
  };

const ofOrganization = async ({ api }: Booted): Promise<Target> => {
  const { id } = await create(api, { type: 'OIDC', provider: 'OKTA' }, ACME);
  const path = { organization_id: ACME, id, connection_id: id };
  return { row: `connections/${id}`, path, body: { type: 'OIDC' } };
};

const CUSTOM = 'CELLARBOOKS:10000000000000001';
const ENGINEERING = 'dirgroup_10000000000000611';
const WEB_CLIENT = 'skc_10000000000000002';
const ORG_CLIENT = 'm2morg_10000000000000001';
const AGENT = 'm2m_10000000000000001';
const TOOL = { name: 'gmail_count', provider: 'GMAIL' };
const PATTERNS = [{ type: 'API_KEY', display_name: 'Key', fields: [] }];

interface Account {
  authorization_details: { oauth_token: { scopes: string[] }; static_auth: { details: object } };
  api_config?: object;
}

interface Directory {
  attribute_mappings?: { attributes: object[] };
  chosen_groups?: string[];
  context?: object;
}

const directory = (): Target => ({
  row: `directories/${OKTA_DIRECTORY}`,
  path: { organization_id: ACME, id: OKTA_DIRECTORY },
});

const APP = '?flags.is_app=true';
const OAUTH = connection(
  { type: 'OAUTH', provider_key: 'NOTION', key_id: 'oauth' },
  { type: 'OAUTH', oauth_config: { scopes: ['x'], optional_scopes: { scopes: ['y'], field_name: 'more' } } },
  APP,
);
const RELYING_PARTY = { webauthn_config: { rp: { ids: ['a.example'], origins: ['https://a.example'] } } };
const PASSKEYS = connection({ type: 'WEBAUTHN', provider_key: 'CUSTOM', key_id: 'WEBAUTHN' });
const DELEGATION = connection(
  { type: 'GOOGLE_DWD', provider_key: 'GOOGLEDWD', key_id: 'delegation' },
  { type: 'GOOGLE_DWD', google_dwd_config: { scopes: ['x'] } },
  APP,
);
/** Required scopes count, and are replaced, where the body has this member. */
const ALLOWED_OAUTH = { beside: { oauth_config: { scope_selection_allowed: true } }, ...WHOLE };
const OF_ENVIRONMENTS = [
  'oauth_config.scopes',
  'oauth_config.optional_scopes.scopes',
  'oauth_config.extensions.extra_authorize_params',
  'oauth_config.required_scopes',
  'oauth_config.required_optional_scopes',
  'static_config.static_config',
  'webauthn_config.rp.ids',
  'webauthn_config.rp.origins',
  'webauthn_config.attestation.enterprise_approved_ids',
  'webauthn_config.authenticators.desired_authenticator_status',
  'webauthn_config.authenticators.undesired_authenticator_status',
  'google_dwd_config.scopes',
  'google_dwd_config.required_scopes',
];

const PERMISSIONS: Field = {
  value: ['invoices:read'],
  stored: ['perm_10000000000000101'],
  at: (row: { permission_ids: string[] }) => row.permission_ids,
};

export const TABLE: Readonly<Record<string, Emptied>> = {
  OrganizationService_UpdateOrganization: {
    target: () => ({ row: `organizations/${ACME}`, path: { id: ACME } }),
    mask: 'update_mask',
    fields: { metadata: { value: TAGS } },
  },
  OrganizationService_UpdateOrganizationBranding: {
    target: () => ({
      row: `organizations/${ACME}`,
      path: { organization_id: ACME },
      body: { source: 'BRANDING_SOURCE_CUSTOM' },
    }),
    fields: {
      customization_settings: {
        value: { primary_color: '#112233' },
        at: (row: { branding: { customization_settings: object } }) => row.branding.customization_settings,
        ...WHOLE,
      },
    },
  },
  OrganizationService_UpdateOrganizationSettings: {
    target: () => ({ row: `organizations/${ACME}`, path: { id: ACME } }),
    fields: {
      features: {
        value: [{ name: 'sso', enabled: true }],
        at: (row: { settings: { features: { name: string }[] } }) =>
          row.settings.features.filter(({ name }) => name === 'sso'),
        // Features are merged: others than the given ones stay.
        rest: 'full',
      },
    },
  },
  UserService_UpdateUser: {
    target: () => ({ row: `users/${ADA}`, path: { id: ADA } }),
    fields: {
      'user_profile.metadata': { value: TAGS },
      'user_profile.custom_attributes': { value: TAGS },
      'user_profile.groups': { value: ['bakers'] },
      metadata: { value: TAGS },
    },
  },
  UserService_UpdateMembership: {
    target: () => ({ row: 'memberships/mem_10000000000000001', path: { organization_id: ACME, id: ADA } }),
    fields: {
      // Node's SDK sends both each time, empty if they are not given.
      roles: {
        value: [{ name: 'member' }],
        stored: ['role_10000000000000002'],
        at: (row: { role_ids: string[] }) => row.role_ids,
        rest: 'full',
      },
      metadata: { value: TAGS, rest: 'full' },
    },
  },
  UserService_ResendInvite: { target: unused, fields: { '': EMPTY_BODY } },
  DomainService_UpdateDomain: { target: unused, fields: { '': EMPTY_BODY } },
  RolesService_UpdateRole: {
    target: async ({ api }) => {
      const role = { name: 'baker', display_name: 'Baker' };
      const { body } = await api.post('/api/v1/roles').send(role).expect(201);
      return { row: `roles/${body.role.id}`, path: { role_name: 'baker' } };
    },
    fields: { permissions: PERMISSIONS },
  },
  RolesService_UpdateOrganizationRole: {
    target: async ({ api }) => {
      const role = { name: 'baker', display_name: 'Baker' };
      const { body } = await api.post(`/api/v1/organizations/${ACME}/roles`).send(role).expect(201);
      return { row: `roles/${body.role.id}`, path: { org_id: ACME, role_name: 'baker' } };
    },
    fields: { permissions: PERMISSIONS },
  },
  InterceptorService_UpsertTokenTemplate: {
    target: () => ({ row: 'token_templates/token_template' }),
    fields: { template: { value: { plan: 'trial' }, ...WHOLE } },
  },
  ConnectedAccountService_UpdateConnectedAccount: {
    target: () => ({ row: `connected_accounts/${GMAIL}`, body: { id: GMAIL, connected_account: {} } }),
    fields: {
      'connected_account.authorization_details.oauth_token.scopes': {
        value: ['a'],
        at: (row: Account) => row.authorization_details.oauth_token.scopes,
      },
      'connected_account.authorization_details.static_auth.details': {
        value: { token: 'secret' },
        at: (row: Account) => row.authorization_details.static_auth.details,
        // Details are merged: every given key is kept.
        rest: 'full',
      },
      'connected_account.authorization_details.google_dwd.scopes': 'the service works the scopes out',
      'connected_account.api_config': {
        value: { version: '1' },
        at: (row: Account) => row.api_config,
        // Every given key is kept.
        rest: 'full',
      },
      'scope_selection.scopes':
        'test/operations/scope-selection.test.ts: the selection is replaced as a whole',
      'scope_selection.optional_scopes': 'as scope_selection.scopes',
    },
  },
  ToolService_UpdateTool: {
    target: async ({ api }) => {
      const { body } = await api.post('/api/v1/tools').send({ definition: TOOL }).expect(200);
      return { row: `tools/${body.tool.id}`, body: { definition: TOOL } };
    },
    fields: {
      definition: 'a definition needs members',
      metadata: { value: TAGS, ...WHOLE },
      tags: { value: ['read'] },
    },
  },
  ProviderService_UpdateProvider: {
    target: () => ({
      row: `providers/${CUSTOM}`,
      path: { identifier: CUSTOM },
      body: { display_name: 'Cellar' },
    }),
    fields: {
      categories: { value: ['Honey'] },
      auth_patterns: { value: PATTERNS, ...WHOLE },
    },
  },
  ProviderService_UpdateCustomProvider: {
    target: () => ({
      row: `providers/${CUSTOM}`,
      path: { identifier: CUSTOM },
      body: { display_name: 'Cellar', proxy_url: 'https://api.cellar.example', auth_patterns: PATTERNS },
    }),
    fields: {
      auth_patterns: { value: PATTERNS, ...REQUIRED },
      metadata: { value: TAGS },
    },
  },
  DirectoryService_UpdateDirectory: {
    target: () => ({ ...directory(), body: { name: 'Okta' } }),
    fields: {
      mappings: {
        value: [{ key: 'email', map_to: 'mail' }],
        at: (row: Directory) => row.attribute_mappings?.attributes,
      },
      groups: {
        value: [{ external_id: '00g1engineering', display_name: 'Engineering', email: 'e@acme.example' }],
        stored: ['00g1engineering'],
        at: (row: Directory) => row.chosen_groups,
      },
    },
  },
  DirectoryService_AssignRoles: {
    target: () => ({ ...directory(), row: `directory_groups/${ENGINEERING}` }),
    fields: {
      assignments: {
        value: [{ group_id: ENGINEERING, role_name: 'member' }],
        stored: ['role_10000000000000002'],
        at: (row: { role_ids: string[] }) => row.role_ids,
        ...WHOLE,
      },
    },
  },
  DirectoryService_AssignGroupsForDirectory: {
    target: directory,
    fields: {
      external_ids: {
        value: ['00g1engineering'],
        at: (row: Directory) => row.chosen_groups,
        ...REQUIRED,
      },
    },
  },
  DirectoryService_UpdateAttributes: {
    target: directory,
    fields: {
      attributes: {
        value: [{ key: 'email', map_to: 'mail' }],
        at: (row: Directory) => row.attribute_mappings?.attributes,
        ...WHOLE,
      },
    },
  },
  DirectoryService_UpdateDirectoryContext: {
    caller: 'user',
    target: async (booted) => ({
      row: `directories/${OKTA_DIRECTORY}`,
      path: { organization_id: ACME, directory_id: OKTA_DIRECTORY },
      headers: await asUser(booted),
    }),
    fields: { '': { value: { step: 'done' }, at: (row: Directory) => row.context, ...WHOLE } },
  },
  ClientService_UpdateClient: {
    target: () => ({ row: `clients/${WEB_CLIENT}`, path: { client_id: WEB_CLIENT } }),
    mask: 'mask',
    fields: {
      back_channel_logout_uris: { value: ['https://a.example/ended'] },
      post_logout_redirect_uris: { value: ['https://a.example/out'] },
      post_login_uris: { value: ['https://a.example/in'] },
      scopes: { value: ['invoices:read'] },
      custom_claims: { value: CLAIMS },
      grant_types: { value: ['REFRESH_TOKEN'] },
      'ip_allowlist.cidrs': {
        value: [{ value: '192.0.2.0/24' }],
        stored: [{ value: '192.0.2.0/24', type: 'IPV4' }],
        ...WHOLE,
      },
    },
  },
  ClientService_UpdateOrganizationClient: {
    target: () => ({ row: `clients/${ORG_CLIENT}`, path: { organization_id: ACME, client_id: ORG_CLIENT } }),
    fields: {
      scopes: { value: ['invoices:write'] },
      audience: { value: ['https://api.example'] },
      custom_claims: { value: CLAIMS },
    },
  },
  ClientService_UpdateResource: {
    target: () => ({ row: `resources/${TASK_SERVER}`, path: { resource_id: TASK_SERVER } }),
    mask: 'update_mask',
    fields: {
      scopes: {
        value: ['todo:read'],
        stored: ['scp_10000000000000001'],
        at: (row: { scope_ids: string[] }) => row.scope_ids,
      },
      cimd_client_allowlist: {
        value: [{ type: 'URL', value: 'https://agent.example/client.json' }],
        onlyMasked: true,
        ...WHOLE,
      },
    },
  },
  ClientService_UpdateResourceClient: {
    target: () => ({
      row: `clients/${AGENT}`,
      path: { resource_id: TASK_SERVER, client_id: AGENT },
    }),
    mask: 'update_mask',
    fields: {
      scopes: { value: ['todo:write'] },
      audience: { value: ['https://api.example'] },
      custom_claims: { value: CLAIMS },
      redirect_uris: {
        value: ['https://a.example/in'],
        at: (row: { post_login_uris: string[] }) => row.post_login_uris,
      },
    },
  },
  EnvironmentService_UpdateEnvironmentTestUser: {
    target: async ({ control }) => {
      const { body } = await control.get('/state/settings/settings').expect(200);
      return { row: 'settings/settings', path: { id: body.environment_id } };
    },
    fields: {
      'test_user.emails': {
        value: ['ada+sktest@acme.example'],
        at: (row: { test_users: { emails: string[] } }) => row.test_users.emails,
      },
    },
  },
  ConnectionService_UpdateEnvironmentConnection: {
    target: connection({ type: 'OIDC', provider_key: 'OKTA' }),
    fields: {
      attribute_mapping: { value: { email: 'mail' } },
      'oidc_config.scopes': { value: ['email'] },
      'oauth_config.scopes': { value: ['a'], target: OAUTH },
      'oauth_config.optional_scopes.scopes': {
        value: ['o'],
        beside: { oauth_config: { optional_scopes: { field_name: 'optional' } } },
        target: OAUTH,
        ...WHOLE,
      },
      'oauth_config.extensions.extra_authorize_params': {
        value: { prompt: 'consent' },
        target: OAUTH,
        ...WHOLE,
      },
      'oauth_config.required_scopes': { value: ['x'], target: OAUTH, ...ALLOWED_OAUTH },
      'oauth_config.required_optional_scopes': { value: ['y'], target: OAUTH, ...ALLOWED_OAUTH },
      'static_config.static_config': {
        value: { domain: 'acme' },
        target: connection({ type: 'API_KEY', provider_key: 'FRESHDESK', key_id: 'keys' }, {}, APP),
        // Settings are merged: every given key is kept.
        rest: 'full',
      },
      'webauthn_config.rp.ids': {
        value: ['a.example'],
        beside: RELYING_PARTY,
        target: PASSKEYS,
        ...REQUIRED,
      },
      'webauthn_config.rp.origins': {
        value: ['https://a.example'],
        beside: RELYING_PARTY,
        target: PASSKEYS,
        ...REQUIRED,
      },
      'webauthn_config.attestation.enterprise_approved_ids': { value: ['a.example'], target: PASSKEYS },
      'webauthn_config.authenticators.desired_authenticator_status': {
        value: ['FIDO_CERTIFIED'],
        target: PASSKEYS,
      },
      'webauthn_config.authenticators.undesired_authenticator_status': {
        value: ['REVOKED'],
        target: PASSKEYS,
      },
      'google_dwd_config.scopes': { value: ['a'], target: DELEGATION },
      'google_dwd_config.required_scopes': {
        value: ['x'],
        beside: { google_dwd_config: { scope_selection_allowed: true } },
        target: DELEGATION,
        ...WHOLE,
      },
    },
  },
  ConnectionService_UpdateConnection: {
    target: ofOrganization,
    fields: {
      attribute_mapping: { value: { email: 'mail' } },
      'oidc_config.scopes': { value: ['email'] },
      ...Object.fromEntries(OF_ENVIRONMENTS.map((field) => [field, OTHER_TYPE])),
    },
  },
  ConnectionService_UpdateConnectionContext: {
    caller: 'user',
    target: async (booted) => ({
      ...(await ofOrganization(booted)),
      headers: await asUser(booted),
      body: {},
    }),
    fields: { '': { value: { step: 'done' }, at: (row: Directory) => row.context, ...WHOLE } },
  },
  ConnectionService_AssignDomainsToConnection: {
    target: async (booted) => ({ ...(await ofOrganization(booted)), body: {} }),
    fields: { domain_ids: { value: ['dom_10000000000000271'], ...WHOLE } },
  },
  McpService_UpdateMcpConfig: {
    target: () => ({ row: `mcp_configs/${RESEARCH}`, path: { config_id: RESEARCH } }),
    fields: {
      connection_tool_mappings: {
        value: [{ connection_name: 'gmail' }],
        stored: ['conn_10000000000000201'],
        at: (row: { connection_ids: string[] }) => row.connection_ids,
      },
    },
  },
};

function unused(): never {
  throw new Error('the operation has no list to fill');
}
