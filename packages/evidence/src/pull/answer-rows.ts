import { KNOWN_CREDENTIALS } from '@understudy/core/config';
import { scopeOf } from '@understudy/core/state/tables/connection-tables';
import type { Rows } from '@understudy/core/state/env';
import { isObject, plainText } from '@understudy/text/json';
import type { Parameters } from './sources.ts';
import type { Pulled, PulledRow } from './pulled.ts';

export type Item = Record<string, unknown>;

/** Where an item was found. */
export interface Found {
  parameters: Parameters;
  /** All items of the same list. */
  items: readonly Item[];
  pulled: Pulled;
  /** The host that is asked. */
  host: string;
  /** Makes the value of a secret that no list gives. */
  secret: (of: string) => string;
  /** What Understudy's own fixtures know of a provider or tool, and no list gives. */
  known: (collection: 'providers' | 'tools', name: unknown) => Item;
}

/** Undefined: the item is no row of the collection. Members that rows do not have are ignored. */
export type RowsOf = (item: Item, found: Found) => PulledRow | PulledRow[] | undefined;

const list = (value: unknown): Item[] => (Array.isArray(value) ? value.filter(isObject) : []);

const idOf = ({ id }: Item): string => plainText(id);

const without = (item: unknown, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(isObject(item) ? item : {}).filter(([name]) => !names.includes(name)));

/** Of the address of a server, which is its secret. */
const lastSegment = (address: unknown): string => plainText(address).split('/').at(-1) ?? '';

/** The environment whose client asks. The list may have others, of the same workspace. */
export const environmentSettings: RowsOf = (item, { items, host }) => {
  const own = items.find(({ domain }) => domain === host) ?? items[0];
  if (item !== own) return undefined;
  const { create_time, update_time, display_name, region_code, type } = item;
  const environment = { create_time, update_time, display_name, region_code, type };
  return { id: 'settings', environment_id: item['id'], environment };
};

/** The code is a secret, so the test users have that of Understudy. Stand-ins for addresses lose what marks a test user. */
export const testUsers: RowsOf = ({ enabled, emails }) => {
  const addresses = (Array.isArray(emails) ? emails : []).map((each) =>
    plainText(each).replace(/^([^@+]*)@/, '$1+sktest@'),
  );
  if (enabled !== true && addresses.length === 0) return undefined;
  return { id: 'settings', test_users: { enabled, emails: addresses } };
};

const MINUTES: Record<string, number> = { HOURS: 60, DAYS: 1440 };

/** Times in minutes. An idle timeout that is off has none. */
function policyOf(item: Item): Item {
  const inMinutes = (name: string) =>
    Number(item[name] ?? 0) * (MINUTES[plainText(item[`${name}_unit`])] ?? 1) || undefined;
  return {
    absolute_session_timeout: inMinutes('absolute_session_timeout'),
    idle_session_timeout_enabled: item['idle_session_timeout_enabled'] ?? false,
    idle_session_timeout: item['idle_session_timeout_enabled']
      ? inMinutes('idle_session_timeout')
      : undefined,
  };
}

export const sessionPolicy: RowsOf = (item, { parameters }) =>
  item['policy_source'] === 'CUSTOM'
    ? { id: parameters['organization_id']!, session_policy: policyOf(item) }
    : undefined;

export const applicationPolicy: RowsOf = (item) => ({
  id: 'settings',
  ...policyOf(item),
  access_token_expiry: item['access_token_expiry'] || undefined,
});

export const branding: RowsOf = (item, { parameters }) =>
  item['source'] === 'BRANDING_SOURCE_CUSTOM'
    ? { id: parameters['organization_id']!, branding: item }
    : undefined;

const roleOf = (item: Item, items: readonly Item[]): PulledRow => ({
  ...item,
  id: idOf(item),
  base_role_id: items.find(({ name }) => name !== undefined && name === item['extends'])?.['id'],
  permission_ids: list(item['permissions']).map(idOf),
});

export const environmentRole: RowsOf = (item, { items }) =>
  item['is_org_role'] === true
    ? undefined
    : roleOf(
        item,
        items.filter((each) => each['is_org_role'] !== true),
      );

/** The list of an organization also has the roles of the environment, and marks the organization's own default. */
export const organizationRole: RowsOf = (item, { parameters, items, pulled }) => {
  const organization = parameters['org_id']!;
  const isDefault = item['default_member'] === true;
  if (isDefault && pulled.find('roles', idOf(item))?.['default_member'] !== true)
    pulled.add('organizations', { id: organization, default_member_role_id: item['id'] });
  if (item['is_org_role'] !== true) return undefined;
  return {
    ...roleOf(item, items.toReversed()),
    organization_id: organization,
    default_member: false,
    default_creator: false,
  };
};

