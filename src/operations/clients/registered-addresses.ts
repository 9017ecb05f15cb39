import { isScript, isWebAddress } from '../../addresses.ts';
import type { components } from '../../contract/openapi.gen.ts';
import { validationError } from '../../errors.ts';

type Given = Pick<components['schemas']['UpdateClient'], keyof typeof FLAWS>;
type FlawOf = (address: string) => string | undefined;

/** What is wrong with each address of a client; undefined: nothing is. Unverified: the service has words of its own. */
const FLAWS = {
  post_login_uris: flawOfRedirect,
  post_logout_redirect_uris: flawOfRedirect,
  initiate_login_uri: flawOfPage,
  back_channel_logout_uris: flawOfPage,
} satisfies Record<string, FlawOf>;

/** Throws for addresses of a client that no browser can be sent to, or that nothing can be called at. */
export function refuseUnusable(given: Given): void {
  const violations = Object.entries(FLAWS).flatMap(([name, flawOf]) => {
    const value = given[name as keyof Given];
    const addresses = typeof value === 'string' ? [value].filter(Boolean) : (value ?? []);
    return addresses.flatMap((address, index) => {
      const description = flawOf(address);
      const field = `client.${name}${typeof value === 'string' ? '' : `[${index}]`}`;
      return description ? [{ field, description, constraint: 'string.uri' }] : [];
    });
  });
  if (violations.length > 0) throw validationError(violations);
}

/** It may have a star, or the names of what stands for the organization, so it need not be an address as it is. */
function flawOfRedirect(address: string): string | undefined {
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(address)?.[0];
  if (!scheme) return 'value must be an absolute address such as https://app.example.com/callback';
  if (isScript(scheme))
    return `value must not be a ${scheme} address: use https:, http: or a scheme of the application's own`;
  return hasControls(address) ? NO_CONTROLS : undefined;
}

function flawOfPage(address: string): string | undefined {
  if (hasControls(address)) return NO_CONTROLS;
  return isWebAddress(address) ? undefined : 'value must be an http or https address';
}

const NO_CONTROLS = 'value must not have line breaks or other control characters';

// oxlint-disable-next-line no-control-regex
const hasControls = (address: string) => /[\0-\x1f\x7f]/.test(address);
