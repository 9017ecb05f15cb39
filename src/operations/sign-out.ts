import { createHash } from 'node:crypto';
import type { Env, Rows } from '../state/env.ts';
import { html } from '../pages/html.ts';
import { form, hidden } from '../pages/controls.ts';
import { OAuthError } from '../contract/errors.ts';
import type { Claims } from '../state/keys.ts';
import { Redirect, showPage, type CustomReply, withQuery, type Operations } from './handler.ts';
import { checkCsrfToken, dropCookie, type BrowserCookies } from './hosted/browser.ts';
import { currentSession } from './sign-in/session.ts';
import { isRegistered, expandAddress } from './oauth/redirect-uris.ts';
import { leadToProvider } from './sign-out-at-provider.ts';
import { signOut } from './session-end.ts';

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
      return confirmPage(env, { ...asked, session: current, csrf_token });
    }
    const ended = hint ? endSessions(env, hint, current) : [];
    return replyToLogout(env, { target, status: body ? 303 : 302, cookies, current, ended });
  },

  Logout_Confirm({ cookies, body }, env) {
    const current = currentSession(env, cookies);
    const target = targetOf(env, body ?? {}, current) ?? `${env.baseUrl}/oidc/logout`;
    if (current) {
      checkCsrfToken(body, csrfToken(current));
      signOut(env, current);
    }
    return replyToLogout(env, { target, status: 303, cookies, current, ended: current ? [current] : [] });
  },
} satisfies Partial<Operations>;

/** Derived from the browser's cookie, so only our page knows it. */
const csrfToken = ({ id, cookie = '' }: Session) =>
  createHash('sha256').update(`logout ${id} ${cookie}`).digest('base64url');

/**
 * Ends the session of the hint and that of the browser; returns those that ended.
 * Unverified (sign-out/session-of-another-user): a session of another user in the browser continues.
 */
function endSessions(env: Env, { session, subject }: LogoutHint, current: Session | undefined): Session[] {
  const isOther = subject.startsWith('usr_') && subject !== current?.user_id;
  if (current && isOther) env.decidedBy('sign-out/session-of-another-user');
  const isMeant = current !== undefined && current.id !== session?.id && !isOther;
  const ended = [...(session?.status === 'active' ? [session] : []), ...(isMeant ? [current] : [])];
  for (const each of ended) signOut(env, each);
  return ended;
}

interface LogoutResult {
  target: string | undefined;
  status: 302 | 303;
  cookies: BrowserCookies;
  /** The session that the browser had. */
  current: Session | undefined;
  ended: readonly Session[];
}

function replyToLogout(env: Env, { target, status, cookies, current, ended }: LogoutResult): CustomReply {
  const left = !current || ended.some(({ id }) => id === current.id);
  const dropped = left && cookies.understudy_session ? [dropCookie(env, 'understudy_session')] : [];
  for (const session of ended) {
    const reply = leadToProvider(env, session, { target, status, cookies: dropped });
    if (reply) return reply;
  }
  return target === undefined ? signedOutPage(dropped) : new Redirect(target, { status, cookies: dropped });
}

interface LogoutConfirmation extends LogoutRequest {
  csrf_token: string;
  session: Rows['sessions'];
}

/** Anyone can send a browser here, so without a hint the user is asked. */
function confirmPage(env: Env, { session, csrf_token, ...asked }: LogoutConfirmation): CustomReply {
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
  return showPage({ title: 'Sign out', body });
}

export function signedOutPage(cookies: string[] = []): CustomReply {
  const body = html`<section class="card">
    <h1>You are signed out</h1>
    <p class="faint">You can close this page.</p>
  </section>`;
  return showPage({ title: 'Signed out', body }, { cookies });
}

type Client = Rows['clients'];

/** The parameters of /oidc/logout. */
interface LogoutRequest {
  id_token_hint?: string | undefined;
  post_logout_redirect_uri?: string | undefined;
  state?: string | undefined;
  client_id?: string | undefined;
}

/** What an id_token says about the user, the session and the application. */
interface LogoutHint {
  client_id: string;
  subject: string;
  session?: Session | undefined;
}

/** Reads the hint, which may have expired. Throws for a token that is not ours. */
function readHint(env: Env, { id_token_hint, client_id }: LogoutRequest): LogoutHint | undefined {
  if (id_token_hint === undefined) return undefined;
  const { azp, sub, sid } = env.claims(id_token_hint) ?? ({} as Claims);
  // Access tokens have the same key, but no `azp`.
  if (typeof azp !== 'string' || typeof sub !== 'string')
    throw new OAuthError('invalid_request', 'id_token_hint invalid');
  if (client_id !== undefined && client_id !== azp)
    throw new OAuthError('invalid_request', 'client_id is not the one that the id_token_hint was made for');
  const session = typeof sid === 'string' ? env.sessions.find(sid) : undefined;
  return { client_id: azp, subject: sub, session };
}

/** Where the browser goes afterwards; undefined: nowhere. Throws for an address that is not registered. */
function targetOf(
  env: Env,
  { post_logout_redirect_uri: address, state, client_id }: LogoutRequest,
  session: Session | undefined,
): string | undefined {
  if (!address) return undefined;
  const organization = session?.organization_id ? env.organizations.find(session.organization_id) : undefined;
  for (const { post_logout_redirect_uris: registered } of clientsThatMayBe(env, client_id)) {
    const expanded = (registered ?? []).map((uri) => [uri, expandAddress(uri, organization)] as const);
    const chosen = expanded.find(
      ([uri, whole]) => whole !== undefined && (address === uri || address === whole),
    );
    if (chosen) return withQuery(chosen[1]!, { state });
    if (expanded.length === 0 && isRegistered(undefined, address)) return withQuery(address, { state });
  }
  throw new OAuthError('invalid_request', `post_logout_redirect_uri invalid: ${address}`);
}

/** Unverified (sign-out/without-client): without a client id, the application may be any of the environment. */
function clientsThatMayBe(env: Env, id: string | undefined): Client[] {
  if (id === undefined) {
    env.decidedBy('sign-out/without-client');
    return env.clients.list('client_type', 'ALL');
  }
  const client = env.clients.find(id);
  if (!client || client.organization_id)
    throw new OAuthError('invalid_request', `client_id ${id} is unknown`);
  return [client];
}
