import type { Env } from '../../environment/env.ts';
import { featureOf, SHARED_FEATURES } from '../../environment/features.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { invalidArgument, notFound } from '../../errors.ts';
import { Redirect, type CustomReply } from '../custom-reply.ts';
import { catchRefusal } from '../problem.ts';
import { failurePage } from './failure-page.ts';
import { refusalPage } from './portal-page.ts';
import { findSession, type NoticeKey, type PortalCookies, type PortalSession } from './session.ts';

/** One request of an administrator, with the organization and the features that it may see. */
export interface Visit {
  env: Env;
  session: PortalSession;
  organization: Rows['organizations'];
  features: ReadonlySet<Feature>;
}

/** Shows a page if there is a session, or else explains how to get one. */
export function withVisit(
  env: Env,
  cookies: PortalCookies,
  show: (visit: Visit) => CustomReply,
): CustomReply {
  const session = findSession(env, cookies);
  if (!session) return failurePage(env, 'closed');
  if (env.clock.isPast(session.expires_at)) return failurePage(env, 'over', session);
  const organization = env.organizations.get(session.organization_id);
  const visit = { env, session, organization, features: offeredFeatures(organization, session) };
  return catchRefusal(
    () => show(visit),
    (refusal) => refusalPage(visit, refusal),
  );
}

/** Like `withVisit`, and checks the CSRF token of the form. */
export const withSubmittedForm = (
  env: Env,
  cookies: PortalCookies,
  form: { csrf_token?: string } | undefined,
  change: (visit: Visit) => CustomReply,
): CustomReply =>
  withVisit(env, cookies, (visit) => {
    if (form?.csrf_token !== visit.session.csrf_token)
      throw invalidArgument('the form was not sent from its page: load the page again');
    return change(visit);
  });

/** Redirects to a page of the portal, which shows the notice. */
export function redirectTo({ env, session }: Visit, path: string, notice?: NoticeKey): Redirect {
  if (notice) env.portal_sessions.update(session.id, { notice });
  return new Redirect(`${env.baseUrl}/portal${path}`, { status: 303 });
}

/** Throws if the portal does not offer the feature. */
export function requireFeature({ features }: Visit, feature: Feature, noun: string, id: string): void {
  if (!features.has(feature)) throw notFound(noun, id);
}

export type Feature = PortalSession['features'][number];

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
