import type { Env } from '../../state/env.ts';
import type { Connection } from './connection-lookup.ts';
import { describedTemplate, genericTemplate, oauthTemplate } from './oauth-templates.ts';

/** What answers show in place of a secret. */
export const MASK = '********';

/** What answers show of a developer token. */
export const ending = (token: string) => token.slice(-4);

export const SETTINGS = [
  'oidc_config',
  'saml_config',
  'oauth_config',
  'passwordless_config',
  'static_config',
  'webauthn_config',
  'google_dwd_config',
] as const;

type SettingsName = (typeof SETTINGS)[number];
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

/**
 * Unverified (connections/required-settings): the settings that a connection needs to be complete. The simulated
 * provider needs none.
 */
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
    const secret = oauth_config.token_endpoint_auth_method === 'none' ? [] : ['client_secret'];
    const client = oauth_config.use_platform_creds ? [] : ['client_id', ...secret];
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

type NewConnection = Pick<Connection, 'type' | 'provider' | 'provider_key'>;

/** Fills in the initial settings of the connection's type if the row has none. */
export const withSettings = (env: Env, connection: Connection): Connection => ({
  ...initialSettings(env, connection),
  ...connection,
});

/** Unverified (connections/initial-settings): these initial settings, except the timeouts of Google and of passkeys. */
export function initialSettings(env: Env, { type, provider_key }: NewConnection): Settings {
  switch (SETTINGS_OF[type]) {
    case 'oidc_config':
      return {
        oidc_config: { scopes: ['openid', 'profile', 'email'], token_auth_type: 'BASIC_AUTH', ...SIGN_IN },
      };
    case 'saml_config':
      return { saml_config: { ...SAML, ...SIGN_IN } };
    case 'oauth_config':
      return { oauth_config: initialOauth(env, provider_key) };
    case 'passwordless_config':
      return { passwordless_config: PASSWORDLESS };
    case 'webauthn_config':
      return { webauthn_config: { timeout: TIMEOUT } };
    case 'google_dwd_config':
      return { google_dwd_config: { scopes: [], token_uri: 'https://oauth2.googleapis.com/token' } };
    default:
      return {};
  }
}

/** For known applications the service brings its own OAuth client, which works at once. */
function initialOauth(env: Env, providerKey: string): NonNullable<Settings['oauth_config']> {
  const scopes = env.providers.find(providerKey)?.scopes ?? [];
  const template =
    oauthTemplate(providerKey) ?? describedTemplate(env, providerKey) ?? genericTemplate(env, providerKey);
  if (!template) return { scopes: [...scopes], use_platform_creds: false };
  const { provider: _, ...addresses } = template;
  return { ...addresses, scopes: [...scopes], use_platform_creds: true };
}

const SIGN_IN = { sync_user_profile_on_login: true, jit_provisioning_with_sso_enabled: true } as const;

const SAML = {
  idp_name_id_format: 'EMAIL',
  idp_sso_request_binding: 'HTTP_REDIRECT',
  idp_slo_request_binding: 'HTTP_REDIRECT',
  saml_signing_option: 'SAML_ONLY_RESPONSE_SIGNING',
  allow_idp_initiated_login: false,
} as const;

const PASSWORDLESS = {
  type: 'OTP',
  validity: 300,
  code_challenge_length: 6,
  code_challenge_type: 'NUMERIC',
} as const;

const TIMEOUT = { registration: '300s', registration_uvd: '300s', login: '300s', login_uvd: '300s' } as const;

/**
 * Unverified (connections/initial-attribute-mapping): the initial mapping from the identity provider's attributes to
 * the user's.
 */
export function initialMapping({ type, provider }: NewConnection): Record<string, string> {
  if (type === 'OIDC') return OIDC_CLAIMS;
  if (type !== 'SAML') return {};
  return provider === 'MICROSOFT_AD' || provider === 'ADFS' ? MICROSOFT_CLAIMS : SAML_ATTRIBUTES;
}

const OIDC_CLAIMS = { email: 'email', given_name: 'given_name', family_name: 'family_name' };
const SAML_ATTRIBUTES = { email: 'email', given_name: 'firstName', family_name: 'lastName' };
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const MICROSOFT_CLAIMS = {
  email: `${CLAIMS}/emailaddress`,
  given_name: `${CLAIMS}/givenname`,
  family_name: `${CLAIMS}/surname`,
};
