import { invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { refuseUnserved, serve, servedBy } from './domain-connection.ts';
import { addDomain } from './domain-creation.ts';
import { findOwnDomain, lookUp } from './domain-lookup.ts';
import { viewDomain, viewWithoutRecord } from './domain-view.ts';

type Owner = { path: { organization_id: string }; query: { external_id?: string } };

const UNSPECIFIED = 'DOMAIN_TYPE_UNSPECIFIED';
const USUAL_PAGE = 30;
const LARGEST_PAGE = 100;

export const domains = {
  DomainService_CreateDomain({ path, query, body }, world) {
    const organization = ownerOf(world, { path, query });
    const domain_type =
      body.domain_type === 'ALLOWED_EMAIL_DOMAIN' ? 'ALLOWED_EMAIL_DOMAIN' : 'ORGANIZATION_DOMAIN';
    const created = addDomain(world, organization.id, { domain: body.domain, domain_type });
    if (query.connection_id !== undefined) serve(world, created, query.connection_id);
    return { domain: viewDomain(world, created) };
  },

  DomainService_ListDomains({ path, query }, world) {
    const { id } = ownerOf(world, { path, query });
    const { page_number = 0, domain_type = UNSPECIFIED, include, connection_id } = query;
    const page_size = Math.min(query.page_size || USUAL_PAGE, LARGEST_PAGE);
    const found =
      domain_type === UNSPECIFIED
        ? world.domains.list('organization_id', id)
        : world.domains.list('organization_type', `${id} ${domain_type}`);
    const served = connection_id === undefined ? undefined : servedBy(world, id, connection_id);
    // Unverified: newest first, as the other lists of an organization.
    const rows = found
      .toReversed()
      .filter((domain) => !served || served.has(domain))
      .slice(page_number * page_size, (page_number + 1) * page_size);
    const shown = include === 'verification_details' ? viewDomain : viewWithoutRecord;
    return { page_size, page_number, domains: rows.map((domain) => shown(world, domain)) };
  },

  DomainService_GetDomain({ path, query }, world) {
    return { domain: viewDomain(world, findDomain(world, { path, query }, path.id)) };
  },

  DomainService_DeleteDomain({ path, query }, world) {
    const domain = findDomain(world, { path, query }, path.id);
    if (query.connection_id !== undefined) refuseUnserved(world, domain, query.connection_id);
    world.remove('domains', domain.id);
    return {};
  },

  DomainService_VerifyDomain({ path, query }, world) {
    const domain = findDomain(world, { path, query }, path.id);
    return { verified: lookUp(world, domain) };
  },
} satisfies Partial<Operations>;

/** The organization of the path, or with `-` there, the one with the external id. */
function ownerOf(world: World, { path, query }: Owner): Rows['organizations'] {
  const { external_id } = query;
  if (external_id === undefined) return world.organizations.get(path.organization_id);
  // They are one oneof in the service: naming both is an error, not a search for both.
  if (path.organization_id !== '-')
    throw invalidArgument('organization_id and external_id exclude each other');
  return world.organizations.getBy('external_id', external_id);
}

const findDomain = (world: World, owner: Owner, id: string) =>
  findOwnDomain(world, ownerOf(world, owner).id, id);
