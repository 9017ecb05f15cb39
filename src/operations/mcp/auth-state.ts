import type { World } from '../../world/world.ts';
import { createMagicLink } from '../connected-accounts/account-authorization.ts';
import type { Operations } from '../handler.ts';
import { accountOn, type Offer } from './offer.ts';

/** How far a user is with the connections of a configuration, and the way to get further. */
export const authState = {
  McpService_GetMcpInstanceAuthState({ path, body }, world) {
    const { config_id, user_identifier } = world.mcp_instances.get(path.instance_id);
    const config = world.mcp_configs.get(config_id);
    return { connections: rowsOf(world, config, user_identifier, body.include_auth_links) };
  },

  McpService_ListMcpConnectedAccounts({ path, body }, world) {
    const config = world.mcp_configs.get(path.config_id);
    return { connected_accounts: rowsOf(world, config, body.identifier, body.include_auth_link) };
  },
} satisfies Partial<Operations>;

function rowsOf(world: World, { connection_ids }: Offer, identifier: string, withLinks = false) {
  return connection_ids.map((connection_id) => {
    const { key_id = '', provider_key } = world.connections.get(connection_id);
    // The link comes first: an account that is not there yet begins with it. Active accounts get one too.
    const wanted = withLinks && key_id !== '';
    const authentication_link = wanted ? createMagicLink(world, { connector: key_id, identifier }).link : '';
    const account = accountOn(world, connection_id, identifier);
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
