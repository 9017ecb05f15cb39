import { handlePortal } from '../hosted/portal.ts';
import { failurePage } from './failure-page.ts';
import { refusalPage } from './frame.ts';
import { findSession, PORTAL, type NoticeKey, type PortalCookies, type Visit } from './session.ts';

export const { withVisit, withSubmittedForm, redirectTo } = handlePortal<Visit, PortalCookies, NoticeKey>({
  path: PORTAL,
  findSession,
  visitOf: (env, session) => ({ env, session }),
  failurePage,
  refusalPage,
  storeNotice: ({ env, session }, notice) => env.webhook_portal_sessions.update(session.id, { notice }),
});
