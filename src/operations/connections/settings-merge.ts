import { X509Certificate } from 'node:crypto';
import type { Input } from '../../contract/types.ts';
import type { Env } from '../../state/env.ts';
import { invalidArgument } from '../../contract/errors.ts';
import { flawOfPage, flawOfRedirect } from '@understudy/text/addresses';
import { isObject } from '@understudy/text/json';
import { refuseAddresses, refuseViolations } from '../refusals.ts';
import type { Connection } from './connection-lookup.ts';
import { ending, MASK, SETTINGS, SETTINGS_OF, type Settings } from './settings.ts';

type ConnectionUpdate = Input<'ConnectionService_UpdateConnection'>['body'];

/** Merges given settings into stored ones; undefined if none are given. */
export function mergeSettings(
  env: Env,
  connection: Connection,
  given: ConnectionUpdate,
): Settings | undefined {
  const names = SETTINGS.filter((name) => given[name] !== undefined);
  const [name] = names;
  if (name === undefined) return undefined;
  if (names.length > 1) throw invalidArgument(`give one of ${names.join(', ')}, not several`);
  if (name !== SETTINGS_OF[connection.type]) {
    throw invalidArgument(`a connection of type ${connection.type} has no ${name}`);
  }
  refuseUnusableSettings(given);
  return MERGES[name](env, connection, given);
}

type MergeSettings = (env: Env, stored: Connection, given: ConnectionUpdate) => Settings;

