import type { Rows } from './rows/schema.ts';

/**
 * What each switch of an organization is called. Unverified: scim is a third spelling, for the service's own guide sends
 * it.
 */
export const FEATURE_SPELLINGS = {
  sso: ['sso'],
  dir_sync: ['dir_sync', 'directory_sync', 'scim'],
} as const;

export type SharedFeature = keyof typeof FEATURE_SPELLINGS;

/** Undefined: nobody has set it. */
export const featureOf = ({ settings }: Rows['organizations'], name: SharedFeature): boolean | undefined =>
  settings?.features.find((each) => (FEATURE_SPELLINGS[name] as readonly string[]).includes(each.name))
    ?.enabled;

export const SHARED_FEATURES = Object.keys(FEATURE_SPELLINGS) as SharedFeature[];
