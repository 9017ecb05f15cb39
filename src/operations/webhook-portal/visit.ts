import { invalidArgument } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import { Redirect, type Answer } from '../answer.ts';
import { attempt } from '../attempt.ts';
import { failurePage } from './failure-page.ts';
import { refusalPage } from './frame.ts';
import { findSession, type Notice, type PortalCookies, type PortalSession } from './session.ts';

/** Where the pages of the portal are. */
export const PORTAL = '/ui/webhooks';

/** One call of a developer who has opened a link. */
export interface Visit {
  world: World;
  session: PortalSession;
}

/** A page for whoever has a session; others are told how to get one. */
export function visiting(world: World, cookies: PortalCookies, show: (visit: Visit) => Answer): Answer {
  const session = findSession(world, cookies);
  if (!session) return failurePage(world, 'closed');
  if (world.clock.isPast(session.expires_at)) return failurePage(world, 'over');
  const visit = { world, session };
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
export function goOn({ world, session }: Visit, path: string, notice: Notice): Redirect {
  world.webhook_portal_sessions.update(session.id, { notice });
  return new Redirect(`${world.baseUrl}${PORTAL}${path}`, { status: 303 });
}
