import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { carrying } from '../environment-mark.ts';
import { readOffer, viewOffer, type Offer } from './offer.ts';

type Mcp = Rows['mcps'];

/** Servers of the API's oldest kind: for one user, without a configuration. */
export const mcps = {
  McpService_CreateMcp({ body }, world) {
    const { connected_account_identifier, tool_mappings } = body;
    const offered = tool_mappings.map(({ tool_names: tools, ...mapping }) => ({ ...mapping, tools }));
    const offer = readOffer(world, offered);
    const mcp =
      findSame(world, connected_account_identifier, offer) ??
      world.mcps.insert({
        id: world.draw.id('mcp'),
        connected_account_identifier,
        ...offer,
        link_token: carrying(world, world.draw.uuid()),
      });
    return { mcp: viewMcp(world, mcp) };
  },

  McpService_GetMcp({ path }, world) {
    return { mcp: viewMcp(world, world.mcps.get(path.mcp_id)) };
  },

  McpService_ListMcp({ query }, world) {
    const { 'filter.connected_account_identifier': identifier, 'filter.link_token': token } = query;
    const ofUser = () => world.mcps.list('connected_account_identifier', identifier);
    const rows = token ? world.mcps.list('link_token', token) : identifier ? ofUser() : world.mcps.list();
    const listed = rows.filter((mcp) => !identifier || mcp.connected_account_identifier === identifier);
    return { mcps: listed.toReversed().map((mcp) => viewMcp(world, mcp)) };
  },

  McpService_DeleteMcp({ path }, world) {
    world.remove('mcps', path.mcp_id);
    return {};
  },
} satisfies Partial<Operations>;

/** In whatever order connections and tools are named. */
const findSame = (world: World, identifier: string, offer: Offer): Mcp | undefined =>
  world.mcps
    .list('connected_account_identifier', identifier)
    .find((each) => fingerprint(each) === fingerprint(offer));

const fingerprint = ({ connection_ids, tools }: Offer) =>
  JSON.stringify(connection_ids.toSorted().map((id) => [id, (tools[id] ?? []).toSorted()]));

function viewMcp(world: World, mcp: Mcp) {
  const { id, connected_account_identifier, link_token } = mcp;
  const mappings = viewOffer(world, mcp, connected_account_identifier);
  return {
    id,
    tool_mappings: mappings.map(({ tools: tool_names, connection_name, connected_account_status = '' }) => ({
      tool_names,
      connection_name,
      status: connected_account_status,
    })),
    connected_account_identifier,
    url: `${world.baseUrl}/mcp/v1/${link_token}`,
  };
}
