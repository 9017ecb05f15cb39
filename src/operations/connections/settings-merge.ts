import type { Input } from '../../contract/types.ts';
import { invalidArgument } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import { isObject } from '../../json-object.ts';
import type { Connection } from './connection-lookup.ts';
import { certificatesOf } from './saml-certificate.ts';
import { refuseUnusableSettings } from './settings-addresses.ts';
import { MASK, SETTINGS, SETTINGS_OF, type Settings } from './settings.ts';

type Given = Input<'ConnectionService_UpdateConnection'>['body'];

/** The settings with the given ones in them; undefined when none are given. */
export function mergeSettings(world: World, connection: Connection, given: Given): Settings | undefined {
  const names = SETTINGS.filter((name) => given[name] !== undefined);
  const [name] = names;
  if (name === undefined) return undefined;
  if (names.length > 1) throw invalidArgument(`give one of ${names.join(', ')}, not several`);
  if (name !== SETTINGS_OF[connection.type]) {
    throw invalidArgument(`a connection of type ${connection.type} has no ${name}`);
  }
  refuseUnusableSettings(given);
  return MERGES[name](world, connection, given);
}

type Merge = (world: World, stored: Connection, given: Given) => Settings;

const MERGES: Record<(typeof SETTINGS)[number], Merge> = {
  oidc_config(_, { oidc_config }, given) {
    const { scopes, ...rest } = said(given.oidc_config!);
    const named = scopes?.filter((scope) => scope !== 'OIDC_SCOPE_UNSPECIFIED');
    return { oidc_config: { ...oidc_config, ...rest, ...(named && { scopes: named }) } };
  },
  saml_config(world, { saml_config }, given) {
    const { idp_certificate, ...rest } = said(given.saml_config!);
    const idp_certificates = certificatesOf(world, saml_config?.idp_certificates ?? [], idp_certificate);
    return { saml_config: { ...saml_config, ...rest, idp_certificates } };
  },
  oauth_config(_, { oauth_config }, given) {
    const merged = said(given.oauth_config!);
    // Unverified: who brings a client of their own does not use the service's any more.
    const own = merged.client_id ? { use_platform_creds: false } : {};
    return { oauth_config: { ...oauth_config, ...own, ...merged } };
  },
  passwordless_config: (_, { passwordless_config }, given) => ({
    passwordless_config: { ...passwordless_config, ...said(given.passwordless_config!) },
  }),
  static_config: (_, { static_config }, given) => ({
    static_config: {
      static_config: { ...static_config?.static_config, ...given.static_config!.static_config },
    },
  }),
  webauthn_config(_, { webauthn_config = {} }, given) {
    const { rp, attestation, authenticators, authenticator_selection, timeout, ...flags } =
      given.webauthn_config!;
    return {
      webauthn_config: {
        ...webauthn_config,
        ...flags,
        ...(rp && { rp }),
        ...(attestation && { attestation: { ...webauthn_config.attestation, ...attestation } }),
        ...(authenticators && { authenticators: { ...webauthn_config.authenticators, ...authenticators } }),
        ...(authenticator_selection && {
          authenticator_selection: {
            ...webauthn_config.authenticator_selection,
            ...authenticator_selection,
          },
        }),
        ...(timeout && { timeout: { ...webauthn_config.timeout, ...timeout } }),
      },
    };
  },
  google_dwd_config(_, { google_dwd_config }, given) {
    const merged = said(given.google_dwd_config!);
    if (merged.service_account_json) refuseNoKeyFile(merged.service_account_json);
    return { google_dwd_config: { ...google_dwd_config, ...merged } };
  },
};

/** What the caller really says: no zero of an enum, no mask, nothing that the service works out itself. */
function said<T extends object>(given: T): T {
  const members = Object.entries(given).filter(
    ([name, value]) => !WORKED_OUT.has(name) && value !== MASK && !ZEROS.has(value),
  );
  return Object.fromEntries(members) as T;
}

const WORKED_OUT = new Set([
  'redirect_uri',
  'post_logout_redirect_uri',
  'backchannel_logout_redirect_uri',
  'is_cimd',
]);

const ZEROS = new Set<unknown>([
  'TOKEN_AUTH_TYPE_UNSPECIFIED',
  'NAME_ID_FORMAT_NIL',
  'REQUEST_BINDING_UNSPECIFIED',
  'SAML_SIGNING_OPTIONS_UNSPECIFIED',
  'PasswordlessType_UNSPECIFIED',
  'CODE_CHALLENGE_TYPE_UNSPECIFIED',
]);

function refuseNoKeyFile(text: string): void {
  if (!isJsonObject(text)) throw invalidArgument('service_account_json is not the JSON of a key file');
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    // Not JSON at all.
    return false;
  }
}
