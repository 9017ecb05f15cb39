import type { Env } from '../../state/env.ts';
import { invalidArgument } from '../../contract/errors.ts';
import { Redirect } from '../handler.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';

/** The cookies of a browser at the sign-in pages. */
export interface BrowserCookies {
  understudy_session?: string | undefined;
  /** Secret of the sign-in that the browser has begun. */
  understudy_login?: string | undefined;
}

type CookieName = keyof BrowserCookies | 'understudy_portal' | 'understudy_webhooks' | 'understudy_connect';

interface CookieOptions {
  path?: string;
  /** Allows other sites to frame the page; browsers require TLS for that. */
  embeddable?: boolean;
}

/**
 * A `Set-Cookie` value: hidden from scripts, not sent by other sites, and TLS only if the base URL is TLS.
 */
export function writeCookie(
  { baseUrl }: Env,
  name: CookieName,
  value: string,
  { path = '/', embeddable = false }: CookieOptions = {},
): string {
  const secure = baseUrl.startsWith('https:');
  const sameSite = embeddable && secure ? 'None' : 'Lax';
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
}

export const dropCookie = (env: Env, name: CookieName, options?: CookieOptions) =>
  `${writeCookie(env, name, '', options)}; Max-Age=0`;

interface CookieRedirect extends CookieOptions {
  name: CookieName;
  value: string;
  status?: 302 | 303;
}

/** Gives the browser a cookie and redirects it. */
export const redirectWithCookie = (
  env: Env,
  address: string,
  { name, value, status = 302, ...options }: CookieRedirect,
): Redirect => new Redirect(address, { status, cookies: [writeCookie(env, name, value, options)] });

/** The secrets of a new form: of its browser, for the cookie, and of its pages, for the form. */
export interface FormSecrets {
  browser_secret: string;
  csrf_token: string;
}

/** A browser that has a secret from an earlier form keeps it, so that two tabs work. */
export function drawFormSecrets(env: Env, ownSecret: string | undefined): FormSecrets {
  const isOurs = ownSecret !== undefined && /^[\w.-]{20,120}$/.test(ownSecret);
  return {
    browser_secret: isOurs ? ownSecret : drawBrowserSecret(env),
    csrf_token: env.draw.text(32),
  };
}

export const drawBrowserSecret = (env: Env): string => withEnvironmentName(env, env.draw.text(32));

/** Throws for a form that a page of another site sent. */
export function checkCsrfToken(form: { csrf_token?: string } | undefined, csrf_token: string): void {
  if (form?.csrf_token !== csrf_token)
    throw invalidArgument('the form was not sent from its page: load the page again');
}