/**
 * The list shows the end of a secret, if that is kept. Every environment of Understudy has its known client, with its
 * known secret, so that one is left out.
 */
export const client: RowsOf = (item, { secret }) => {
  const id = idOf({ id: item['client_id'] ?? item['id'] });
  if (id === KNOWN_CREDENTIALS.client_id) return undefined;
  const secrets = list(item['secrets']).map((each) => ({
    ...each,
    secret: `${secret(`${id} ${idOf(each)}`)}${plainText(each['secret_suffix'])}`,
  }));
  return { ...item, id, secrets, post_login_uris: item['post_login_uris'] ?? item['redirect_uris'] };
};

/** No list gives the id of a membership. */
const membershipId = (organization: unknown, user: unknown): string =>
  `mem_${[organization, user].map((id) => plainText(id).replace(/^[a-z]+_/, '')).join('')}`;

export const membership: RowsOf = (item, { parameters }) => {
  const { organization_id } = parameters;
  const found = list(item['memberships']).find((each) => each['organization_id'] === organization_id);
  const id = membershipId(organization_id, item['id']);
  return { ...found, id, organization_id, user_id: item['id'], role_ids: list(found?.['roles']).map(idOf) };
};

const PROVED = ['VERIFIED', 'AUTO_VERIFIED'];

/** Without a list of domains, a connection has those of its organization that are verified. */
function servedDomains(item: Item, pulled: Pulled): unknown {
  const { organization_id: organization, domains } = item;
  if (!organization || !Array.isArray(domains)) return undefined;
  const names = domains.map((each: unknown) => (isObject(each) ? each['domain'] : each));
  const own = pulled.rows('domains').filter((each) => each['organization_id'] === organization);
  const usual = own.filter(
    (each) =>
      each['domain_type'] === 'ORGANIZATION_DOMAIN' &&
      PROVED.includes(plainText(each['verification_status'])),
  );
  const isUsual = usual.map(({ domain }) => domain).join() === names.join();
  if (isUsual) return undefined;
  return names.flatMap((name) => own.find(({ domain }) => domain === name)?.id ?? []);
}

/** Addresses that the service makes up, in the settings of a connection. */
const OWN_ADDRESSES = [
  'redirect_uri',
  'post_logout_redirect_uri',
  'backchannel_logout_redirect_uri',
  'sp_entity_id',
  'sp_assertion_url',
  'sp_slo_url',
];

export const connection: RowsOf = ({ mcp_server_url: _, ...item }, { pulled }) => {
  const created_at = item['created_at'] ?? item['create_time'];
  const updated_at = item['update_time'] ?? created_at;
  // Proto JSON shows a connection without an organization with an empty id.
  const organization_id = item['organization_id'] || undefined;
  const domain_ids = servedDomains(item, pulled);
  const settings = Object.entries(item).flatMap(([name, value]) =>
    name.endsWith('_config') ? [[name, without(value, OWN_ADDRESSES)] as const] : [],
  );
  return {
    ...item,
    ...Object.fromEntries(settings),
    id: idOf(item),
    organization_id,
    created_at,
    updated_at,
    domain_ids,
  };
};

/** Usually the type says what a connection is for. */
export const appConnection: RowsOf = (item, found) => {
  const row = connection(item, found) as PulledRow;
  const isUsual = scopeOf(row as unknown as Rows['connections']) === 'app';
  return isUsual ? row : { ...row, is_app: true };
};

/** No list says when a directory was created. */
export const directory: RowsOf = (item, { parameters, pulled }) => {
  const { organization_id = '' } = parameters;
  const create_time =
    list(item['secrets'])[0]?.['create_time'] ??
    pulled.find('organizations', organization_id)?.['create_time'];
  return { ...item, id: idOf(item), organization_id, create_time };
};

export const directoryGroup: RowsOf = (item, { parameters }) => ({
  ...item,
  id: idOf(item),
  directory_id: parameters['directory_id'],
  detail: without(item['group_detail'], ['id', 'display_name']),
});

/** The longer list also has the groups of the provider that the directory does not track. */
export const externalGroup: RowsOf = (item, found) =>
  found.pulled.find('directory_groups', idOf(item))
    ? undefined
    : { ...(directoryGroup(item, found) as PulledRow), external: true };

export const groupRoles: RowsOf = ({ role_assignments }) => {
  const given = new Map<string, unknown[]>();
  for (const { group_id, role_id } of list(isObject(role_assignments) && role_assignments['assignments']))
    given.set(plainText(group_id), [...(given.get(plainText(group_id)) ?? []), role_id]);
  return Array.from(given, ([id, role_ids]) => ({ id, role_ids }));
};

