import type { Env } from '../../environment/env.ts';
import { html } from '../../pages/html.ts';
import { framers, showPage, type CustomReply } from '../custom-reply.ts';
import type { PortalSession } from './session.ts';
import { loadFailure, sessionExpiry, portalScript } from './ui-events.ts';

interface PortalFailure {
  status: number;
  title: string;
  text: string;
  /** Explains the failure to the developer of the framing page. */
  hint?: string;
  code: string;
}

/** Unverified: the docs name only SESSION_EXPIRED. */
const FAILURES: Readonly<Record<'unknown' | 'used' | 'expired' | 'closed' | 'over', PortalFailure>> = {
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
    text: 'A link is good for one minute. Ask the application that you came from for a new one.',
    code: 'SESSION_EXPIRED',
  },
  /** Also shown at the start of a visit if the browser blocks cookies in frames. */
  closed: {
    status: 401,
    title: 'No session is open in this browser',
    text: 'Ask the application that you came from for a new link to the admin portal.',
    hint: 'In a frame, browsers keep its cookie only if the page around is of the same site, or over TLS.',
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
  const { status, title, text, hint, code } = FAILURES[why];
  const { script, markup } = portalScript([...(session ? [sessionExpiry(session)] : []), loadFailure(code)]);
  const body = html`<section class="card">
      <h1>${title}</h1>
      <p class="alert bad" role="alert">${text}</p>
      ${hint !== undefined && html`<p class="faint">${hint}</p>`}
      <p class="faint">Status ${status}.</p>
    </section>
    ${markup}`;
  return showPage({ title, body, script, framedBy: framers(env) }, { status });
}
