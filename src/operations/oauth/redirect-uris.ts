import { isScript } from '../../text/addresses.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { expandAddress } from '../sign-out/address-template.ts';

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

function matchesWildcard(registered: string | undefined, address: string): boolean {
  const [, scheme, before = '', after = '', rest] = WILDCARD.exec(registered ?? '') ?? [];
  if (scheme === undefined || rest === undefined) return false;
  if (!address.startsWith(`${scheme}${before}`) || !address.endsWith(`${after}${rest}`)) return false;
  const star = address.slice(`${scheme}${before}`.length, address.length - `${after}${rest}`.length);
  return /^[a-z0-9-]+$/i.test(star);
}