export const directoryUser: RowsOf = (item, { parameters }) => ({
  ...item,
  id: idOf(item),
  directory_id: parameters['directory_id'],
  group_ids: list(item['groups']).map(idOf),
  detail: without(item['user_detail'], [
    'id',
    'email',
    'preferred_username',
    'given_name',
    'family_name',
    'groups',
  ]),
});

export const resource: RowsOf = (item) => ({
  ...item,
  id: idOf(item),
  scope_ids: list(item['scopes']).flatMap((scope) => (scope['enabled'] === true ? [scope['id']] : [])),
  connection_id: isObject(item['connection_details']) ? item['connection_details']['id'] : undefined,
});

export const consent: RowsOf = (item, { parameters, pulled }) => {
  const given = item['external_user_id'];
  const user = pulled.findBy('users', 'external_id', given) ?? pulled.find('users', plainText(given));
  return {
    ...item,
    id: idOf(item),
    resource_id: parameters['resource_id'],
    user_id: user?.id,
    subject: user?.id ?? given,
  };
};

export const apiToken: RowsOf = (item, { secret }) => {
  const id = plainText(item['token_id']);
  const { organization_id, user_id } = item;
  return {
    ...item,
    id,
    token: `${secret(id)}${plainText(item['token_suffix'])}`,
    membership_id: user_id ? membershipId(organization_id, user_id) : undefined,
  };
};

export const provider: RowsOf = (item, { known }) => {
  const id = plainText(item['identifier']);
  return { ...known('providers', id), ...item, id, provider_id: item['id'] };
};

export const tool: RowsOf = (item, { known }) => {
  const { definition } = item;
  return { ...known('tools', isObject(definition) && definition['name']), ...item, id: idOf(item) };
};

/**
 * No list gives the credentials of an account. An active one gets some that can be refreshed, so that it stays active
 * and tools can use it.
 */
export const connectedAccount: RowsOf = (item, { secret }) => {
  const id = idOf(item);
  const isSignedIn = item['status'] === 'ACTIVE' && item['authorization_type'] === 'OAUTH';
  const oauth_token = {
    access_token: secret(`${id} access`),
    refresh_token: secret(`${id} refresh`),
    scopes: [],
    domain: '',
  };
  return {
    ...item,
    id,
    create_time: item['updated_at'],
    ...(isSignedIn && { authorization_details: { oauth_token } }),
  };
};

function offeredTools(mappings: readonly Item[], connectionOf: (mapping: Item) => unknown): Item {
  const offered = mappings.flatMap((mapping) => {
    const connection = connectionOf(mapping);
    return connection
      ? [{ connection: plainText(connection), tools: mapping['tools'] ?? mapping['tool_names'] }]
      : [];
  });
  const limited = offered.filter(({ tools }) => Array.isArray(tools) && tools.length > 0);
  return {
    connection_ids: offered.map(({ connection }) => connection),
    tools: Object.fromEntries(limited.map(({ connection, tools }) => [connection, tools])),
  };
}

export const mcpConfig: RowsOf = (item, { secret }) => ({
  ...item,
  ...offeredTools(list(item['connection_tool_mappings']), ({ connection_id }) => connection_id),
  id: idOf(item),
  server_token: lastSegment(item['mcp_server_url']) || secret(idOf(item)),
});

export const mcpInstance: RowsOf = (item, { secret }) => ({
  ...item,
  id: idOf(item),
  config_id: isObject(item['config']) ? item['config']['id'] : undefined,
  link_token: lastSegment(item['url']) || secret(idOf(item)),
});

export const mcp: RowsOf = (item, { pulled, secret }) => ({
  ...item,
  ...offeredTools(
    list(item['tool_mappings']),
    ({ connection_name }) => pulled.findBy('connections', 'key_id', connection_name)?.id,
  ),
  id: idOf(item),
  link_token: lastSegment(item['url']) || secret(idOf(item)),
});

/** The secrets of an interceptor must have their forms. */
export const interceptor: RowsOf = (item, { secret }) => {
  const id = idOf(item);
  const suffix = plainText(item['secret_suffix']);
  const end = /^[A-Za-z0-9+/]{4}$/.test(suffix) ? suffix : 'AAAA';
  return {
    ...item,
    id,
    config: withCredentials(item['config'], secret(`${id} credentials`)),
    secret: `whsec_${Buffer.from(secret(id)).toString('base64').slice(0, 36)}${end}`,
  };
};

function withCredentials(config: unknown, credential: string): unknown {
  if (!isObject(config) || !isObject(config['auth_config'])) return config;
  const { api_key, oauth2, ...rest } = config['auth_config'];
  return {
    auth_config: {
      ...rest,
      ...(isObject(api_key) && { api_key: { ...api_key, api_key: credential } }),
      ...(isObject(oauth2) && { oauth2: { ...oauth2, client_secret: credential } }),
    },
  };
}
