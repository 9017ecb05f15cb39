import type { Collection } from '@understudy/core/state/env';
import { plainText } from '@understudy/text/json';
import type { Pulled } from './pulled.ts';
import * as rows from './answer-rows.ts';
import type { Item, RowsOf } from './answer-rows.ts';
import type { Kinds } from './stand-ins.ts';

/** Parameters of a call by name. Those that the path does not have go into the query. */
export type Parameters = Readonly<Record<string, string>>;

/** A list of the API, and what its items become. */
export interface Source {
  collection: Collection;
  operation: string;
  /** The member of the answer with the items, or with the only one. */
  member: string;
  /** Absent: one call without parameters. */
  calls?: (pulled: Pulled) => Parameters[];
  query?: Parameters;
  /** An environment need not have it. */
  mayBeAbsent?: true;
  /** Absent: newest first. */
  oldestFirst?: true;
  kinds?: Kinds;
  /** Whether the item belongs to the service, not to the environment, so that it has nothing of a person. */
  isPublic?: (item: Item) => boolean;
  /** Absent: the item is the row. */
  row?: RowsOf;
}

/** A call for each row of a collection, with its id as the named parameter. */
const each =
  (collection: Collection, parameter: string) =>
  (pulled: Pulled): Parameters[] =>
    pulled.rows(collection).map(({ id }) => ({ [parameter]: id }));

const eachOrganization = each('organizations', 'organization_id');

const eachDirectory = (pulled: Pulled): Parameters[] =>
  pulled
    .rows('directories')
    .map(({ id, organization_id }) => ({ organization_id: plainText(organization_id), directory_id: id }));

/** A name that programs use. */
const NAME = { name: 'plain' } as const;
const ROLE = { ...NAME, extends: 'plain', role_name: 'plain' } as const;
const TOOLS = { ...NAME, tools: 'plain' } as const;
const SETTINGS = {
  attribute_mapping: 'plain',
  idp_certificates: 'left out',
  certificate: 'left out',
} as const;
const TEMPLATES = { request_template: 'left out', response_template: 'left out' } as const;
const PROVIDER = {
  identifier: 'plain',
  categories: 'plain',
  field_name: 'plain',
  input_type: 'plain',
} as const;
/** Of JSON Schema, in which every other text is a word of the schema. */
const TOOL = { ...NAME, required: 'plain', enum: 'plain', pattern: 'plain', tags: 'plain' } as const;

/** Where somebody was, and with which machine, is nobody's business. */
const PASSKEY = {
  ...NAME,
  credential_id: 'plain',
  aaguid: 'plain',
  transports: 'plain',
  attachment: 'plain',
  icon_dark: 'plain',
  icon_light: 'plain',
  user_agent: 'left out',
  client_info: 'left out',
} as const;

const isShipped = ({ is_default, is_custom }: Item) => is_default === true || is_custom === false;

