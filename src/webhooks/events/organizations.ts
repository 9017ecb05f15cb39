import type { EventData } from '../../contract/types.ts';
import type { Env } from '../../environment/env.ts';
import { featureOf, SHARED_FEATURES } from '../../environment/features.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { NewEvent } from '../event-record.ts';
import { verbOf, type ChangeOf, type UnitChanges } from './unit.ts';

type Organization = Rows['organizations'];

/** Unverified: changes that the event data does not show, such as policies, cause no event. */
export function organizationEvents(change: ChangeOf<'organizations'>, { env }: UnitChanges): NewEvent[] {
  const organization = (change.after ?? change.before)!;
  const [organization_id, data] = [organization.id, organizationData(organization)];
  switch (verbOf(change, organizationData)) {
    case 'created':
      return [{ type: 'organization.created', organization_id, data }];
    case 'updated':
      return [{ type: 'organization.updated', organization_id, data }];
    case 'deleted': {
      const gone = { ...data, deleted_at: env.clock.iso() };
      return [{ type: 'organization.deleted', organization_id, data: gone }];
    }
    default:
      return [];
  }
}

/** The organization in event data (shape: the webhooks section of the vendor's OpenAPI document). */
export function organizationData(organization: Organization): EventData<'organization.created'> {
  const {
    id,
    display_name,
    external_id = null,
    metadata,
    region_code,
    create_time,
    update_time,
  } = organization;
  return {
    id,
    display_name,
    external_id,
    metadata: Object.keys(metadata).length > 0 ? metadata : null,
    region_code,
    create_time,
    update_time,
    settings: {
      features: SHARED_FEATURES.map((name) => ({ name, enabled: featureOf(organization, name) ?? false })),
    },
  };
}

type Domain = Rows['domains'];

export function domainEvents({ before, after }: ChangeOf<'domains'>, unit: UnitChanges): NewEvent[] {
  const domain = (after ?? before)!;
  const { organization_id } = domain;
  const verb = before && after ? verificationResult(before, after) : after ? 'created' : 'deleted';
  if (!verb || unit.removed('organizations', organization_id)) return [];
  return [{ type: `organization.domain_${verb}`, organization_id, data: domainData(unit.env, domain) }];
}

/** The verificationResult of the ownership check. A domain added as verified has no verificationResult. */
function verificationResult(before: Domain, { verification_status }: Domain) {
  if (verification_status === before.verification_status) return undefined;
  if (verification_status === 'VERIFIED') return 'dns_verification_success';
  return verification_status === 'FAILED' ? 'dns_verification_failed' : undefined;
}

function domainData(env: Env, domain: Domain): EventData<'organization.domain_created'> {
  const { id, organization_id, update_time } = domain;
  return {
    id,
    domain: domain.domain,
    domain_type: domain.domain_type,
    organization_id,
    environment_id: env.settings.get('settings').environment_id,
    txt_record_key: domain.txt_record_key,
    txt_record_secret: domain.txt_record_secret,
    verification_status: domain.verification_status,
    verification_method: domain.verification_method,
    updated_at: update_time,
  };
}
