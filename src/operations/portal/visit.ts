import type { Env, Rows } from '../../state/env.ts';
import { featureOf, SHARED_FEATURES } from '../../state/tables/organizations.ts';
import { notFound } from '../../errors.ts';
import type { CustomReply } from '../handler.ts';
import { showPortalFailure, type PortalFailure, handlePortal } from '../hosted/portal.ts';
import { refusalPage, loadFailure, sessionExpiry, portalScript } from './portal-page.ts';
import {
  type PortalSession,
  findSession,
  type Feature,
  type NoticeKey,
  type PortalCookies,
  type Visit,
} from './session.ts';

interface AdminPortalFailure extends PortalFailure {
  code: string;
}

/** Unverified (portal/codes-of-failures): the docs name only SESSION_EXPIRED. */
const FAILURES: Readonly<Record<'unknown' | 'used' | 'expired' | 'closed' | 'over', AdminPortalFailure>> = {
  unknown: {
    status: 404,
    title: 'Unknown link',
    text: 'It may have been copied in part. Ask the application that you came from for a new one.',
    code: 'LINK_NOT_FOUND',
  },
  used: {
    status: 410,
    title: 'This link was used already',
    text: 'A link opens the portal once. Ask the application that you came from for a new one.',
    code: 'SESSION_EXPIRED',
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    text: 'A link is valid for one minute. Ask the application that you came from for a new one.',
    code: 'SESSION_EXPIRED',
  },
  /** Also shown at the start of a visit if the browser blocks cookies in frames. */
  closed: {
    status: 401,
    title: 'No session is open in this browser',
    text: 'Ask the application that you came from for a new link to the admin portal.',
    hint: 'In a frame, browsers keep the cookie of the portal only if the page around it is of the same site, or over TLS.',
    code: 'SESSION_EXPIRED',
  },
  over: {
    status: 401,
    title: 'Your session is over',
    text: 'Ask the application that you came from for a new link to the admin portal.',
    code: 'SESSION_EXPIRED',
  },
};

/** Explains why the portal does not open, and notifies the framing site. */
export function failurePage(env: Env, why: keyof typeof FAILURES, session?: PortalSession): CustomReply {
  const { code, ...failure } = FAILURES[why];
  const events = [...(session ? [sessionExpiry(session)] : []), loadFailure(code)];
  return showPortalFailure(env, failure, portalScript(events));
}

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
 * The features to set up: those of the link, or all that the organization has enabled.
 * Unverified (portal/offered-features): a feature of the link is offered unless the organization has disabled it.
 */
function offeredFeatures(
  organization: Rows['organizations'],
  { features }: Pick<PortalSession, 'features'>,
): Set<Feature> {
  const isOpen = (feature: Feature) => {
    const known = featureOf(organization, feature);
    return features.length === 0 ? known : features.includes(feature) && known !== false;
  };
  return new Set(SHARED_FEATURES.filter(isOpen));
}
