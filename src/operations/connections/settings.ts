import type { Connection } from './connection-lookup.ts';

/** What answers show in place of a secret. */
export const MASK = '********';

export const SETTINGS = [
  'oidc_config',
  'saml_config',
  'oauth_config',
  'passwordless_config',
  'static_config',
  'webauthn_config',
  'google_dwd_config',
] as const;

export type SettingsName = (typeof SETTINGS)[number];
export type Settings = Partial<Pick<Connection, SettingsName>>;

/** Which settings a connection of each type has. Password connections have none. */
export const SETTINGS_OF: Readonly<Record<Connection['type'], SettingsName | undefined>> = {
  OIDC: 'oidc_config',
  SAML: 'saml_config',
  PASSWORD: undefined,
  OAUTH: 'oauth_config',
  PASSWORDLESS: 'passwordless_config',
  BASIC: 'static_config',
  BEARER: 'static_config',
  API_KEY: 'static_config',
  WEBAUTHN: 'webauthn_config',
  OAUTH_M2M: 'oauth_config',
  TRELLO_OAUTH1: 'oauth_config',
  GOOGLE_DWD: 'google_dwd_config',
  TRUSTED_IDP: 'static_config',
  SMART_FHIR: 'oauth_config',
  NO_AUTH: 'static_config',
};

/** Unverified: the settings that a connection needs to be complete. The simulated provider needs none. */
export function missingSettings(connection: Connection): string[] {
  if (connection.provider === 'IDP_SIMULATOR') return [];
  const missing = MISSING[SETTINGS_OF[connection.type] ?? 'static_config'];
  return missing?.(connection) ?? [];
}

const MISSING: Partial<Record<SettingsName, (connection: Connection) => string[]>> = {
  oidc_config({ oidc_config = {} }) {
    const { issuer, discovery_endpoint, authorize_uri, token_uri, jwks_uri, ...rest } = oidc_config;
    const isFound = issuer || discovery_endpoint || (authorize_uri && token_uri && jwks_uri);
    return [...(isFound ? [] : ['issuer']), ...missingNames(rest, ['client_id', 'client_secret'])];
  },
  saml_config({ saml_config = {} }) {
    const { idp_metadata_url, idp_certificates = [], ...rest } = saml_config;
    if (idp_metadata_url) return [];
    const certificate = idp_certificates.length > 0 ? [] : ['idp_certificate'];
    return [...missingNames(rest, ['idp_entity_id', 'idp_sso_url']), ...certificate];
  },
  oauth_config({ oauth_config = {}, type }) {
    const addresses = type === 'OAUTH_M2M' ? ['token_uri'] : ['authorize_uri', 'token_uri'];
    const client = oauth_config.use_platform_creds ? [] : ['client_id', 'client_secret'];
    const isAimed = type !== 'SMART_FHIR' || oauth_config.extensions?.smart?.aud;
    return [
      ...missingNames(oauth_config, [...addresses, ...client]),
      ...(isAimed ? [] : ['extensions.smart.aud']),
    ];
  },
  webauthn_config: ({ webauthn_config = {} }) => missingNames(webauthn_config, ['rp']),
  google_dwd_config: ({ google_dwd_config = {} }) =>
    missingNames(google_dwd_config, ['service_account_json']),
};

const missingNames = (settings: object, names: readonly string[]) =>
  names.filter((name) => !(settings as Record<string, unknown>)[name]);
