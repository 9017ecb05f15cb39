import type { Env } from '../../environment/env.ts';
import { html } from '../../pages/html.ts';
import { framers, showPage, type CustomReply } from '../custom-reply.ts';

interface PortalFailure {
  status: number;
  title: string;
  text: string;
}

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
  const { status, title, text } = FAILURES[why];
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p class="alert bad" role="alert">${text}</p>
    <p class="faint">Status ${status}.</p>
  </section>`;
  return showPage({ title: `${title} · Webhooks`, body, framedBy: framers(env) }, { status });
}
