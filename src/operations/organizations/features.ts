import { invalidArgument } from '../../errors.ts';
import { FEATURE_SPELLINGS } from '../../world/features.ts';

interface Feature {
  name: string;
  enabled: boolean;
}

/** One toggle each; of several spellings the one that last set it is answered. SDKs read sso and directory sync first. */
const TOGGLES: readonly (readonly string[])[] = [
  FEATURE_SPELLINGS.sso,
  FEATURE_SPELLINGS.dir_sync,
  ['domain_verification'],
  ['session_policy'],
];

const toggleOf = (name: string) => TOGGLES.findIndex((spellings) => spellings.includes(name));

/** The features with the given ones set; those that are not given stay as they are. */
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
