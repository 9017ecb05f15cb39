import type { Env, Rows } from '../../state/env.ts';
import { invalidArgument, notFound } from '../../contract/errors.ts';
import { assignDomains, domainsOf, organizationConnection } from '../connections/connection-lookup.ts';
import { framers, type Operations } from '../handler.ts';
import { addDomain } from './domain-creation.ts';

type OrganizationReference = { path: { organization_id: string }; query: { external_id?: string } };

const UNSPECIFIED = 'DOMAIN_TYPE_UNSPECIFIED';
const USUAL_PAGE = 30;
const LARGEST_PAGE = 100;

export const domains = {
  DomainService_CreateDomain({ path, query, body }, env) {
    const organization = ownerOf(env, { path, query });
    const domain_type =
      body.domain_type === 'ALLOWED_EMAIL_DOMAIN' ? 'ALLOWED_EMAIL_DOMAIN' : 'ORGANIZATION_DOMAIN';
    const created = addDomain(env, organization.id, { domain: body.domain, domain_type });
    if (query.connection_id !== undefined) assignToConnection(env, created, query.connection_id);
    return { domain: viewDomain(env, created) };
  },

  DomainService_ListDomains({ path, query }, env) {
    const { id } = ownerOf(env, { path, query });
    const { page_number = 0, domain_type = UNSPECIFIED, include, connection_id } = query;
    const page_size = Math.min(query.page_size || USUAL_PAGE, LARGEST_PAGE);
    const found =
      domain_type === UNSPECIFIED
        ? env.domains.list('organization_id', id)
        : env.domains.list('organization_type', `${id} ${domain_type}`);
    const served = connection_id === undefined ? undefined : domainsServedBy(env, id, connection_id);
    // Unverified (domains/list-order): newest first, as in the other lists of an organization.
    if (found.length > 1) env.decidedBy('domains/list-order');
    const rows = found
      .toReversed()
      .filter((domain) => !served || served.has(domain))
      .slice(page_number * page_size, (page_number + 1) * page_size);
    const shown = include === 'verification_details' ? viewDomain : viewWithoutRecord;
    return { page_size, page_number, domains: rows.map((domain) => shown(env, domain)) };
  },

  DomainService_GetDomain({ path, query }, env) {
    return { domain: viewDomain(env, findDomain(env, { path, query }, path.id)) };
  },

  /** Unverified (domains/update-with-connection): what `connection_id` does. */
  DomainService_UpdateDomain({ path, query }, env) {
    const domain = findDomain(env, { path, query }, path.id);
    if (query.connection_id !== undefined) {
      env.decidedBy('domains/update-with-connection');
      assignToConnection(env, domain, query.connection_id);
    }
    return { domain: viewDomain(env, domain) };
  },

  /** Unverified (domains/authorized-domains): what the origin and the link select. */
  DomainService_ListAuthorizedDomains({ path, query }, env) {
    env.decidedBy('domains/authorized-domains');
    const link = query.link_id?.replace(/_[a-z]+$/, '');
    if (link && !env.portal_links.findBy('token', link)) throw notFound('portal link', link);
    const known = new Set(framers(env).flatMap((address) => originOf(address) ?? []));
    const origin = originOf(path.origin);
    if (origin === undefined) throw invalidArgument(`origin ${path.origin} is no address`);
    if (origin === originOf(env.baseUrl)) return { domains: [...known] };
    return { domains: known.has(origin) ? [origin] : [] };
  },

  DomainService_DeleteDomain({ path, query }, env) {
    const domain = findDomain(env, { path, query }, path.id);
    if (query.connection_id !== undefined) refuseUnserved(env, domain, query.connection_id);
    env.remove('domains', domain.id);
    return {};
  },

  DomainService_VerifyDomain({ path, query }, env) {
    const domain = findDomain(env, { path, query }, path.id);
    return { verified: lookUpRecord(env, domain) };
  },
} satisfies Partial<Operations>;

/** The organization of the path, or the one with the external id if the path has `-`. */
function ownerOf(env: Env, { path, query }: OrganizationReference): Rows['organizations'] {
  const { external_id } = query;
  if (external_id === undefined) return env.organizations.get(path.organization_id);
  // The service declares both fields as one oneof: giving both is an error.
  if (path.organization_id !== '-')
    throw invalidArgument('organization_id and external_id exclude each other');
  return env.organizations.getBy('external_id', external_id);
}

const findDomain = (env: Env, owner: OrganizationReference, id: string) =>
  findOwnDomain(env, ownerOf(env, owner).id, id);

type Domain = Rows['domains'];

/** Undefined for a text that is no address of a site. */
function originOf(address: string): string | undefined {
  const origin = URL.canParse(address) ? new URL(address).origin : 'null';
  return origin === 'null' ? undefined : origin;
}

/** The limit of AssignDomainsToConnection. */
const MOST_DOMAINS = 50;

/**
 * Unverified (domains/filter-by-connection): `connection_id` narrows the list to the domains that the connection
 * serves: none for an unknown connection.
 */
function domainsServedBy(env: Env, organizationId: string, connectionId: string): Set<Domain> {
  env.decidedBy('domains/filter-by-connection');
  const connection = env.connections.find(connectionId);
  return new Set(connection?.organization_id === organizationId ? domainsOf(env, connection) : []);
}

function refuseUnserved(env: Env, domain: Domain, connectionId: string): void {
  const { id } = organizationConnection(env, domain.organization_id, connectionId);
  if (!domainsServedBy(env, domain.organization_id, id).has(domain)) throw notFound('domain', domain.id);
}

/** Assigns a new domain to a connection that does not serve it yet. */
function assignToConnection(env: Env, domain: Domain, connectionId: string): void {
  const connection = organizationConnection(env, domain.organization_id, connectionId);
  const ids = domainsOf(env, connection).map(({ id }) => id);
  if (ids.includes(domain.id)) return;
  if (ids.length === MOST_DOMAINS)
    throw invalidArgument(`connection ${connectionId} may have no more than ${MOST_DOMAINS} domains`);
  assignDomains(env, connection, [...ids, domain.id]);
}

/** Without the fields that only the verification uses. */
function viewDomain(env: Env, { txt_record_found: _, verify_before: __, ...domain }: Domain) {
  return { ...domain, environment_id: env.settings.get('settings').environment_id };
}

/** Unverified (domains/txt-records-in-lists): lists contain TXT records only on request. */
export function viewWithoutRecord(env: Env, domain: Domain) {
  env.decidedBy('domains/txt-records-in-lists');
  return viewDomain(env, { ...domain, txt_record_key: '', txt_record_secret: '' });
}

/** A domain of another organization is not found. */
export function findOwnDomain(env: Env, organizationId: string, id: string): Domain {
  const domain = env.domains.find(id);
  if (domain?.organization_id !== organizationId) throw notFound('domain', id);
  return domain;
}

/** Looks for the TXT record of a pending domain. Returns whether the domain is verified. */
export function lookUpRecord(env: Env, domain: Domain): boolean {
  const isFound = domain.verification_status === 'PENDING' && domain.txt_record_found !== false;
  if (!isFound) return domain.verification_status.endsWith('VERIFIED');
  env.domains.update(domain.id, { verification_status: 'VERIFIED', update_time: env.clock.iso() });
  return true;
}
