import type { Rows } from '../../state/env.ts';

export type Device = NonNullable<Rows['sessions']['device']>;

/** Calls without an address came from this machine. */
const HERE = '127.0.0.1';

/** The order matters: user agents of the earlier ones also name the later ones. */
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

export function deviceIn(headers: { 'user-agent'?: string; 'x-forwarded-for'?: string }): Device {
  const [ip = HERE] = (headers['x-forwarded-for'] ?? HERE).split(',');
  return deviceOf(headers['user-agent'] ?? '', ip.trim());
}

/** The device that a user agent describes. */
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
