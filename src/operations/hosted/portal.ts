import type { Env } from '../../environment/env.ts';
import { ApiError } from '../../errors.ts';
import { sentence } from '../../pages/controls.ts';
import { Redirect, type CustomReply } from '../custom-reply.ts';
import { withEnvironmentName } from '../../text/issued-code.ts';
import { checkCsrfToken } from './browser.ts';

/** The session of a browser at a portal: a set of pages that a link opens, without a sign-in. */
interface PortalSession {
  id: string;
  csrf_token: string;
  expires_at: string;
}

/** A request from a browser with an open portal session. */
interface PortalVisit {
  env: Env;
  session: PortalSession;
}

/** What a portal says about itself. */
interface PortalDefinition<Visit extends PortalVisit, Cookies, Notice> {
  /** The path of its pages. */
  path: string;
  /** The browser's session, ended or not. */
  findSession: (env: Env, cookies: Cookies) => Visit['session'] | undefined;
  visitOf: (env: Env, session: Visit['session']) => Visit;
  /** The page for a browser without a session (`closed`), or with one that has ended (`over`). */
  failurePage: (env: Env, why: 'closed' | 'over', session?: Visit['session']) => CustomReply;
  /** The page for a rejection that belongs to no form. */
  refusalPage: (visit: Visit, refusal: ApiError) => CustomReply;
  /** Stores what the next page tells once. */
  storeNotice: (visit: Visit, notice: Notice) => void;
}

type Form = { csrf_token?: string } | undefined;

/** How handlers of a portal show pages, take forms and redirect. */
interface PortalHandling<Visit, Cookies, Notice> {
  /** Shows a page if there is a session, or else explains how to get one. */
  withVisit: (env: Env, cookies: Cookies, show: (visit: Visit) => CustomReply) => CustomReply;
  /** Like `withVisit`, and checks the CSRF token of the form. */
  withSubmittedForm: (
    env: Env,
    cookies: Cookies,
    form: Form,
    change: (visit: Visit) => CustomReply,
  ) => CustomReply;
  /** Redirects to a page of the portal, which shows the notice. */
  redirectTo: (visit: Visit, path: string, notice?: Notice) => Redirect;
}

export function handlePortal<Visit extends PortalVisit, Cookies, Notice>(
  portal: PortalDefinition<Visit, Cookies, Notice>,
): PortalHandling<Visit, Cookies, Notice> {
  const withVisit = (env: Env, cookies: Cookies, show: (visit: Visit) => CustomReply) => {
    const session = portal.findSession(env, cookies);
    if (!session) return portal.failurePage(env, 'closed');
    if (env.clock.isPast(session.expires_at)) return portal.failurePage(env, 'over', session);
    const visit = portal.visitOf(env, session);
    return catchRefusal(
      () => show(visit),
      (refusal) => portal.refusalPage(visit, refusal),
    );
  };
  return {
    withVisit,
    withSubmittedForm: (env, cookies, form, change) =>
      withVisit(env, cookies, (visit) => {
        checkCsrfToken(form, visit.session.csrf_token);
        return change(visit);
      }),
    redirectTo(visit, path, notice) {
      if (notice) portal.storeNotice(visit, notice);
      return new Redirect(`${visit.env.baseUrl}${portal.path}${path}`, { status: 303 });
    },
  };
}

/** The members of a new session that every portal has; `prefix` is that of its id. */
export const newPortalSession = (env: Env, prefix: 'psn' | 'whs') => ({
  id: env.draw.id(prefix),
  token: withEnvironmentName(env, env.draw.text(40)),
  csrf_token: env.draw.text(32),
  created_at: env.clock.iso(),
});

/** What is wrong with a form, and at which field. */
export interface FormProblem {
  field?: string;
  text: string;
}

/** Turns an error into a problem at its field, in the words of the page. */
export function problemOf(refusal: ApiError, labels: Readonly<Record<string, string>>): FormProblem {
  const [violation] = refusal.parts.violations ?? [];
  const text = violation?.description ?? refusal.message;
  const member = violation?.field.split('.').at(-1);
  const field = Object.keys(labels).find((name) => name === member || new RegExp(`\\b${name}\\b`).test(text));
  if (field === undefined) return { text: sentence(text) };
  const label = labels[field]!;
  return { field, text: sentence(text.replace(/^value\b/, label).replaceAll(field, label)) };
}

/**
 * Shows a rejected change as a page. Handlers check before they change anything, so no change is half done.
 */
export function catchRefusal(
  change: () => CustomReply,
  refused: (refusal: ApiError) => CustomReply,
): CustomReply {
  try {
    return change();
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status >= 500) throw thrown;
    return refused(thrown);
  }
}
