import type { Rows } from '../../world/schema.ts';
import type { PortalSession } from './session.ts';

export type Feature = PortalSession['features'][number];

const SPELLINGS: Record<Feature, readonly string[]> = {
  sso: ['sso'],
  dir_sync: ['dir_sync', 'directory_sync', 'scim'],
};

/**
 * What an administrator may set up. A link that names no feature opens those that the organization has switched on.
 * Unverified: one that it names is open too where nobody has set its switch, and never where that is off.
 */
export function offered(
  { settings }: Rows['organizations'],
  { features }: Pick<PortalSession, 'features'>,
): Set<Feature> {
  const isOpen = (feature: Feature) => {
    const known = settings?.features.find(({ name }) => SPELLINGS[feature].includes(name));
    return features.length === 0 ? known?.enabled : features.includes(feature) && known?.enabled !== false;
  };
  return new Set((['sso', 'dir_sync'] as const).filter(isOpen));
}
