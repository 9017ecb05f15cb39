import type { Env, Rows } from '../../state/env.ts';
import { notFound } from '../../contract/errors.ts';
import { taken } from '../conflicts.ts';

export type Connection = Rows['connections'];

/** Unverified (connections/lookup-by-owner): the environment's operations do not find an organization's connections. */
export function environmentConnection(env: Env, id: string): Connection {
  return owned(env, id, undefined);
}

export function organizationConnection(env: Env, organizationId: string, id: string): Connection {
  return owned(env, id, env.organizations.get(organizationId).id);
}

function owned(env: Env, id: string, owner: string | undefined): Connection {
  const connection = env.connections.get(id);
  if (connection.organization_id !== owner)
    throw notFound('connection', id).decidedBy('connections/lookup-by-owner');
  return connection;
}

export function refuseTakenKey(env: Env, key: string, ownId?: string): void {
  const other = env.connections.findBy('key_id', key);
  if (other && other.id !== ownId) throw taken(env, 'connection', { key, by: other }, 'connections');
}

/**
 * The provider key in lower case plus eight characters. Connector names may hold letters, digits, `_`, `:`
 * and `-`.
 */
export function newConnectionKey(env: Env, providerKey: string): string {
  const name = providerKey
    .toLowerCase()
    .replace(/[^a-z0-9_:]+/g, '-')
    .slice(0, 100);
  for (;;) {
    const key = `${name}-${env.draw.text(8)}`;
    if (!env.connections.findBy('key_id', key)) return key;
  }
}

type Domain = Rows['domains'];

/**
 * Unverified (connections/domains-without-assignment): a connection without assigned domains serves all verified
 * domains of its organization.
 */
export function domainsOf(env: Env, { organization_id, domain_ids }: Connection): Domain[] {
  if (domain_ids) return domain_ids.map((id) => env.domains.get(id));
  if (organization_id === undefined) return [];
  env.decidedBy('connections/domains-without-assignment');
  return provedDomains(env, organization_id);
}

/** The domains that the organization has proved to own. */
export const provedDomains = (env: Env, organizationId: string): Domain[] =>
  env.domains.list('organization_id', organizationId).filter(isProved);

const isProved = ({ domain_type, verification_status }: Domain) =>
  domain_type === 'ORGANIZATION_DOMAIN' && PROVED.has(verification_status);

const PROVED = new Set<Domain['verification_status']>(['VERIFIED', 'AUTO_VERIFIED']);

/** Domain names are case-insensitive (RFC 4343). */
export function connectionsServing(env: Env, name: string): Connection[] {
  const domains = env.domains.list('domain', name.toLowerCase());
  const owners = new Set(domains.map(({ organization_id }) => organization_id));
  return [...owners]
    .flatMap((organization) => env.connections.list('organization_id', organization))
    .filter((connection) => domainsOf(env, connection).some((domain) => domains.includes(domain)));
}

/** Unverified (connections/domain-of-another-organization): a domain of another organization is not found. */
export function assignDomains(env: Env, connection: Connection, ids: readonly string[]): Connection {
  for (const id of ids) {
    if (env.domains.get(id).organization_id !== connection.organization_id)
      throw notFound('domain', id).decidedBy('connections/domain-of-another-organization');
  }
  return env.connections.update(connection.id, {
    domain_ids: [...new Set(ids)],
    updated_at: env.clock.iso(),
  });
}
