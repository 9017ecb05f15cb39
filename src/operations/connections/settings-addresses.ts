import { flawOfPage, flawOfRedirect } from '../../addresses.ts';
import type { Input } from '../../contract/types.ts';
import { validationError } from '../../errors.ts';

type Given = Input<'ConnectionService_UpdateConnection'>['body'];
type FlawOf = (address: string) => string | undefined;

/**
 * What has to be an address where it says anything. The names of who signs are none: a SAML entity id may be any URI.
 * Unverified: the service documents no rule for these.
 */
const FLAWS: Partial<Record<keyof Given, Readonly<Record<string, FlawOf>>>> = {
  oidc_config: {
    issuer: flawOfPage,
    discovery_endpoint: flawOfPage,
    authorize_uri: flawOfPage,
    token_uri: flawOfPage,
    user_info_uri: flawOfPage,
    jwks_uri: flawOfPage,
  },
  saml_config: {
    idp_metadata_url: flawOfPage,
    idp_sso_url: flawOfPage,
    idp_slo_url: flawOfPage,
    default_redirect_uri: flawOfRedirect,
  },
};

/** Throws for settings of a connection that should be addresses, and that nobody can be sent to or call. */
export function refuseUnusableSettings(given: Given): void {
  const violations = Object.entries(FLAWS).flatMap(([settings, members]) => {
    const values = given[settings as keyof Given] as Readonly<Record<string, unknown>> | undefined;
    return Object.entries(members).flatMap(([name, flawOf]) => {
      const address = values?.[name];
      const description = typeof address === 'string' && address !== '' ? flawOf(address) : undefined;
      const field = `connection.${settings}.${name}`;
      return description ? [{ field, description, constraint: 'string.uri' }] : [];
    });
  });
  if (violations.length > 0) throw validationError(violations);
}
