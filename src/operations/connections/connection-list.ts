import type { Input } from '../../contract/types.ts';
import type { Env } from '../../state/env.ts';
import { page, type Page } from '../../rows/page.ts';
import { scopeOf } from '../../state/tables/connection-tables.ts';
import { viewWithoutRecord } from '../domains/domains.ts';
import type { Operations } from '../handler.ts';
import { containsText, listing } from '../lists.ts';
import { connectionsServing, domainsOf, type Connection } from './connection-lookup.ts';
import { initialMapping, withSettings } from './settings.ts';
import { viewSettings } from './settings-view.ts';

type ConnectionSearch = Input<'ConnectionService_SearchOrganizationConnections'>['query'];

export const connectionList = {
  ConnectionService_ListConnections({ query }, env) {
    const { organization_id, domain, include } = query;
    const isOwned = (connection: Connection) =>
      organization_id === undefined || connection.organization_id === organization_id;
    // Without include=all the list has only completed and enabled connections (comment in the vendor's .proto
    // files).
    const shown = candidates(env, organization_id, domain)
      .filter(isOwned)
      .filter(({ status, enabled }) => include === 'all' || (status === 'COMPLETED' && enabled));
    return { connections: shown.map((connection) => viewListItem(env, connection)) };
  },

  ConnectionService_ListOrganizationConnections({ query }, env) {
    const by = ['scope', 'organization'] as const;
    return viewPage(env, page(env.connections, { ...listing(query, env), by }));
  },

  ConnectionService_SearchOrganizationConnections({ query }, env) {
    const found = page(env.connections, {
      ...listing(query, env),
      by: ['scope', 'organization'],
      where: (connection) => isFound(env, connection, query),
    });
    return viewPage(env, found);
  },

  ConnectionService_ListAppConnections({ query }, env) {
    const { provider, query: text } = query;
    const found = page(env.connections, {
      ...listing(query, env),
      by: provider === undefined ? ['scope', 'app'] : ['app_provider', provider],
      where: text === undefined ? undefined : (connection) => isNamed(env, connection, text),
    });
    return viewPage(env, found);
  },
} satisfies Partial<Operations>;

function candidates(env: Env, organizationId: string | undefined, domain: string | undefined) {
  if (domain !== undefined) return connectionsServing(env, domain);
  return organizationId === undefined
    ? env.connections.list()
    : env.connections.list('organization_id', organizationId);
}

function viewPage(env: Env, { rows, ...rest }: Page<Connection>) {
  return { ...rest, connections: rows.map((connection) => viewListItem(env, connection)) };
}

function isFound(env: Env, connection: Connection, wanted: ConnectionSearch): boolean {
  const { query, provider, status, connection_type, enabled } = wanted;
  if (provider && connection.provider !== provider && connection.provider_key !== provider) return false;
  if (isSet(status) && connection.status !== status) return false;
  if (isSet(connection_type) && connection.type !== connection_type) return false;
  if (enabled !== undefined && connection.enabled !== enabled) return false;
  return !query || isNamed(env, connection, query);
}

/** Whether an enum field is set: its zero value filters nothing. */
const isSet = (word: string | undefined) =>
  word !== undefined && word !== 'CONNECTION_STATUS_UNSPECIFIED' && word !== 'INVALID';

function isNamed(env: Env, connection: Connection, text: string): boolean {
  const { key_id, ui_button_title, provider, provider_key, organization_id = '' } = connection;
  const organization = env.organizations.find(organization_id)?.display_name;
  const application = env.providers.find(provider_key)?.display_name;
  const domains = domainsOf(env, connection).map(({ domain }) => domain);
  const names = [key_id, ui_button_title, provider, provider_key, organization, application, ...domains];
  return containsText(text, names);
}

export function viewConnection(env: Env, connection: Connection) {
  const { id, provider, type, status, enabled, organization_id, key_id, provider_key } = connection;
  const { resolved_proxy_url, auth_mode = 'USER' } = connection;
  const mcp_server_url = mcpServerUrl(env, connection);
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
    test_connection_uri: testConnectionUri(env, connection),
    attribute_mapping: connection.attribute_mapping ?? initialMapping(connection),
    create_time: connection.created_at,
    update_time: connection.updated_at,
    ...viewSettings(env, withSettings(env, connection)),
    ...(key_id && { key_id }),
    provider_key,
    domains: domainsOf(env, connection).map((domain) => viewWithoutRecord(env, domain)),
    ...(mcp_server_url && { mcp_server_url }),
    ...(resolved_proxy_url && { resolved_proxy_url }),
    auth_mode,
  };
}

function viewListItem(env: Env, connection: Connection) {
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
    domains: domainsOf(env, connection).map(({ domain }) => domain),
    organization_name: env.organizations.find(organization_id)?.display_name ?? '',
    provider_key,
    key_id,
    created_at,
    mcp_server_url: mcpServerUrl(env, connection),
    auth_mode: connection.auth_mode ?? ('USER' as const),
  };
}

/**
 * Understudy's own server for the connection, also if that passes calls on to a real one. As in the descriptors of the
 * Python SDK, every connection for connected accounts has one.
 */
export function mcpServerUrl({ baseUrl }: Env, connection: Connection): string {
  if (!connection.key_id || scopeOf(connection) !== 'app') return '';
  return `${baseUrl}/mcp/v3/connections/${encodeURIComponent(connection.key_id)}`;
}

/** Unverified (connections/test-address): the SAML address follows the documented OIDC one; other types have none. */
function testConnectionUri({ baseUrl }: Env, { id, type }: Connection): string {
  if (type !== 'OIDC' && type !== 'SAML') return '';
  return `${baseUrl}/sso/v1/${type.toLowerCase()}/${id}/test`;
}
