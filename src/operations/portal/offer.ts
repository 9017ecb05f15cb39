import { featureOf, SHARED_FEATURES } from '../../world/features.ts';
import type { Rows } from '../../world/schema.ts';
import type { PortalSession } from './session.ts';

export type Feature = PortalSession['features'][number];

/**
 * What an administrator may set up. A link that names no feature opens those that the organization has switched on.
 * Unverified: one that it names is open too where nobody has set its switch, and never where that is off.
 */
export function offered(
  organization: Rows['organizations'],
  { features }: Pick<PortalSession, 'features'>,
): Set<Feature> {
  const isOpen = (feature: Feature) => {
    const known = featureOf(organization, feature);
    return features.length === 0 ? known : features.includes(feature) && known !== false;
  };
  return new Set(SHARED_FEATURES.filter(isOpen));
}
