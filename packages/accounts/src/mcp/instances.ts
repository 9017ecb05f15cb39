import type { Input } from '@understudy/core/contract/types';
import type { Env, Rows } from '@understudy/core/state/env';
import { page } from '@understudy/core/rows/page';
import { taken } from '@understudy/core/operations/conflicts';
import { createMagicLink } from '../accounts/account-authorization.ts';
import { addressCode } from '@understudy/text/issued-code';
import type { Operations } from '@understudy/core/operations/handler';
import { isFiltered, listing } from '@understudy/core/operations/lists';
import { viewConfig } from './configs.ts';
import { accountOn, type OfferedTools } from './offered-tools.ts';

type Instance = Rows['mcp_instances'];
type Filter = Input<'McpService_ListMcpInstances'>['query'];

/** The service's value for a time that is not set. */
const NEVER = '0001-01-01T00:00:00Z';

export const instances = {
  McpService_EnsureMcpInstance({ body: { name, config_name, user_identifier } }, env) {
    const config = env.mcp_configs.getBy('name', config_name);
    const user = env.mcp_instances.list('config_user', `${config.id} ${user_identifier}`);
    const known = user.find((each) => !name || each.name === name);
    if (known) return { instance: viewInstance(env, known) };
    // Unverified (mcp/default-instance-name): the docs give no default name.
    if (!name) env.decidedBy('mcp/default-instance-name');
    const instance = env.mcp_instances.insert({
      id: env.draw.id('inst'),
      name: name || `${config_name}-${user_identifier}`,
      config_id: config.id,
      user_identifier,
      updated_at: env.clock.iso(),
      link_token: env.draw.uuid(),
    });
    return { instance: viewInstance(env, instance) };
  },

  McpService_GetMcpInstance({ path }, env) {
    return { instance: viewInstance(env, env.mcp_instances.get(path.instance_id)) };
  },

  McpService_ListMcpInstances({ query }, env) {
    const { rows, ...rest } = page(env.mcp_instances, {
      ...listing(query, env),
      by: narrowest(env, query),
      ...(isFiltered(query) && { where: (instance: Instance) => isListed(env, instance, query) }),
    });
    return { ...rest, instances: rows.map((instance) => viewInstance(env, instance)) };
  },

  McpService_UpdateMcpInstance({ path, body }, env) {
    const { id, ...current } = env.mcp_instances.get(path.instance_id);
    const name = body.name || current.name;
    const config_id = body.config_name
      ? env.mcp_configs.getBy('name', body.config_name).id
      : current.config_id;
    refuseDuplicate(env, { ...current, id, name, config_id });
    const instance = env.mcp_instances.update(id, { name, config_id, updated_at: env.clock.iso() });
    return { instance: viewInstance(env, instance) };
  },

  McpService_DeleteMcpInstance({ path }, env) {
    env.remove('mcp_instances', path.instance_id);
    return {};
  },
} satisfies Partial<Operations>;

/** Unverified (mcp/same-instance-name): instance names are unique per configuration and user. */
function refuseDuplicate(env: Env, { id, name, config_id, user_identifier }: Instance): void {
  const by = env.mcp_instances
    .list('config_user', `${config_id} ${user_identifier}`)
    .find((each) => each.name === name && each.id !== id);
  if (by)
    throw taken(env, 'mcpInstance', { key: name, by }, 'mcp_instances').decidedBy('mcp/same-instance-name');
}

function viewInstance(env: Env, instance: Instance) {
  const { id, name, user_identifier, last_used_at = NEVER, updated_at, link_token } = instance;
  return {
    id,
    name,
    user_identifier,
    config: viewConfig(env, env.mcp_configs.get(instance.config_id), user_identifier),
    last_used_at,
    updated_at,
    url: `${env.baseUrl}/mcp/v1/${addressCode(env, link_token)}`,
  };
}

/** Picks the index with the fewest rows. */
function narrowest(env: Env, query: Filter): readonly [string, string] | undefined {
  const { 'filter.id': id, 'filter.name': name, 'filter.config_name': config } = query;
  if (id) return ['id', id];
  if (query['filter.user_identifier']) return ['user_identifier', query['filter.user_identifier']];
  if (name) return ['name', name];
  return config ? ['config_id', env.mcp_configs.findBy('name', config)?.id ?? ''] : undefined;
}

/** `narrowest` already applied an id. */
function isListed(env: Env, instance: Instance, query: Filter): boolean {
  const { 'filter.name': name, 'filter.user_identifier': user } = query;
  const { 'filter.config_name': config, search = '' } = query;
  if (name && instance.name !== name) return false;
  if (user && instance.user_identifier !== user) return false;
  if (config && env.mcp_configs.get(instance.config_id).name !== config) return false;
  return instance.name.toLowerCase().includes(search.toLowerCase());
}

/** The state of a user's accounts on the connections of a configuration, with links to authorize them. */
export const authState = {
  McpService_GetMcpInstanceAuthState({ path, body }, env) {
    const { config_id, user_identifier } = env.mcp_instances.get(path.instance_id);
    const config = env.mcp_configs.get(config_id);
    return { connections: rowsOf(env, config, user_identifier, body.include_auth_links) };
  },

  McpService_ListMcpConnectedAccounts({ path, body }, env) {
    const config = env.mcp_configs.get(path.config_id);
    return { connected_accounts: rowsOf(env, config, body.identifier, body.include_auth_link) };
  },
} satisfies Partial<Operations>;

function rowsOf(env: Env, { connection_ids }: OfferedTools, identifier: string, withLinks = false) {
  return connection_ids.map((connection_id) => {
    const { key_id = '', provider_key } = env.connections.get(connection_id);
    // The link is made first, because it creates a missing account. Active accounts get one too.
    const wanted = withLinks && key_id !== '';
    const authentication_link = wanted ? createMagicLink(env, { connector: key_id, identifier }).link : '';
    const account = accountOn(env, connection_id, identifier);
    return {
      connection_id,
      connection_name: key_id,
      provider: provider_key,
      connected_account_id: account?.id ?? '',
      connected_account_status: account?.status ?? '',
      authentication_link,
    };
  });
}
