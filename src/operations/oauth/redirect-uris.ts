import { isScript } from '../../text/addresses.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { expandAddress } from '../sign-out/address-template.ts';

type Organization = Rows['organizations'];

// No fragment, and nothing that a header can not hold.
const LOOPBACK =
  /^https?:\/\/(?:(?:[a-z0-9-]+\.)?localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?][!-"$-[\]-~]*)?$/;

/** Characters (reference: login-and-tokens 1.3). */
const LONGEST = 256;

/** One star in the outermost label, and at least two labels behind it. */
const WILDCARD = /^(https?:\/\/)([\w-]*)\*([\w-]*)((?:\.[\w-]+){2,}(?::\d+)?(?:\/.*)?)$/;

/** What no redirect URI may be; undefined: nothing is wrong with its form. */
export function flawOf(address: string): string | undefined {
  if (address.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (/[?#]/.test(address)) return 'has a query or a fragment';
  if (isScript(address)) return 'runs a script';
  return URL.canParse(address) ? undefined : 'is no absolute address';
}

/**
 * Whether a client may be sent to the address: one that is registered, letter by letter but for a star and for what
 * stands for the organization. A client that has registered none, such as the environment's own, may name any on this
 * machine (our convenience, for suites on ports of their own).
 */
export function isRegistered(
  registered: readonly string[] | undefined,
  address: string,
  organization?: Organization,
): boolean {
  if (!registered || registered.length === 0) return LOOPBACK.test(address) && URL.canParse(address);
  return registered.some((each) => {
    const expanded = expandAddress(each, organization);
    // What an organization calls itself is no star.
    return each.includes('*') ? isBelow(expanded, address) : expanded === address;
  });
}

function isBelow(registered: string | undefined, address: string): boolean {
  const [, scheme, before = '', after = '', rest] = WILDCARD.exec(registered ?? '') ?? [];
  if (scheme === undefined || rest === undefined) return false;
  if (!address.startsWith(`${scheme}${before}`) || !address.endsWith(`${after}${rest}`)) return false;
  const star = address.slice(`${scheme}${before}`.length, address.length - `${after}${rest}`.length);
  return /^[a-z0-9-]+$/i.test(star);
}
