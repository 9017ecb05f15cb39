import { createHash } from 'node:crypto';
import { invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { Redirect, type Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { dropCookie, type BrowserCookies } from '../sign-in/cookies.ts';
import { currentSession } from '../sign-in/session.ts';
import { confirmPage, signedOutPage } from './logout-page.ts';
import { readHint, targetOf, type Asked, type Hint } from './logout-request.ts';
import { signOut } from './session-end.ts';

type Session = Rows['sessions'];

export const logout = {
  Logout_EndSession({ query, cookies, body }, world) {
    const asked: Asked = { ...query, ...body };
    const current = currentSession(world, cookies);
    const hint = readHint(world, asked);
    const whose = { ...asked, client_id: hint?.client_id ?? asked.client_id };
    const target = targetOf(world, whose, hint?.session ?? current);
    if (!hint && current) {
      const csrf_token = csrfToken(current);
      return confirmPage(world, { ...asked, session: current, csrf_token, target });
    }
    const left = hint ? endSessions(world, hint, current) : true;
    return leave(world, { target, status: body ? 303 : 302, cookies, left });
  },

  Logout_Confirm({ cookies, body }, world) {
    const current = currentSession(world, cookies);
    const target = targetOf(world, body ?? {}, current) ?? `${world.baseUrl}/oidc/logout`;
    if (current && body?.csrf_token !== csrfToken(current))
      throw invalidArgument('the form was not sent from its page: load the page again');
    if (current) signOut(world, current);
    return leave(world, { target, status: 303, cookies, left: true });
  },
} satisfies Partial<Operations>;

/** Known to our page alone, for it takes the browser's cookie to work it out. */
const csrfToken = ({ id, cookie = '' }: Session) =>
  createHash('sha256').update(`logout ${id} ${cookie}`).digest('base64url');

/**
 * The session of the hint ends, and that of the browser. Whether the browser's is over. Unverified: one of another user,
 * who has signed in there since, goes on.
 */
function endSessions(world: World, { session, subject }: Hint, current: Session | undefined): boolean {
  if (session?.status === 'active') signOut(world, session);
  if (!current || current.id === session?.id) return true;
  if (subject.startsWith('usr_') && subject !== current.user_id) return false;
  signOut(world, current);
  return true;
}

interface Leaving {
  target: string | undefined;
  status: 302 | 303;
  cookies: BrowserCookies;
  /** Nobody is signed in at the browser any more. */
  left: boolean;
}

function leave(world: World, { target, status, cookies, left }: Leaving): Answer {
  const dropped = left && cookies.understudy_session ? [dropCookie(world, 'understudy_session')] : [];
  return target === undefined ? signedOutPage(dropped) : new Redirect(target, { status, cookies: dropped });
}
