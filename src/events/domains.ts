import type { EventData } from '../contract/types.ts';
import type { Rows } from '../world/schema.ts';
import type { World } from '../world/world.ts';
import type { Happening } from './record.ts';
import type { ChangeOf, Unit } from './unit.ts';

type Domain = Rows['domains'];

export function domainEvents({ before, after }: ChangeOf<'domains'>, unit: Unit): Happening[] {
  const domain = (after ?? before)!;
  const { organization_id } = domain;
  const verb = before && after ? verdict(before, after) : after ? 'created' : 'deleted';
  if (!verb || unit.removed('organizations', organization_id)) return [];
  return [{ type: `organization.domain_${verb}`, organization_id, data: domainData(unit.world, domain) }];
}

/** How the proof that it belongs to the organization has ended. A domain that is added as proved had none to give. */
function verdict(before: Domain, { verification_status }: Domain) {
  if (verification_status === before.verification_status) return undefined;
  if (verification_status === 'VERIFIED') return 'dns_verification_success';
  return verification_status === 'FAILED' ? 'dns_verification_failed' : undefined;
}

function domainData(world: World, domain: Domain): EventData<'organization.domain_created'> {
  const { id, organization_id, update_time } = domain;
  return {
    id,
    domain: domain.domain,
    domain_type: domain.domain_type,
    organization_id,
    environment_id: world.settings.get('settings').environment_id,
    txt_record_key: domain.txt_record_key,
    txt_record_secret: domain.txt_record_secret,
    verification_status: domain.verification_status,
    verification_method: domain.verification_method,
    updated_at: update_time,
  };
}
