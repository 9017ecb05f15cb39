import type { World } from '../../world/world.ts';
import { viewWithoutRecord } from '../domains/domain-view.ts';
import { domainsOf } from './connection-domains.ts';
import type { Connection } from './connection-lookup.ts';
import { initialMapping, withSettings } from './initial-settings.ts';
import { viewSettings } from './settings-view.ts';

export function viewConnection(world: World, connection: Connection) {
  const { id, provider, type, status, enabled, organization_id, key_id, provider_key } = connection;
  const mcp_server_url = mcpServerUrl(world, connection);
  return {
    id,
    provider,
    type,
    status,
    enabled,
    debug_enabled: connection.debug_enabled ?? false,
    ...(organization_id && { organization_id }),
    ui_button_title: connection.ui_button_title,
    configuration_type: connection.configuration_type ?? ('CONFIGURATION_TYPE_UNSPECIFIED' as const),
    test_connection_uri: testConnectionUri(world, connection),
    attribute_mapping: connection.attribute_mapping ?? initialMapping(connection),
    create_time: connection.created_at,
    update_time: connection.updated_at,
    ...viewSettings(world, withSettings(world, connection)),
    ...(key_id && { key_id }),
    provider_key,
    domains: domainsOf(world, connection).map((domain) => viewWithoutRecord(world, domain)),
    ...(mcp_server_url && { mcp_server_url }),
  };
}

export function viewListItem(world: World, connection: Connection) {
  const { id, provider, type, status, enabled, organization_id = '' } = connection;
  const { ui_button_title, provider_key, key_id = '', created_at } = connection;
  return {
    id,
    provider,
    type,
    status,
    enabled,
    organization_id,
    ui_button_title,
    domains: domainsOf(world, connection).map(({ domain }) => domain),
    organization_name: world.organizations.find(organization_id)?.display_name ?? '',
    provider_key,
    key_id,
    created_at,
    mcp_server_url: mcpServerUrl(world, connection),
  };
}

function mcpServerUrl(world: World, { provider_key, key_id }: Connection): string {
  const mcp = world.providers.find(provider_key)?.mcp ?? false;
  return mcp && key_id ? `${world.baseUrl}/mcp/v3/connections/${key_id}` : '';
}

/** Unverified: that of SAML is like the documented one of OIDC; other types have none. */
function testConnectionUri({ baseUrl }: World, { id, type }: Connection): string {
  if (type !== 'OIDC' && type !== 'SAML') return '';
  return `${baseUrl}/sso/v1/${type.toLowerCase()}/${id}/test`;
}
