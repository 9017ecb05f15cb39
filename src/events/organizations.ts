import type { EventData } from '../contract/types.ts';
import { featureOf, SHARED_FEATURES } from '../world/features.ts';
import type { Rows } from '../world/schema.ts';
import type { Happening } from './record.ts';
import { verbOf, type ChangeOf, type Unit } from './unit.ts';

type Organization = Rows['organizations'];

/** Unverified: changes that its events do not show, such as those of its policies, are not told of. */
export function organizationEvents(change: ChangeOf<'organizations'>, { world }: Unit): Happening[] {
  const organization = (change.after ?? change.before)!;
  const [organization_id, data] = [organization.id, organizationData(organization)];
  switch (verbOf(change, organizationData)) {
    case 'created':
      return [{ type: 'organization.created', organization_id, data }];
    case 'updated':
      return [{ type: 'organization.updated', organization_id, data }];
    case 'deleted': {
      const gone = { ...data, deleted_at: world.clock.iso() };
      return [{ type: 'organization.deleted', organization_id, data: gone }];
    }
    default:
      return [];
  }
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
