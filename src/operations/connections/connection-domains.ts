import { notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Connection } from './connection-lookup.ts';

type Domain = Rows['domains'];

/** Unverified: until domains are assigned to it, a connection serves those that its organization has proved. */
export function domainsOf(world: World, { organization_id, domain_ids }: Connection): Domain[] {
  if (domain_ids) return domain_ids.map((id) => world.domains.get(id));
  if (organization_id === undefined) return [];
  return world.domains.list('organization_id', organization_id).filter(isProved);
}

const isProved = ({ domain_type, verification_status }: Domain) =>
  domain_type === 'ORGANIZATION_DOMAIN' && PROVED.has(verification_status);

const PROVED = new Set<Domain['verification_status']>(['VERIFIED', 'AUTO_VERIFIED']);

/** Domain names have no case (RFC 4343). */
export function connectionsServing(world: World, name: string): Connection[] {
  const domains = world.domains.list('domain', name.toLowerCase());
  const owners = new Set(domains.map(({ organization_id }) => organization_id));
  return [...owners]
    .flatMap((organization) => world.connections.list('organization_id', organization))
    .filter((connection) => domainsOf(world, connection).some((domain) => domains.includes(domain)));
}

/** Unverified: a domain of another organization is as unknown as one that never was. */
export function assignDomains(world: World, connection: Connection, ids: readonly string[]): Connection {
  for (const id of ids) {
    if (world.domains.get(id).organization_id !== connection.organization_id) throw notFound('domain', id);
  }
  return world.connections.update(connection.id, {
    domain_ids: [...new Set(ids)],
    updated_at: world.clock.iso(),
  });
}
