import { invalidArgument, notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { Redirect, type Answer } from '../answer.ts';
import { attempt } from '../attempt.ts';
import { failurePage } from './failure-page.ts';
import { offered, type Feature } from './offer.ts';
import { refusalPage } from './portal-page.ts';
import { findSession, type Notice, type PortalCookies, type PortalSession } from './session.ts';

/** One call of an administrator: what it may see is of one organization, and of the features that are open to it. */
export interface Visit {
  world: World;
  session: PortalSession;
  organization: Rows['organizations'];
  features: ReadonlySet<Feature>;
}

/** A page for whoever has a session; others are told how to get one. */
export function visiting(world: World, cookies: PortalCookies, show: (visit: Visit) => Answer): Answer {
  const session = findSession(world, cookies);
  if (!session) return failurePage(world, 'closed');
  if (world.clock.isPast(session.expires_at)) return failurePage(world, 'over', session);
  const organization = world.organizations.get(session.organization_id);
  const visit = { world, session, organization, features: offered(organization, session) };
  return attempt(
    () => show(visit),
    (refusal) => refusalPage(visit, refusal),
  );
}

/** As `visiting`, for a form: it must be one of ours. */
export const submitting = (
  world: World,
  cookies: PortalCookies,
  form: { csrf_token?: string } | undefined,
  change: (visit: Visit) => Answer,
): Answer =>
  visiting(world, cookies, (visit) => {
    if (form?.csrf_token !== visit.session.csrf_token)
      throw invalidArgument('the form was not sent from its page: load the page again');
    return change(visit);
  });

/** On to a page of the portal, which tells what was done. */
export function goOn({ world, session }: Visit, path: string, notice?: Notice): Redirect {
  if (notice) world.portal_sessions.update(session.id, { notice });
  return new Redirect(`${world.baseUrl}/portal${path}`, { status: 303 });
}

/** Throws for what the portal does not show with these features. */
export function wantFeature({ features }: Visit, feature: Feature, noun: string, id: string): void {
  if (!features.has(feature)) throw notFound(noun, id);
}
