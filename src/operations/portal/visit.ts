import { featureOf, SHARED_FEATURES } from '../../environment/features.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { notFound } from '../../errors.ts';
import { handlePortal } from '../hosted/portal.ts';
import { failurePage } from './failure-page.ts';
import { refusalPage } from './portal-page.ts';
import {
  findSession,
  type Feature,
  type NoticeKey,
  type PortalCookies,
  type PortalSession,
  type Visit,
} from './session.ts';

export const { withVisit, withSubmittedForm, redirectTo } = handlePortal<Visit, PortalCookies, NoticeKey>({
  path: '/portal',
  findSession,
  visitOf(env, session) {
    const organization = env.organizations.get(session.organization_id);
    return { env, session, organization, features: offeredFeatures(organization, session) };
  },
  failurePage,
  refusalPage,
  storeNotice: ({ env, session }, notice) => env.portal_sessions.update(session.id, { notice }),
});

/** Throws if the portal does not offer the feature. */
export function requireFeature({ features }: Visit, feature: Feature, noun: string, id: string): void {
  if (!features.has(feature)) throw notFound(noun, id);
}

/**
 * The features to set up: those of the link, or all that the organization has enabled. Unverified: a feature
 * of the link is offered unless the organization has disabled it.
 */
export function offeredFeatures(
  organization: Rows['organizations'],
  { features }: Pick<PortalSession, 'features'>,
): Set<Feature> {
  const isOpen = (feature: Feature) => {
    const known = featureOf(organization, feature);
    return features.length === 0 ? known : features.includes(feature) && known !== false;
  };
  return new Set(SHARED_FEATURES.filter(isOpen));
}
