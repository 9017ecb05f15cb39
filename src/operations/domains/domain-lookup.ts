import { notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Domain = Rows['domains'];

/** A domain of the organization; one of another is as good as none. */
export function findOwnDomain(world: World, organizationId: string, id: string): Domain {
  const domain = world.domains.find(id);
  if (domain?.organization_id !== organizationId) throw notFound('domain', id);
  return domain;
}

/** Looks for the TXT record of a pending domain; tells whether the domain is verified then. */
export function lookUp(world: World, domain: Domain): boolean {
  const isFound = domain.verification_status === 'PENDING' && domain.txt_record_found !== false;
  if (!isFound) return domain.verification_status.endsWith('VERIFIED');
  world.domains.update(domain.id, { verification_status: 'VERIFIED', update_time: world.clock.iso() });
  return true;
}
