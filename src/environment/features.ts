import type { Rows } from './rows/schema.ts';

/**
 * All spellings of each feature. Unverified: `scim` is a spelling of dir_sync, because the vendor's guide sends it.
 */
export const FEATURE_SPELLINGS = {
  sso: ['sso'],
  dir_sync: ['dir_sync', 'directory_sync', 'scim'],
} as const;

export type SharedFeature = keyof typeof FEATURE_SPELLINGS;

/** Undefined if nobody has set the feature. */
export const featureOf = ({ settings }: Rows['organizations'], name: SharedFeature): boolean | undefined =>
  settings?.features.find((each) => (FEATURE_SPELLINGS[name] as readonly string[]).includes(each.name))
    ?.enabled;

export const SHARED_FEATURES = Object.keys(FEATURE_SPELLINGS) as SharedFeature[];
