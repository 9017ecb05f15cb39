import type { Env } from '../../state/env.ts';
import { serviceOf } from './saml-parties.ts';
import type { Connection } from './connection-lookup.ts';
import { ending, MASK, SETTINGS_OF } from './settings.ts';

/** Settings with the values that the service works out; secrets are masked. */
export function viewSettings(env: Env, connection: Connection) {
  switch (SETTINGS_OF[connection.type]) {
    case 'oidc_config':
      return { oidc_config: viewOidc(env, connection) };
    case 'saml_config':
      return { saml_config: viewSaml(env, connection) };
    case 'oauth_config':
      return { oauth_config: viewOauth(env, connection) };
    case 'passwordless_config':
      return { passwordless_config: viewPasswordless(connection) };
    case 'webauthn_config':
      return { webauthn_config: viewWebauthn(connection) };
    case 'google_dwd_config':
      return { google_dwd_config: viewGoogleDwd(connection) };
    default:
      return connection.static_config && { static_config: connection.static_config };
  }
}

function viewOidc(env: Env, { id, oidc_config = {} }: Connection) {
  const {
    client_secret,
    scopes = [],
    token_auth_type = 'TOKEN_AUTH_TYPE_UNSPECIFIED',
    ...shown
  } = oidc_config;
  const base = `${env.baseUrl}/sso/v1/oidc/${id}`;
  return {
    ...shown,
    ...(client_secret && { client_secret: MASK }),
    scopes,
    token_auth_type,
    redirect_uri: `${base}/callback`,
    // The addresses of the examples in the vendor's OpenAPI document.
    post_logout_redirect_uri: `${base}/logout/callback`,
    backchannel_logout_redirect_uri: `${base}/backchannel-logout`,
  };
}

function viewSaml(env: Env, { id, saml_config = {} }: Connection) {
  const { entityId, consumerUrl, metadataUrl, logoutUrl } = serviceOf(env, { id, saml_config });
  return {
    idp_certificates: [],
    idp_name_id_format: 'NAME_ID_FORMAT_NIL' as const,
    idp_sso_request_binding: 'REQUEST_BINDING_UNSPECIFIED' as const,
    idp_slo_request_binding: 'REQUEST_BINDING_UNSPECIFIED' as const,
    saml_signing_option: 'SAML_SIGNING_OPTIONS_UNSPECIFIED' as const,
    ...saml_config,
    sp_entity_id: entityId,
    sp_assertion_url: consumerUrl,
    sp_metadata_url: metadataUrl,
    sp_slo_url: logoutUrl,
  };
}

function viewOauth(env: Env, { id, provider_key, oauth_config = {} }: Connection) {
  const { client_secret, scopes = [], optional_scopes, extensions, ...others } = oauth_config;
  const { googleads_developer_token, required_scopes = [], required_optional_scopes = [], ...shown } = others;
  return {
    ...shown,
    ...(client_secret && { client_secret: MASK }),
    ...(googleads_developer_token && { googleads_developer_token: ending(googleads_developer_token) }),
    scopes,
    required_scopes,
    required_optional_scopes,
    redirect_uri: `${env.baseUrl}/sso/v1/oauth/${id}/callback`,
    is_cimd: env.providers.find(provider_key)?.mcp ?? false,
    ...(optional_scopes && { optional_scopes: { scopes: [], field_name: '', ...optional_scopes } }),
    ...(extensions && { extensions: viewExtensions(extensions) }),
  };
}

type OauthExtensions = NonNullable<NonNullable<Connection['oauth_config']>['extensions']>;

function viewExtensions({ smart, extra_authorize_params = {} }: OauthExtensions) {
  return { extra_authorize_params, ...(smart && { smart: { aud: '', domain: '', ...smart } }) };
}

function viewPasswordless({ passwordless_config = {} }: Connection) {
  return { type: 'PasswordlessType_UNSPECIFIED' as const, ...passwordless_config };
}

function viewWebauthn({ webauthn_config = {} }: Connection) {
  const { attestation, authenticators, ...shown } = webauthn_config;
  return {
    enable_auto_registration: false,
    show_passkey_button: true,
    enable_conditional_login: true,
    ...shown,
    ...(attestation && { attestation: { enterprise_approved_ids: [], ...attestation } }),
    ...(authenticators && {
      authenticators: {
        desired_authenticator_status: [],
        undesired_authenticator_status: [],
        ...authenticators,
      },
    }),
  };
}

function viewGoogleDwd({ google_dwd_config = {} }: Connection) {
  const { service_account_json, scopes = [], required_scopes = [], ...shown } = google_dwd_config;
  return { ...shown, ...(service_account_json && { service_account_json: MASK }), scopes, required_scopes };
}
