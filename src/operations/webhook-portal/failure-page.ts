import type { Env } from '../../environment/env.ts';
import type { CustomReply } from '../custom-reply.ts';
import { showPortalFailure, type PortalFailure } from '../hosted/portal-frame.ts';

const ANOTHER = 'GET /api/v1/webhooks/portal-url gives a new one.';

const FAILURES: Readonly<Record<'unknown' | 'expired' | 'closed' | 'over', PortalFailure>> = {
  unknown: {
    status: 404,
    title: 'Unknown link',
    text: `It may have been copied in part. ${ANOTHER}`,
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    text: `A link is good for seven days. ${ANOTHER}`,
  },
  /** Also shown at the start of a visit if the browser blocks cookies in frames. */
  closed: {
    status: 401,
    title: 'No session is open in this browser',
    text: 'Open a link to the webhook portal: GET /api/v1/webhooks/portal-url gives one.',
  },
  over: {
    status: 401,
    title: 'Your session is over',
    text: `It ended with the link that began it. ${ANOTHER}`,
  },
};

/** Explains why the portal does not open. */
export function failurePage(env: Env, why: keyof typeof FAILURES): CustomReply {
  const failure = FAILURES[why];
  return showPortalFailure(env, failure, { windowTitle: `${failure.title} · Webhooks` });
}
