import { flawOfRedirect, isScript } from '@understudy/text/addresses';
import type { Rows } from '../../state/env.ts';

type Organization = Rows['organizations'];

// No fragment, and no character that a header cannot hold.
const LOOPBACK =
  /^https?:\/\/(?:(?:[a-z0-9-]+\.)?localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?][!-"$-[\]-~]*)?$/;

/** In characters (Scalekit docs, Redirects). */
const LONGEST = 256;

/** One star in the first label, followed by at least two labels. */
const WILDCARD = /^(https?:\/\/)([\w-]*)\*([\w-]*)((?:\.[\w-]+){2,}(?::\d+)?(?:\/.*)?)$/;

/** What is wrong with the form of a redirect URI; undefined means nothing. */
export function flawOf(address: string): string | undefined {
  if (address.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (/[?#]/.test(address)) return 'has a query or a fragment';
  if (isScript(address)) return 'runs a script';
  return URL.canParse(address) ? undefined : 'is not an absolute address';
}

/**
 * The most redirect URIs that a client may name for itself. Unverified (oauth/most-own-redirect-addresses): the docs
 * give no number.
 */
export const MOST_OWN = 100;

/**
 * What is wrong with a redirect URI that a client names for itself. Unverified (oauth/placeholders-in-own-addresses):
 * the docs do not say that stars and placeholders are refused, but only an administrator of the environment knows
 * whether they are safe.
 */
export function flawOfOwn(address: string): string | undefined {
  if (/[*{}]/.test(address)) return 'value must be one address, without a star or a placeholder';
  const flaw = flawOf(address);
  return flawOfRedirect(address) ?? (flaw && `${address.slice(0, LONGEST)} ${flaw}`);
}

/**
 * Whether a client may redirect to the address. It must be registered: exactly, except for a star and
 * organization placeholders. A client without registered addresses, such as the environment's own, may use
 * any address on this machine, so that test suites need no setup.
 */
export function isRegistered(
  registered: readonly string[] | undefined,
  address: string,
  organization?: Organization,
): boolean {
  if (!registered || registered.length === 0) return LOOPBACK.test(address) && URL.canParse(address);
  return registered.some((each) => {
    const expanded = expandAddress(each, organization);
    // A star that comes from the organization's own values is no wildcard.
    return each.includes('*') ? matchesWildcard(expanded, address) : expanded === address;
  });
}

/** Whether an address on this machine is registered with another port: a native client takes a free one (RFC 8252 7.3). */
export function isRegisteredLoopback(registered: readonly string[] | undefined, address: string): boolean {
  if (!LOOPBACK.test(address)) return false;
  return (registered ?? []).some((each) => withoutPort(each) === withoutPort(address));
}

const withoutPort = (address: string) => address.replace(/^(https?:\/\/(?:[^/:[]+|\[[^\]]+\])):\d+/, '$1');

function matchesWildcard(registered: string | undefined, address: string): boolean {
  const [, scheme, before = '', after = '', rest] = WILDCARD.exec(registered ?? '') ?? [];
  if (scheme === undefined || rest === undefined) return false;
  if (!address.startsWith(`${scheme}${before}`) || !address.endsWith(`${after}${rest}`)) return false;
  const star = address.slice(`${scheme}${before}`.length, address.length - `${after}${rest}`.length);
  return /^[a-z0-9-]+$/i.test(star);
}

/**
 * Fills `{{slug}}`, `{{external_id}}` and `{{metadata key}}` in a registered address; undefined if the organization lacks
 * one of the values (Scalekit docs, Organization-specific redirect URLs). An earlier page of the docs writes `{{org_slug}}`.
 */
export function expandAddress(
  template: string,
  organization: Rows['organizations'] | undefined,
): string | undefined {
  let isComplete = true;
  const address = template.replace(/\{\{\s*([\w-]+)\s*\}\}/g, (_, name: string) => {
    const value = organization && valueOf(organization, name);
    if (value === undefined) isComplete = false;
    return encodeURIComponent(value ?? '');
  });
  return isComplete ? address : undefined;
}

function valueOf({ slug, external_id, metadata }: Rows['organizations'], name: string): string | undefined {
  if (name === 'slug' || name === 'org_slug') return slug;
  return name === 'external_id' ? external_id : metadata?.[name];
}
