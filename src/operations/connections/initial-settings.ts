import type { Env } from '../../environment/env.ts';
import type { Connection } from './connection-lookup.ts';
import { oauthTemplate } from './oauth-templates.ts';
import { SETTINGS_OF, type Settings } from './settings.ts';

type NewConnection = Pick<Connection, 'type' | 'provider' | 'provider_key'>;

/** Fills in the initial settings of the connection's type if the row has none. */
export const withSettings = (env: Env, connection: Connection): Connection => ({
  ...initialSettings(env, connection),
  ...connection,
});

/** Unverified: these initial settings, except the timeouts of Google and of passkeys. */
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
  const template = oauthTemplate(providerKey);
  if (!template) return { scopes: [...scopes], use_platform_creds: false };
  const { authorize_uri, token_uri, user_info_uri } = template;
  return { authorize_uri, token_uri, user_info_uri, scopes: [...scopes], use_platform_creds: true };
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

/** Unverified: the initial mapping from the identity provider's attributes to the user's. */
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
