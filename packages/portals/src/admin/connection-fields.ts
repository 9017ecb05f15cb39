import type { Input } from '@understudy/core/contract/types';
import type { Env } from '@understudy/core/state/env';
import { checkbox, field, readableTime, select, textarea } from '@understudy/core/pages/controls';
import { html, type Html } from '@understudy/core/pages/html';
import type { Connection } from '@understudy/core/operations/connections/connection-lookup';
import { withSettings } from '@understudy/core/operations/connections/settings';
import type { FormProblem } from '../portal.ts';

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

const SCOPES = ['openid', 'profile', 'email', 'address', 'phone'] as const;

const OIDC_TEXTS = [
  'issuer',
  'discovery_endpoint',
  'authorize_uri',
  'token_uri',
  'user_info_uri',
  'jwks_uri',
  'client_id',
] as const;

const SAML_TEXTS = ['idp_metadata_url', 'idp_entity_id', 'idp_sso_url', 'idp_slo_url'] as const;

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

interface RejectedSettings {
  problem: FormProblem;
  filled?: SettingsForm;
}

/** The settings that an administrator can change. Secrets are never shown. */
export function settingsFields(env: Env, connection: Connection, refused?: RejectedSettings): Html {
  const { oidc_config, saml_config } = withSettings(env, connection);
  const shown = new SettingsFields(refused);
  return connection.type === 'OIDC'
    ? oidcFields(shown, oidc_config ?? {})
    : samlFields(shown, saml_config ?? {});
}

type OidcConfig = NonNullable<Connection['oidc_config']>;
type SamlConfig = NonNullable<Connection['saml_config']>;
type FieldName = keyof SettingsForm;
type Choices = readonly (readonly [value: string, text: string])[];

/** Form fields filled with the submitted values, or else with the stored settings. */
class SettingsFields {
  readonly #filled: SettingsForm | undefined;
  readonly #problem: FormProblem | undefined;

  constructor(refused: RejectedSettings | undefined) {
    this.#filled = refused?.filled;
    this.#problem = refused?.problem;
  }

  value(name: FieldName, set: string | undefined): string | undefined {
    return this.#filled ? this.#filled[name] : set;
  }

  tick(name: FieldName, label: string, set = false): Html {
    const checked = this.#filled ? this.#filled[name] !== undefined : set;
    return checkbox({ name, label, checked });
  }

  choice(name: FieldName, label: string, options: Choices, set: string | undefined): Html {
    return select({ name, label, options, value: this.value(name, set) });
  }

  problem(name: FieldName): string | undefined {
    return this.#problem?.field === name ? this.#problem.text : undefined;
  }

  text(name: FieldName, set: string | undefined): Html {
    const value = this.value(name, set);
    return field({ name, label: LABELS[name] ?? name, value, problem: this.problem(name) });
  }
}

const oidcFields = (shown: SettingsFields, config: OidcConfig): Html =>
  html`${OIDC_TEXTS.map((name) => shown.text(name, config[name]))}
    ${field({
      name: 'client_secret',
      label: 'Client secret',
      type: 'password',
      hint: config.client_secret ? 'One is set. Type another to change it.' : 'None is set yet.',
      autocomplete: 'new-password',
    })}
    ${shown.choice('token_auth_type', 'How the secret is sent', SECRET_WAYS, config.token_auth_type)}
    <fieldset>
      <legend>Scopes</legend>
      ${SCOPES.map((scope) => shown.tick(`scope_${scope}`, scope, config.scopes?.includes(scope)))}
    </fieldset>
    ${shown.tick('pkce_enabled', 'Use PKCE', config.pkce_enabled)}`;

const samlFields = (shown: SettingsFields, config: SamlConfig): Html =>
  html`${SAML_TEXTS.map((name) => shown.text(name, config[name]))}
  ${textarea({
    name: 'idp_certificate',
    label: 'Certificate',
    hint: certificateHint(config),
    value: shown.value('idp_certificate', undefined),
    problem: shown.problem('idp_certificate'),
  })}
  ${shown.choice('idp_name_id_format', 'Format of the name ID', NAME_ID_FORMATS, config.idp_name_id_format)}
  ${shown.choice('idp_sso_request_binding', 'How the request is sent', BINDINGS, config.idp_sso_request_binding)}
  ${shown.choice('saml_signing_option', 'What is signed', SIGNINGS, config.saml_signing_option)}
  ${shown.tick('force_authn', 'Ask for the credentials at every sign-in', config.force_authn)}`;

function certificateHint({ idp_certificates: [known] = [] }: SamlConfig): string {
  if (!known) return 'X.509, as PEM or its base64 alone. None is set yet.';
  return `One of ${known.issuer} is set, valid until ${readableTime(known.expiry_time)}. Paste another to change it.`;
}

const SECRET_WAYS = [
  ['BASIC_AUTH', 'In a header'],
  ['URL_PARAMS', 'In the form'],
] as const;

const NAME_ID_FORMATS = [
  ['EMAIL', 'E-mail address'],
  ['PERSISTENT', 'Persistent'],
  ['TRANSIENT', 'Transient'],
  ['UNSPECIFIED', 'Unspecified'],
] as const;

const BINDINGS = [
  ['HTTP_REDIRECT', 'Redirect'],
  ['HTTP_POST', 'Form'],
] as const;

const SIGNINGS = [
  ['SAML_ONLY_RESPONSE_SIGNING', 'The response'],
  ['SAML_ONLY_ASSERTION_SIGNING', 'The assertion'],
  ['SAML_RESPONSE_ASSERTION_SIGNING', 'Both'],
  ['SAML_RESPONSE_OR_ASSERTION_SIGNING', 'One of the two'],
  ['NO_SIGNING', 'Nothing'],
] as const;
