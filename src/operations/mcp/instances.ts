import type { Input } from '../../contract/types.ts';
import { invalidArgument } from '../../errors.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { carrying } from '../environment-mark.ts';
import { pageSize } from '../page-size.ts';
import { viewConfig } from './configs.ts';
import { isFiltered } from './filtered.ts';

type Instance = Rows['mcp_instances'];
type Filter = Input<'McpService_ListMcpInstances'>['query'];

/** What the service answers for a time that never was. */
const NEVER = '0001-01-01T00:00:00Z';

export const instances = {
  McpService_EnsureMcpInstance({ body: { name, config_name, user_identifier } }, world) {
    const config = world.mcp_configs.getBy('name', config_name);
    const user = world.mcp_instances.list('config_user', `${config.id} ${user_identifier}`);
    const instance =
      user.find((each) => !name || each.name === name) ??
      world.mcp_instances.insert({
        id: world.draw.id('inst'),
        // Unverified: the service documents no name for an instance that is given none.
        name: name || `${config_name}-${user_identifier}`,
        config_id: config.id,
        user_identifier,
        updated_at: world.clock.iso(),
        link_token: carrying(world, world.draw.uuid()),
      });
    return { instance: viewInstance(world, instance) };
  },

  McpService_GetMcpInstance({ path }, world) {
    return { instance: viewInstance(world, world.mcp_instances.get(path.instance_id)) };
  },

  McpService_ListMcpInstances({ query }, world) {
    const { rows, ...rest } = page(world.mcp_instances, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: narrowest(world, query),
      ...(isFiltered(query) && { where: (instance: Instance) => isListed(world, instance, query) }),
    });
    return { ...rest, instances: rows.map((instance) => viewInstance(world, instance)) };
  },

  McpService_UpdateMcpInstance({ path, body }, world) {
    const { id, ...current } = world.mcp_instances.get(path.instance_id);
    const name = body.name || current.name;
    const config_id = body.config_name
      ? world.mcp_configs.getBy('name', body.config_name).id
      : current.config_id;
    refuseDuplicate(world, { ...current, id, name, config_id });
    const instance = world.mcp_instances.update(id, { name, config_id, updated_at: world.clock.iso() });
    return { instance: viewInstance(world, instance) };
  },

  McpService_DeleteMcpInstance({ path }, world) {
    world.remove('mcp_instances', path.instance_id);
    return {};
  },
} satisfies Partial<Operations>;

/** Unverified: a user has one instance of a name in a configuration; other users may use the name again. */
function refuseDuplicate(world: World, { id, name, config_id, user_identifier }: Instance): void {
  const same = world.mcp_instances
    .list('config_user', `${config_id} ${user_identifier}`)
    .some((each) => each.name === name && each.id !== id);
  if (same) throw invalidArgument(`duplicate key not allowed: mcp instance ${name} exists already`);
}

function viewInstance(world: World, instance: Instance) {
  const { id, name, user_identifier, last_used_at = NEVER, updated_at, link_token } = instance;
  return {
    id,
    name,
    user_identifier,
    config: viewConfig(world, world.mcp_configs.get(instance.config_id), user_identifier),
    last_used_at,
    updated_at,
    url: `${world.baseUrl}/mcp/v1/${link_token}`,
  };
}

/** The index that leaves the fewest rows to look at. */
function narrowest(world: World, query: Filter): readonly [string, string] | undefined {
  const { 'filter.id': id, 'filter.name': name, 'filter.config_name': config } = query;
  if (id) return ['id', id];
  if (query['filter.user_identifier']) return ['user_identifier', query['filter.user_identifier']];
  if (name) return ['name', name];
  return config ? ['config_id', world.mcp_configs.findBy('name', config)?.id ?? ''] : undefined;
}

/** An id needs no second look: where one is given it narrows the list. */
function isListed(world: World, instance: Instance, query: Filter): boolean {
  const { 'filter.name': name, 'filter.user_identifier': user } = query;
  const { 'filter.config_name': config, search = '' } = query;
  if (name && instance.name !== name) return false;
  if (user && instance.user_identifier !== user) return false;
  if (config && world.mcp_configs.get(instance.config_id).name !== config) return false;
  return instance.name.toLowerCase().includes(search.toLowerCase());
}
