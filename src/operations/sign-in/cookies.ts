import type { World } from '../../world/world.ts';

/** What the hosted pages read of a browser. */
export interface BrowserCookies {
  /** Value of the session that it has. */
  understudy_session?: string | undefined;
  /** Secret of the sign-in that it has begun. */
  understudy_login?: string | undefined;
}

type CookieName = keyof BrowserCookies | 'understudy_portal' | 'understudy_webhooks' | 'understudy_connect';

interface CookieOptions {
  path?: string;
  /** Other sites may show the page in a frame; browsers want TLS for it. */
  embeddable?: boolean;
}

/** A `Set-Cookie` value: out of reach of scripts and of other sites, and of cleartext where the base URL is TLS. */
export function writeCookie(
  { baseUrl }: World,
  name: CookieName,
  value: string,
  { path = '/', embeddable = false }: CookieOptions = {},
): string {
  const secure = baseUrl.startsWith('https:');
  const sameSite = embeddable && secure ? 'None' : 'Lax';
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
}

export const dropCookie = (world: World, name: CookieName, options?: CookieOptions) =>
  `${writeCookie(world, name, '', options)}; Max-Age=0`;
