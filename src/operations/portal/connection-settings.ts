import type { Input } from '../../contract/types.ts';
import type { Connection } from '../connections/connection-lookup.ts';

export type SettingsForm = NonNullable<Input<'Portal_UpdateConnection'>['body']>;
type ConnectionUpdate = Input<'ConnectionService_UpdateConnection'>['body'];

/** Labels of the settings on the page. */
export const LABELS: Readonly<Record<string, string>> = {
  issuer: 'Issuer',
  discovery_endpoint: 'Discovery address',
  authorize_uri: 'Authorization address',
  token_uri: 'Token address',
  user_info_uri: 'User info address',
  jwks_uri: 'Keys address',
  client_id: 'Client ID',
  client_secret: 'Client secret',
  idp_metadata_url: 'Metadata address',
  idp_entity_id: 'Entity ID of the identity provider',
  idp_sso_url: 'Sign-in address',
  idp_slo_url: 'Sign-out address',
  idp_certificate: 'Certificate',
};

export const SCOPES = ['openid', 'profile', 'email', 'address', 'phone'] as const;

export const OIDC_TEXTS = [
  'issuer',
  'discovery_endpoint',
  'authorize_uri',
  'token_uri',
  'user_info_uri',
  'jwks_uri',
  'client_id',
] as const;

export const SAML_TEXTS = ['idp_metadata_url', 'idp_entity_id', 'idp_sso_url', 'idp_slo_url'] as const;

/** The form as an API request: cleared fields are empty, and secrets that were not typed stay unchanged. */
export function settingsOf({ type, provider }: Connection, form: SettingsForm): ConnectionUpdate {
  return { type, provider, ...(type === 'OIDC' ? oidcOf(form) : samlOf(form)) };
}

function oidcOf(form: SettingsForm): Pick<ConnectionUpdate, 'oidc_config'> {
  const { client_secret, token_auth_type } = form;
  return {
    oidc_config: {
      ...textsOf(form, OIDC_TEXTS),
      ...(client_secret && { client_secret }),
      ...(token_auth_type && { token_auth_type }),
      scopes: SCOPES.filter((scope) => form[`scope_${scope}`] !== undefined),
      pkce_enabled: form.pkce_enabled !== undefined,
    },
  };
}

function samlOf(form: SettingsForm): Pick<ConnectionUpdate, 'saml_config'> {
  const { idp_certificate, idp_name_id_format, idp_sso_request_binding, saml_signing_option } = form;
  return {
    saml_config: {
      ...textsOf(form, SAML_TEXTS),
      ...(idp_certificate?.trim() && { idp_certificate }),
      ...(idp_name_id_format && { idp_name_id_format }),
      ...(idp_sso_request_binding && { idp_sso_request_binding }),
      ...(saml_signing_option && { saml_signing_option }),
      force_authn: form.force_authn !== undefined,
    },
  };
}

const textsOf = (form: SettingsForm, names: readonly (keyof SettingsForm)[]) =>
  Object.fromEntries(names.map((name) => [name, form[name]?.trim() ?? '']));
