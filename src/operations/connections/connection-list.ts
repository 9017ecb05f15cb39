import type { Input } from '../../contract/types.ts';
import { page, type Page } from '../../world/page.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { mentions } from '../mentions.ts';
import { pageSize } from '../page-size.ts';
import { connectionsServing, domainsOf } from './connection-domains.ts';
import type { Connection } from './connection-lookup.ts';
import { viewListItem } from './connection-view.ts';

type Search = Input<'ConnectionService_SearchOrganizationConnections'>['query'];

export const connectionList = {
  ConnectionService_ListConnections({ query }, world) {
    const { organization_id, domain, include } = query;
    const isOwned = (connection: Connection) =>
      organization_id === undefined || connection.organization_id === organization_id;
    // Without include=all a caller sees what a user could sign in with (reference: accounts-connections-events 3.7).
    const shown = candidates(world, organization_id, domain)
      .filter(isOwned)
      .filter(({ status, enabled }) => include === 'all' || (status === 'COMPLETED' && enabled));
    return { connections: shown.map((connection) => viewListItem(world, connection)) };
  },

  ConnectionService_ListOrganizationConnections({ query }, world) {
    const { page_size, page_token: token } = query;
    const by = ['scope', 'organization'] as const;
    return viewPage(world, page(world.connections, { size: pageSize(page_size, world), token, by }));
  },

  ConnectionService_SearchOrganizationConnections({ query }, world) {
    const found = page(world.connections, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: ['scope', 'organization'],
      where: (connection) => isFound(world, connection, query),
    });
    return viewPage(world, found);
  },

  ConnectionService_ListAppConnections({ query }, world) {
    const { provider, query: text } = query;
    const found = page(world.connections, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: provider === undefined ? ['scope', 'app'] : ['app_provider', provider],
      where: text === undefined ? undefined : (connection) => isNamed(world, connection, text),
    });
    return viewPage(world, found);
  },
} satisfies Partial<Operations>;

function candidates(world: World, organizationId: string | undefined, domain: string | undefined) {
  if (domain !== undefined) return connectionsServing(world, domain);
  return organizationId === undefined
    ? world.connections.list()
    : world.connections.list('organization_id', organizationId);
}

function viewPage(world: World, { rows, ...rest }: Page<Connection>) {
  return { ...rest, connections: rows.map((connection) => viewListItem(world, connection)) };
}

function isFound(world: World, connection: Connection, wanted: Search): boolean {
  const { query, provider, status, connection_type, enabled } = wanted;
  if (provider && connection.provider !== provider && connection.provider_key !== provider) return false;
  if (isSaid(status) && connection.status !== status) return false;
  if (isSaid(connection_type) && connection.type !== connection_type) return false;
  if (enabled !== undefined && connection.enabled !== enabled) return false;
  return !query || isNamed(world, connection, query);
}

/** The zero of an enum narrows nothing. */
const isSaid = (word: string | undefined) =>
  word !== undefined && word !== 'CONNECTION_STATUS_UNSPECIFIED' && word !== 'INVALID';

function isNamed(world: World, connection: Connection, text: string): boolean {
  const { key_id, ui_button_title, provider, provider_key, organization_id = '' } = connection;
  const organization = world.organizations.find(organization_id)?.display_name;
  const application = world.providers.find(provider_key)?.display_name;
  const domains = domainsOf(world, connection).map(({ domain }) => domain);
  const names = [key_id, ui_button_title, provider, provider_key, organization, application, ...domains];
  return mentions(text, names);
}
