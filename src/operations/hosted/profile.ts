import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import { currentSession } from '../sign-in/session.ts';
import type { BrowserCookies } from './browser.ts';

type Session = Rows['sessions'];

/** The session of a profile page. Throws if nobody is signed in. */
export function profileSession(env: Env, cookies: BrowserCookies): Session {
  const session = currentSession(env, cookies);
  if (session) return session;
  const message = 'nobody is signed in with this browser: sign in in the application';
  throw new ApiError('permission_denied', message, { title: 'Not signed in' });
}

/** The CSRF token of profile pages. Another site knows neither the cookie nor its hash. */
export const profileToken = ({ cookie = '' }: Session): string =>
  createHash('sha256').update(`profile ${cookie}`).digest('base64url');