const MERGES: Record<(typeof SETTINGS)[number], MergeSettings> = {
  oidc_config(_, { oidc_config }, given) {
    const { scopes, ...rest } = setFields(given.oidc_config!);
    const named = scopes?.filter((scope) => scope !== 'OIDC_SCOPE_UNSPECIFIED');
    return { oidc_config: { ...oidc_config, ...rest, ...(named && { scopes: named }) } };
  },
  saml_config(env, { saml_config }, given) {
    const { idp_certificate, ...rest } = setFields(given.saml_config!);
    const idp_certificates = certificatesOf(env, saml_config?.idp_certificates ?? [], idp_certificate);
    return { saml_config: { ...saml_config, ...rest, idp_certificates } };
  },
  oauth_config(env, { oauth_config, provider_key }, given) {
    const named = setFields(given.oauth_config!);
    refuseOauthFields(provider_key, named);
    const merged = withRequired(named, ['required_scopes', 'required_optional_scopes']);
    if (oauth_config?.googleads_developer_token && merged.googleads_developer_token)
      if (merged.googleads_developer_token === ending(oauth_config.googleads_developer_token))
        delete merged.googleads_developer_token;
    // Unverified (connections/own-oauth-client): a client id of the customer's own replaces the service's client.
    if (merged.client_id) env.decidedBy('connections/own-oauth-client');
    const own = merged.client_id ? { use_platform_creds: false } : {};
    const whole = { ...oauth_config, ...own, ...merged };
    refuseNoSubset('oauth_config.required_scopes', whole.required_scopes, whole.scopes);
    const { required_optional_scopes, optional_scopes } = whole;
    refuseNoSubset(
      'oauth_config.required_optional_scopes',
      required_optional_scopes,
      optional_scopes?.scopes,
    );
    return { oauth_config: whole };
  },
  passwordless_config: (_, { passwordless_config }, given) => ({
    passwordless_config: { ...passwordless_config, ...setFields(given.passwordless_config!) },
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
    const merged = withRequired(setFields(given.google_dwd_config!), ['required_scopes']);
    if (merged.service_account_json) refuseNoKeyFile(merged.service_account_json);
    const whole = { ...google_dwd_config, ...merged };
    refuseNoSubset('google_dwd_config.required_scopes', whole.required_scopes, whole.scopes);
    return { google_dwd_config: whole };
  },
};

/** The lists of required scopes count with `scope_selection_allowed` alone, which then replaces all of them. */
function withRequired<T extends { scope_selection_allowed?: boolean }>(
  given: T,
  lists: readonly (keyof T)[],
): T {
  const written = { ...given };
  for (const list of lists)
    if (given.scope_selection_allowed === undefined) delete written[list];
    else written[list] ??= [] as T[keyof T];
  return written;
}

function refuseNoSubset(field: string, some: readonly string[] = [], all: readonly string[] = []): void {
  const strange = some.filter((scope) => !all.includes(scope));
  if (strange.length === 0) return;
  const description = `the connection does not ask for ${strange.slice(0, 10).join(', ')}`;
  refuseViolations([{ field: `connection.${field}`, description, constraint: 'subset' }]);
}

const CLIENT_METHODS = ['client_secret_basic', 'client_secret_post', 'none'];

/** Unverified (connections/developer-token): how the service refuses a developer token for another provider. */
function refuseOauthFields(
  providerKey: string,
  {
    token_endpoint_auth_method: method,
    googleads_developer_token: token,
  }: NonNullable<Settings['oauth_config']>,
): void {
  if (method && !CLIENT_METHODS.includes(method))
    throw invalidArgument(`token_endpoint_auth_method is none of ${CLIENT_METHODS.join(', ')}`);
  if (token && providerKey.replaceAll('_', '') !== 'GOOGLEADS')
    throw invalidArgument(`googleads_developer_token is for GOOGLE_ADS, not for ${providerKey}`).decidedBy(
      'connections/developer-token',
    );
}

/** The fields that the caller set: without zero enum values, masks and values that the service works out. */
function setFields<T extends object>(given: T): T {
  const members = Object.entries(given).filter(
    ([name, value]) => !DERIVED_FIELDS.has(name) && value !== MASK && !ZEROS.has(value),
  );
  return Object.fromEntries(members) as T;
}

const DERIVED_FIELDS = new Set([
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
    // The text is not JSON.
    return false;
  }
}

type Certificate = NonNullable<NonNullable<Settings['saml_config']>['idp_certificates']>[number];

/**
 * Unverified (connections/saml-certificate): a new certificate replaces the old one, the same certificate changes
 * nothing, and an empty text removes it.
 */
function certificatesOf(env: Env, stored: readonly Certificate[], text: string | undefined) {
  if (text === undefined) return [...stored];
  if (stored.length > 0) env.decidedBy('connections/saml-certificate');
  if (text === '') return [];
  const parsed = parseCertificate(text);
  const certificate = parsed.toString();
  const known = stored.find((each) => each.certificate === certificate);
  if (known) return [known];
  const expiry_time = new Date(parsed.validTo).toISOString();
  const issuer = parsed.issuer.split('\n').join(', ');
  return [{ certificate, create_time: env.clock.iso(), expiry_time, id: env.draw.id('cert'), issuer }];
}

/** Accepts a certificate with or without the PEM header and footer. */
function parseCertificate(text: string): X509Certificate {
  try {
    return new X509Certificate(text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64'));
  } catch {
    throw invalidArgument('idp_certificate is not an X.509 certificate');
  }
}

type AddressCheck = (address: string) => string | undefined;

/**
 * Fields that must be addresses if set. Entity ids are not checked: SAML allows any URI.
 * Unverified (connections/addresses-in-settings): the docs give no rule.
 */
const ADDRESS_CHECKS: Partial<Record<keyof ConnectionUpdate, Readonly<Record<string, AddressCheck>>>> = {
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

/** Throws for settings that must be addresses and cannot be called or visited. */
function refuseUnusableSettings(given: ConnectionUpdate): void {
  const flaws = Object.entries(ADDRESS_CHECKS).flatMap(([settings, members]) => {
    const values = given[settings as keyof ConnectionUpdate] as Readonly<Record<string, unknown>> | undefined;
    return Object.entries(members).map(([name, flawOf]) => {
      const address = values?.[name];
      const flaw = typeof address === 'string' && address !== '' && flawOf(address);
      return [`connection.${settings}.${name}`, flaw] as const;
    });
  });
  refuseAddresses(flaws, 'connections/addresses-in-settings');
}
