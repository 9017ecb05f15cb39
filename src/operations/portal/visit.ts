import type { Env } from '../../environment/env.ts';
import { featureOf, SHARED_FEATURES } from '../../environment/features.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { invalidArgument, notFound } from '../../errors.ts';
import { Redirect, type Answer } from '../answer.ts';
import { attempt } from '../problem.ts';
import { failurePage } from './failure-page.ts';
import { refusalPage } from './portal-page.ts';
import { findSession, type Notice, type PortalCookies, type PortalSession } from './session.ts';

/** One call of an administrator: what it may see is of one organization, and of the features that are open to it. */
export interface Visit {
  env: Env;
  session: PortalSession;
  organization: Rows['organizations'];
  features: ReadonlySet<Feature>;
}

/** A page for whoever has a session; others are told how to get one. */
export function visiting(env: Env, cookies: PortalCookies, show: (visit: Visit) => Answer): Answer {
  const session = findSession(env, cookies);
  if (!session) return failurePage(env, 'closed');
  if (env.clock.isPast(session.expires_at)) return failurePage(env, 'over', session);
  const organization = env.organizations.get(session.organization_id);
  const visit = { env, session, organization, features: offered(organization, session) };
  return attempt(
    () => show(visit),
    (refusal) => refusalPage(visit, refusal),
  );
}

/** As `visiting`, for a form: it must be one of ours. */
export const submitting = (
  env: Env,
  cookies: PortalCookies,
  form: { csrf_token?: string } | undefined,
  change: (visit: Visit) => Answer,
): Answer =>
  visiting(env, cookies, (visit) => {
    if (form?.csrf_token !== visit.session.csrf_token)
      throw invalidArgument('the form was not sent from its page: load the page again');
    return change(visit);
  });

/** On to a page of the portal, which tells what was done. */
export function goOn({ env, session }: Visit, path: string, notice?: Notice): Redirect {
  if (notice) env.portal_sessions.update(session.id, { notice });
  return new Redirect(`${env.baseUrl}/portal${path}`, { status: 303 });
}

/** Throws for what the portal does not show with these features. */
export function wantFeature({ features }: Visit, feature: Feature, noun: string, id: string): void {
  if (!features.has(feature)) throw notFound(noun, id);
}

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
