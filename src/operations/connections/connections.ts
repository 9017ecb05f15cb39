import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';

type Connection = Rows['connections'];

export const connections = {
  ConnectionService_ListConnections({ query }, world) {
    const { organization_id, domain, include } = query;
    const rows = organization_id
      ? world.connections.list('organization_id', organization_id)
      : world.connections.list();
    // Without include=all a caller sees what a user could sign in with (reference: accounts-connections-events 3.7).
    const shown = rows
      .filter((connection) => include === 'all' || (connection.status === 'COMPLETED' && connection.enabled))
      .filter((connection) => domain === undefined || serves(connection, domain));
    return { connections: shown.map((connection) => viewListItem(world, connection)) };
  },
} satisfies Partial<Operations>;

/** Domain names have no case (RFC 4343). */
const serves = ({ domains }: Connection, domain: string) =>
  domains.some((served) => served.toLowerCase() === domain.toLowerCase());

function viewListItem(world: World, connection: Connection) {
  const { updated_at: _, organization_id = '', key_id = '', ...shown } = connection;
  const organization_name = world.organizations.find(organization_id)?.display_name ?? '';
  const mcp = world.providers.find(connection.provider_key)?.mcp ?? false;
  const mcp_server_url = mcp ? `${world.baseUrl}/mcp/v3/connections/${key_id}` : '';
  return { ...shown, organization_id, organization_name, key_id, mcp_server_url };
}
