import { FEATURE_SPELLINGS } from '../../environment/features.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { invalidArgument } from '../../errors.ts';
import type { Operations } from '../handler.ts';

interface Feature {
  name: string;
  enabled: boolean;
}

/**
 * Each line lists spellings of one toggle; the spelling that was set last is returned. SDKs read SSO and
 * directory sync first.
 */
const TOGGLES: readonly (readonly string[])[] = [
  FEATURE_SPELLINGS.sso,
  FEATURE_SPELLINGS.dir_sync,
  ['domain_verification'],
  ['session_policy'],
];

const toggleOf = (name: string) => TOGGLES.findIndex((spellings) => spellings.includes(name));

/** Merges the given features; others stay as they are. */
export function mergeFeatures(present: readonly Feature[], given: readonly Feature[]): Feature[] {
  const toggles = new Map(present.map((feature) => [toggleOf(feature.name), feature]));
  for (const feature of given) {
    const toggle = toggleOf(feature.name);
    if (toggle < 0) throw unsupported(feature.name);
    toggles.set(toggle, { name: feature.name, enabled: feature.enabled });
  }
  return [...toggles].toSorted(([a], [b]) => a - b).map(([, feature]) => feature);
}

function unsupported(name: string) {
  return invalidArgument(`feature ${name} is not supported; there is ${TOGGLES.flat().join(', ')}`);
}

export const userManagement = {
  OrganizationService_GetOrganizationUserManagementSetting({ path }, env) {
    return { settings: viewSettings(env.organizations.get(path.organization_id)) };
  },

  OrganizationService_UpsertUserManagementSettings({ path, body }, env) {
    const { id } = env.organizations.get(path.organization_id);
    const { max_allowed_users } = body.settings;
    // Unverified: the settings are replaced as a whole, so that the limit can be removed.
    return { settings: viewSettings(env.organizations.update(id, { max_allowed_users })) };
  },
} satisfies Partial<Operations>;

/** A limit that was never set is left out, but 0 is shown. */
const viewSettings = ({ max_allowed_users }: Rows['organizations']) =>
  max_allowed_users === undefined ? {} : { max_allowed_users };
