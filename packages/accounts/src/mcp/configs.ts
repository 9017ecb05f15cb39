import type { Input } from '@understudy/core/contract/types';
import type { Env, Rows } from '@understudy/core/state/env';
import { page } from '@understudy/core/rows/page';
import { taken } from '@understudy/core/operations/conflicts';
import { addressCode, ownCode, withoutEnvironment } from '@understudy/text/issued-code';
import type { Operations } from '@understudy/core/operations/handler';
import { isFiltered, listing } from '@understudy/core/operations/lists';
import { readOfferedTools, viewOfferedTools } from './offered-tools.ts';

type Config = Rows['mcp_configs'];
type Filter = Input<'McpService_ListMcpConfigs'>['query'];

export const configs = {
  McpService_CreateMcpConfig({ body }, env) {
    const { name, description = '', connection_tool_mappings = [] } = body;
    const by = env.mcp_configs.findBy('name', name);
    if (by) throw taken(env, 'mcpConfig', { key: name, by }, 'mcp_configs');
    const config = env.mcp_configs.insert({
      id: env.draw.id('cfg'),
      name,
      description,
      ...readOfferedTools(env, connection_tool_mappings),
      server_token: env.draw.uuid(),
    });
    return { config: viewConfig(env, config) };
  },

  McpService_GetMcpConfig({ path }, env) {
    return { config: viewConfig(env, env.mcp_configs.get(path.config_id)) };
  },

  McpService_ListMcpConfigs({ query }, env) {
    const { rows, ...rest } = page(env.mcp_configs, {
      ...listing(query, env),
      by: narrowest(env, query),
      ...(isFiltered(query) && { where: (config: Config) => isListed(env, config, query) }),
    });
    return { ...rest, configs: rows.map((config) => viewConfig(env, config)) };
  },

  McpService_UpdateMcpConfig({ path, body }, env) {
    const { description, connection_tool_mappings: offered } = body;
    const config = env.mcp_configs.update(path.config_id, {
      ...(description !== undefined && { description }),
      ...(offered && readOfferedTools(env, offered)),
    });
    return { config: viewConfig(env, config) };
  },

  McpService_DeleteMcpConfig({ path }, env) {
    env.remove('mcp_configs', path.config_id);
    return {};
  },
} satisfies Partial<Operations>;

/** If a user is given, also the state of that user's account on each connection. */
export function viewConfig(env: Env, config: Config, identifier?: string) {
  const { id, name, description } = config;
  return {
    id,
    name,
    description,
    connection_tool_mappings: viewOfferedTools(env, config, identifier),
    mcp_server_url: serverUrl(env, config),
  };
}

export const serverUrl = (env: Env, { server_token }: Config) =>
  `${env.baseUrl}/mcp/v3/servers/${addressCode(env, server_token)}`;

/** Picks the index with the fewest rows. */
function narrowest(env: Env, query: Filter): readonly [string, string] | undefined {
  const { 'filter.id': id, 'filter.name': name, 'filter.mcp_server_url': url } = query;
  if (id) return ['id', id];
  if (name) return ['name', name.toLowerCase()];
  return url ? ['server_token', tokenIn(env, url)] : undefined;
}

/** `narrowest` already applied an id. */
function isListed(env: Env, config: Config, query: Filter): boolean {
  const { 'filter.name': name, 'filter.mcp_server_url': url, search } = query;
  if (name && config.name !== name.toLowerCase()) return false;
  if (url && withoutEnvironment(config.server_token) !== tokenIn(env, url)) return false;
  if (search && !config.name.includes(search.toLowerCase())) return false;
  return hasProvider(env, config, query['filter.provider']);
}

/** Whether one of its connections belongs to the provider, ignoring case. */
const hasProvider = (env: Env, { connection_ids }: Config, provider = '') =>
  provider === '' ||
  connection_ids.some((id) => env.connections.get(id).provider_key.toLowerCase() === provider.toLowerCase());

const tokenIn = (env: Env, url: string) => ownCode(env, url.split('/').at(-1) ?? '') ?? '';
