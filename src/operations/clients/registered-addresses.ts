import { flawOfPage, flawOfRedirect } from '../../addresses.ts';
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
