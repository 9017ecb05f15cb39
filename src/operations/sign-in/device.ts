import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';

export type Device = NonNullable<Rows['sessions']['device']>;

/** Calls that name no address came from this machine. */
const HERE = '127.0.0.1';

/** Each is also found in the text of those below it. */
const BROWSERS: readonly [name: string, version: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/([\d.]+)/],
  ['Opera', /\bOPR\/([\d.]+)/],
  ['Samsung Internet', /\bSamsungBrowser\/([\d.]+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/([\d.]+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\/([\d.]+)/],
  ['Safari', /\bVersion\/([\d.]+).*\bSafari\//],
];

const SYSTEMS: readonly [name: string, version: RegExp][] = [
  ['iOS', /\b(?:iPhone|iPad|iPod)\b.*? OS ([\d_]+)/],
  ['Android', /\bAndroid ([\d.]+)/],
  ['Windows', /\bWindows NT ([\d.]+)/],
  ['Chrome OS', /\bCrOS \S+ ([\d.]+)/],
  ['macOS', /\bMac OS X ([\d._]+)/],
  ['Linux', /\bLinux\b()/],
];

/** Of whoever sends these headers. */
export function deviceIn(headers: { 'user-agent'?: string; 'x-forwarded-for'?: string }): Device {
  const [ip = HERE] = (headers['x-forwarded-for'] ?? HERE).split(',');
  return deviceOf(headers['user-agent'] ?? '', ip.trim());
}

/** What a browser's own name tells of the device that it runs on. */
export function deviceOf(userAgent: string, ip: string): Device {
  const [browser, browser_version] = firstIn(BROWSERS, userAgent);
  const [os, os_version] = firstIn(SYSTEMS, userAgent);
  return {
    user_agent: userAgent,
    ...(os && { os }),
    ...(os_version && { os_version }),
    ...(browser && { browser }),
    ...(browser_version && { browser_version }),
    device_type: typeOf(userAgent, os),
    ip,
  };
}

function firstIn(
  known: readonly [string, RegExp][],
  text: string,
): [name?: string, version?: string | undefined] {
  for (const [name, version] of known) {
    const found = version.exec(text);
    if (found) return [name, found[1]?.replaceAll('_', '.')];
  }
  return [];
}

function typeOf(userAgent: string, os: string | undefined): string {
  if (/\biPad\b|\bTablet\b/.test(userAgent)) return 'tablet';
  if (os === 'iOS' || /\bMobile\b/.test(userAgent)) return 'mobile';
  if (os === 'Android') return 'tablet';
  return os === undefined ? 'other' : 'desktop';
}

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
