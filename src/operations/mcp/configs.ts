import type { Input } from '../../contract/types.ts';
import { invalidArgument } from '../../errors.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { carrying } from '../environment-mark.ts';
import { pageSize } from '../page-size.ts';
import { isFiltered } from './filtered.ts';
import { readOffer, viewOffer } from './offer.ts';

type Config = Rows['mcp_configs'];
type Filter = Input<'McpService_ListMcpConfigs'>['query'];

export const configs = {
  McpService_CreateMcpConfig({ body }, world) {
    const { name, description = '', connection_tool_mappings = [] } = body;
    // Unverified: the service documents no status for a taken name; other taken names of it are bad requests.
    if (world.mcp_configs.findBy('name', name))
      throw invalidArgument(`duplicate key not allowed: mcp config ${name} exists already`);
    const config = world.mcp_configs.insert({
      id: world.draw.id('cfg'),
      name,
      description,
      ...readOffer(world, connection_tool_mappings),
      server_token: carrying(world, world.draw.uuid()),
    });
    return { config: viewConfig(world, config) };
  },

  McpService_GetMcpConfig({ path }, world) {
    return { config: viewConfig(world, world.mcp_configs.get(path.config_id)) };
  },

  McpService_ListMcpConfigs({ query }, world) {
    const { rows, ...rest } = page(world.mcp_configs, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: narrowest(query),
      ...(isFiltered(query) && { where: (config: Config) => isListed(world, config, query) }),
    });
    return { ...rest, configs: rows.map((config) => viewConfig(world, config)) };
  },

  McpService_UpdateMcpConfig({ path, body }, world) {
    const { description, connection_tool_mappings: offered } = body;
    const config = world.mcp_configs.update(path.config_id, {
      ...(description !== undefined && { description }),
      ...(offered && readOffer(world, offered)),
    });
    return { config: viewConfig(world, config) };
  },

  McpService_DeleteMcpConfig({ path }, world) {
    world.remove('mcp_configs', path.config_id);
    return {};
  },
} satisfies Partial<Operations>;

/** With a user also how far that user is on each connection. */
export function viewConfig(world: World, config: Config, identifier?: string) {
  const { id, name, description } = config;
  return {
    id,
    name,
    description,
    connection_tool_mappings: viewOffer(world, config, identifier),
    mcp_server_url: serverUrl(world, config),
  };
}

export const serverUrl = (world: World, { server_token }: Config) =>
  `${world.baseUrl}/mcp/v3/servers/${server_token}`;

/** The index that leaves the fewest rows to look at. */
function narrowest(query: Filter): readonly [string, string] | undefined {
  const { 'filter.id': id, 'filter.name': name, 'filter.mcp_server_url': url } = query;
  if (id) return ['id', id];
  if (name) return ['name', name.toLowerCase()];
  return url ? ['server_token', lastSegment(url)] : undefined;
}

/** An id needs no second look: where one is given it narrows the list. */
function isListed(world: World, config: Config, query: Filter): boolean {
  const { 'filter.name': name, 'filter.mcp_server_url': url, search } = query;
  if (name && config.name !== name.toLowerCase()) return false;
  if (url && config.server_token !== lastSegment(url)) return false;
  if (search && !config.name.includes(search.toLowerCase())) return false;
  return offers(world, config, query['filter.provider']);
}

/** Whether one of its connections is to the provider, whatever the case. */
const offers = (world: World, { connection_ids }: Config, provider = '') =>
  provider === '' ||
  connection_ids.some(
    (id) => world.connections.get(id).provider_key.toLowerCase() === provider.toLowerCase(),
  );

const lastSegment = (url: string) => url.split('/').at(-1) ?? '';
