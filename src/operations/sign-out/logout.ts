import { createHash } from 'node:crypto';
import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { html } from '../../pages/html.ts';
import { form, hidden } from '../../pages/controls.ts';
import { Redirect, showPage, type CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { checkCsrfToken, dropCookie, type BrowserCookies } from '../hosted/browser.ts';
import { currentSession } from '../sign-in/session.ts';
import { readHint, targetOf, type LogoutRequest, type LogoutHint } from './logout-request.ts';

type Session = Rows['sessions'];

export const logout = {
  Logout_EndSession({ query, cookies, body }, env) {
    const asked: LogoutRequest = { ...query, ...body };
    const current = currentSession(env, cookies);
    const hint = readHint(env, asked);
    const whose = { ...asked, client_id: hint?.client_id ?? asked.client_id };
    const target = targetOf(env, whose, hint?.session ?? current);
    if (!hint && current) {
      const csrf_token = csrfToken(current);
      return confirmPage(env, { ...asked, session: current, csrf_token, target });
    }
    const left = hint ? endSessions(env, hint, current) : true;
    return replyToLogout(env, { target, status: body ? 303 : 302, cookies, left });
  },

  Logout_Confirm({ cookies, body }, env) {
    const current = currentSession(env, cookies);
    const target = targetOf(env, body ?? {}, current) ?? `${env.baseUrl}/oidc/logout`;
    if (current) {
      checkCsrfToken(body, csrfToken(current));
      signOut(env, current);
    }
    return replyToLogout(env, { target, status: 303, cookies, left: true });
  },
} satisfies Partial<Operations>;

/** Derived from the browser's cookie, so only our page knows it. */
const csrfToken = ({ id, cookie = '' }: Session) =>
  createHash('sha256').update(`logout ${id} ${cookie}`).digest('base64url');

/**
 * Ends the session of the hint and that of the browser; returns whether the browser's session ended.
 * Unverified: a session of another user in the browser continues.
 */
function endSessions(env: Env, { session, subject }: LogoutHint, current: Session | undefined): boolean {
  if (session?.status === 'active') signOut(env, session);
  if (!current || current.id === session?.id) return true;
  if (subject.startsWith('usr_') && subject !== current.user_id) return false;
  signOut(env, current);
  return true;
}

interface LogoutResult {
  target: string | undefined;
  status: 302 | 303;
  cookies: BrowserCookies;
  /** The browser's session has ended. */
  left: boolean;
}

function replyToLogout(env: Env, { target, status, cookies, left }: LogoutResult): CustomReply {
  const dropped = left && cookies.understudy_session ? [dropCookie(env, 'understudy_session')] : [];
  return target === undefined ? signedOutPage(dropped) : new Redirect(target, { status, cookies: dropped });
}

interface LogoutConfirmation extends LogoutRequest {
  csrf_token: string;
  session: Rows['sessions'];
  target: string | undefined;
}

/** Anyone can send a browser here, so without a hint the user is asked. */
function confirmPage(env: Env, { session, csrf_token, target, ...asked }: LogoutConfirmation): CustomReply {
  const user = env.users.find(session.user_id);
  const { post_logout_redirect_uri, state, client_id } = asked;
  const kept = Object.entries({ post_logout_redirect_uri, state, client_id });
  const content = html`${kept.map(([name, value]) => value !== undefined && hidden(name, value))}
    <button autofocus>Sign out</button>`;
  const body = html`<section class="card">
    <h1>Sign out?</h1>
    <p>You are signed in as <strong>${user?.email ?? session.user_id}</strong>.</p>
    <p class="faint">
      This signs you out of every application that shares the sign-in. To stay, close this page.
    </p>
    ${form({ action: '/ui/logout', csrf_token, content })}
  </section>`;
  return showPage({ title: 'Sign out', body, leadsTo: [target] });
}

function signedOutPage(cookies: string[]): CustomReply {
  const body = html`<section class="card">
    <h1>You are signed out</h1>
    <p class="faint">You can close this page.</p>
  </section>`;
  return showPage({ title: 'Signed out', body }, { cookies });
}

/** Ends the session for every application that shares it. */
function signOut(env: Env, { id }: Rows['sessions']): void {
  const now = env.clock.iso();
  env.sessions.update(id, { status: 'logout', logout_at: now, updated_at: now });
}
