import { invalidArgument, notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { assignDomains, domainsOf } from '../connections/connection-domains.ts';
import { ofOrganization } from '../connections/connection-lookup.ts';

type Domain = Rows['domains'];

/** As many as AssignDomainsToConnection takes. */
const MOST = 50;

/**
 * Unverified: what a connection_id means to the calls on domains. Here it narrows them to what the connection serves,
 * which is nothing where the organization has no such connection.
 */
export function servedBy(world: World, organizationId: string, connectionId: string): Set<Domain> {
  const connection = world.connections.find(connectionId);
  return new Set(connection?.organization_id === organizationId ? domainsOf(world, connection) : []);
}

export function refuseUnserved(world: World, domain: Domain, connectionId: string): void {
  const { id } = ofOrganization(world, domain.organization_id, connectionId);
  if (!servedBy(world, domain.organization_id, id).has(domain)) throw notFound('domain', domain.id);
}

/** Makes a connection serve a new domain, unless it does so by itself. */
export function serve(world: World, domain: Domain, connectionId: string): void {
  const connection = ofOrganization(world, domain.organization_id, connectionId);
  const ids = domainsOf(world, connection).map(({ id }) => id);
  if (ids.includes(domain.id)) return;
  if (ids.length === MOST) throw invalidArgument(`connection ${connectionId} has all of its ${MOST} domains`);
  assignDomains(world, connection, [...ids, domain.id]);
}