/** All that a pull reads, in the order in which it reads. A row may be found by several of these. */
export const SOURCES: readonly Source[] = [
  {
    collection: 'settings',
    operation: 'EnvironmentService_ListEnvironment',
    member: 'environments',
    kinds: { display_name: 'company' },
    row: rows.environmentSettings,
  },
  {
    collection: 'settings',
    operation: 'EnvironmentService_GetEnvironmentTestUser',
    member: 'test_user',
    calls: (pulled) =>
      pulled.rows('settings').map(({ environment_id }) => ({ id: plainText(environment_id) })),
    row: rows.testUsers,
  },
  {
    collection: 'permissions',
    operation: 'RolesService_ListPermissions',
    member: 'permissions',
    kinds: NAME,
  },
  {
    collection: 'roles',
    operation: 'RolesService_ListRoles',
    member: 'roles',
    query: { include: 'permissions' },
    oldestFirst: true,
    kinds: ROLE,
    row: rows.environmentRole,
  },
  {
    collection: 'organizations',
    operation: 'OrganizationService_ListOrganization',
    member: 'organizations',
    kinds: { ...NAME, display_name: 'company' },
  },
  {
    collection: 'roles',
    operation: 'RolesService_ListOrganizationRoles',
    member: 'roles',
    calls: each('organizations', 'org_id'),
    query: { include: 'permissions' },
    oldestFirst: true,
    kinds: ROLE,
    row: rows.organizationRole,
  },
  {
    collection: 'organizations',
    operation: 'OrganizationService_GetOrganizationSessionPolicy',
    member: 'policy',
    calls: eachOrganization,
    row: rows.sessionPolicy,
  },
  {
    collection: 'settings',
    operation: 'OrganizationService_GetApplicationSessionPolicy',
    member: 'application_policy',
    calls: (pulled) => eachOrganization(pulled).slice(0, 1),
    row: rows.applicationPolicy,
  },
  {
    collection: 'organizations',
    operation: 'OrganizationService_GetOrganizationUserManagementSetting',
    member: 'settings',
    calls: eachOrganization,
    row: ({ max_allowed_users }, { parameters }) => ({
      id: parameters['organization_id']!,
      max_allowed_users,
    }),
  },
  {
    collection: 'organizations',
    operation: 'OrganizationService_GetOrganizationBranding',
    member: 'branding',
    calls: eachOrganization,
    row: rows.branding,
  },
  {
    collection: 'clients',
    operation: 'ClientService_ListClient',
    member: 'clients',
    query: { 'filter.client_type': 'ALL' },
    row: rows.client,
  },
  { collection: 'users', operation: 'UserService_ListUsers', member: 'users' },
  {
    collection: 'passkeys',
    operation: 'WebAuthnService_ListCredentials',
    member: 'credentials',
    calls: each('users', 'user_id'),
    oldestFirst: true,
    kinds: PASSKEY,
  },
  {
    collection: 'memberships',
    operation: 'UserService_ListOrganizationUsers',
    member: 'users',
    calls: eachOrganization,
    row: rows.membership,
  },
  { collection: 'members', operation: 'MembersService_ListMembers', member: 'members' },
  {
    collection: 'domains',
    operation: 'DomainService_ListDomains',
    member: 'domains',
    calls: eachOrganization,
  },
  {
    collection: 'connections',
    operation: 'ConnectionService_ListConnections',
    member: 'connections',
    query: { include: 'all' },
    oldestFirst: true,
    row: rows.connection,
  },
  {
    collection: 'connections',
    operation: 'ConnectionService_ListAppConnections',
    member: 'connections',
    row: rows.appConnection,
  },
  {
    collection: 'connections',
    operation: 'ConnectionService_ListOrganizationConnections',
    member: 'connections',
    row: rows.connection,
  },
  {
    collection: 'connections',
    operation: 'ConnectionService_GetEnvironmentConnection',
    member: 'connection',
    calls: (pulled) =>
      pulled
        .rows('connections')
        .flatMap(({ id, organization_id }) => (organization_id ? [] : [{ connection_id: id }])),
    kinds: SETTINGS,
    row: rows.connection,
  },
  {
    collection: 'connections',
    operation: 'ConnectionService_GetConnection',
    member: 'connection',
    calls: (pulled) =>
      pulled
        .rows('connections')
        .flatMap(({ id, organization_id }) =>
          organization_id ? [{ id, organization_id: plainText(organization_id) }] : [],
        ),
    kinds: SETTINGS,
    row: rows.connection,
  },
  {
    collection: 'directories',
    operation: 'DirectoryService_ListDirectories',
    member: 'directories',
    oldestFirst: true,
    calls: eachOrganization,
    kinds: { role_name: 'plain', groups_tracked: 'plain' },
    row: rows.directory,
  },
  {
    collection: 'directory_groups',
    operation: 'DirectoryService_ListDirectoryGroups',
    member: 'groups',
    calls: eachDirectory,
    query: { include_detail: 'true' },
    row: rows.directoryGroup,
  },
  {
    collection: 'directory_groups',
    operation: 'DirectoryService_ListDirectoryGroups',
    member: 'groups',
    calls: eachDirectory,
    query: { include_detail: 'true', include_external_groups: 'true' },
    row: rows.externalGroup,
  },
  {
    collection: 'directory_groups',
    operation: 'DirectoryService_ListDirectories',
    member: 'directories',
    oldestFirst: true,
    calls: eachOrganization,
    kinds: { role_name: 'plain', groups_tracked: 'plain' },
    row: rows.groupRoles,
  },
  {
    collection: 'directory_users',
    operation: 'DirectoryService_ListDirectoryUsers',
    member: 'users',
    calls: eachDirectory,
    query: { include_detail: 'true' },
    row: rows.directoryUser,
  },
  {
    collection: 'clients',
    operation: 'ClientService_ListOrganizationClients',
    member: 'clients',
    calls: eachOrganization,
    row: rows.client,
  },
  {
    collection: 'scopes',
    operation: 'ClientService_ListScopes',
    member: 'scopes',
    oldestFirst: true,
    kinds: NAME,
  },
  {
    collection: 'resources',
    operation: 'ClientService_ListResources',
    member: 'resources',
    calls: () =>
      ['WEB', 'MOBILE', 'DESKTOP', 'SERVER', 'MCP_SERVER'].map((resource_type) => ({ resource_type })),
    row: rows.resource,
  },
  {
    collection: 'clients',
    operation: 'ClientService_ListResourceClients',
    member: 'clients',
    calls: each('resources', 'resource_id'),
    row: rows.client,
  },
  {
    collection: 'consents',
    operation: 'ClientService_ListResourceUserConsents',
    member: 'consents',
    calls: each('resources', 'resource_id'),
    row: rows.consent,
  },
  {
    collection: 'api_tokens',
    operation: 'ApiTokenService_ListTokens',
    member: 'tokens',
    calls: eachOrganization,
    row: rows.apiToken,
  },
  {
    collection: 'providers',
    operation: 'ProviderService_ListProviders',
    member: 'providers',
    oldestFirst: true,
    kinds: PROVIDER,
    isPublic: isShipped,
    row: rows.provider,
  },
  {
    collection: 'providers',
    operation: 'ProviderService_ListMyProviders',
    member: 'providers',
    oldestFirst: true,
    kinds: PROVIDER,
    isPublic: isShipped,
    row: rows.provider,
  },
  {
    collection: 'tools',
    operation: 'ToolService_ListTools',
    member: 'tools',
    oldestFirst: true,
    kinds: TOOL,
    isPublic: isShipped,
    row: rows.tool,
  },
  {
    collection: 'connected_accounts',
    operation: 'ConnectedAccountService_ListConnectedAccounts',
    member: 'connected_accounts',
    row: rows.connectedAccount,
  },
  {
    collection: 'mcp_configs',
    operation: 'McpService_ListMcpConfigs',
    member: 'configs',
    kinds: TOOLS,
    row: rows.mcpConfig,
  },
  {
    collection: 'mcp_instances',
    operation: 'McpService_ListMcpInstances',
    member: 'instances',
    row: rows.mcpInstance,
  },
  { collection: 'mcps', operation: 'McpService_ListMcp', member: 'mcps', row: rows.mcp },
  {
    collection: 'interceptors',
    operation: 'InterceptorService_ListInterceptors',
    member: 'interceptors',
    kinds: { ...TEMPLATES, header_name: 'plain' },
    row: rows.interceptor,
  },
  {
    collection: 'token_templates',
    operation: 'InterceptorService_GetTokenTemplate',
    member: 'config',
    mayBeAbsent: true,
    kinds: { template: 'left out' },
    row: (item) => (item['template'] === undefined ? undefined : { ...item, id: 'token_template' }),
  },
];
