import type { Env } from '../../environment/env.ts';
import { checkbox, field, readableTime, select, textarea } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import type { Connection } from '../connections/connection-lookup.ts';
import { withSettings } from '../connections/initial-settings.ts';
import type { FormProblem } from '../problem.ts';
import { LABELS, OIDC_TEXTS, SAML_TEXTS, SCOPES, type SettingsForm } from './connection-settings.ts';

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
  return `One of ${known.issuer} is set, good until ${readableTime(known.expiry_time)}. Paste another to change it.`;
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
