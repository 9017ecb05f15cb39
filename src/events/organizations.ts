import type { EventData } from '../contract/types.ts';
import { featureOf, SHARED_FEATURES } from '../world/features.ts';
import type { Rows } from '../world/schema.ts';
import type { Happening } from './record.ts';
import type { ChangeOf, Unit } from './unit.ts';

type Organization = Rows['organizations'];

export function organizationEvents(
  { before, after }: ChangeOf<'organizations'>,
  { world }: Unit,
): Happening[] {
  const organization_id = (after ?? before)!.id;
  if (after) {
    const type = before ? 'organization.updated' : 'organization.created';
    return [{ type, organization_id, data: organizationData(after) }];
  }
  const data = { ...organizationData(before!), deleted_at: world.clock.iso() };
  return [{ type: 'organization.deleted', organization_id, data }];
}

/** An organization as events tell of it (reference: accounts-connections-events 5.2). */
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
