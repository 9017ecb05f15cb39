import type { Env } from '@understudy/core/state/env';
import { ApiError } from '@understudy/core/contract/errors';
import { sentence, alert } from '@understudy/core/pages/controls';
import { withEnvironmentName } from '@understudy/text/issued-code';
import { html, type Fragment, type Html } from '@understudy/core/pages/html';
import { Redirect, type CustomReply, framers, showPage } from '@understudy/core/operations/handler';
import { checkCsrfToken } from '@understudy/core/operations/hosted/browser';

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
    const page = refused(thrown);
    page.refusal = thrown;
    return page;
  }
}

/** What a page of a portal is about. */
export interface PortalPage {
  title: string;
  body: Fragment;
  /** A problem that belongs to no single field. */
  problem?: string | undefined;
  /** HTTP status: 200 unless the form was rejected. */
  status?: number;
}

/** What stands around every page of one portal. */
interface PortalFrame {
  /** The end of the window's title. */
  portal: string;
  heading: Html;
  /** The result of the previous form. */
  notice?: { kind: 'good' | 'note'; text: string } | undefined;
  /** A script, and the markup that it reads. */
  script?: string;
  markup?: Html;
}

export function showPortalPage(
  env: Env,
  { title, body, problem, status = 200 }: PortalPage,
  { portal, heading, notice, markup, script }: PortalFrame,
): CustomReply {
  const content = html`<header class="bar">${heading}</header>
    ${notice && alert(notice.kind, notice.text)} ${problem && alert('bad', problem)} ${body} ${markup}`;
  const sheet = { title: `${title} · ${portal}`, body: content, wide: true, framedBy: framers(env) };
  return showPage({ ...sheet, ...(script !== undefined && { script }) }, { status });
}

/** A rejection that belongs to no form. */
export const refusalContent = ({ status, message }: ApiError, backLink: Html): PortalPage => ({
  title: 'Not possible',
  body: html`<section class="card">
    <h1>${status === 404 ? 'Not found' : 'This cannot be done'}</h1>
    <p class="alert bad" role="alert">${sentence(message)}</p>
    <p class="faint">Status ${status}.</p>
    ${backLink}
  </section>`,
  status,
});

/** Why a portal does not open. */
export interface PortalFailure {
  status: number;
  title: string;
  text: string;
  /** Tells the developer of the embedding page why the portal cannot be shown. */
  hint?: string;
}

export function showPortalFailure(
  env: Env,
  { status, title, text, hint }: PortalFailure,
  { windowTitle = title, markup, script }: { windowTitle?: string; markup?: Html; script?: string } = {},
): CustomReply {
  const body = html`<section class="card">
      <h1>${title}</h1>
      <p class="alert bad" role="alert">${text}</p>
      ${hint !== undefined && html`<p class="faint">${hint}</p>`}
      <p class="faint">Status ${status}.</p>
    </section>
    ${markup}`;
  const sheet = { title: windowTitle, body, framedBy: framers(env) };
  return showPage({ ...sheet, ...(script !== undefined && { script }) }, { status });
}
