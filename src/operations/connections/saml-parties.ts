import type { Env, Rows } from '../../state/env.ts';
import { ApiError } from '../../contract/errors.ts';
import { developmentKey, pemOf, type DevelopmentKey } from '@understudy/saml/development-keys';
import { NAME_ID_FORMATS, type NameIdFormat } from '@understudy/saml/names';
import { ruleNamed } from '../refusals.ts';
import { SamlRefusal } from '@understudy/saml/refusal';
import type { WantedSignature } from '@understudy/saml/response-check';
import { addressCode } from '@understudy/text/issued-code';

type Connection = Rows['connections'];
type SamlConfig = NonNullable<Connection['saml_config']>;

/** The key of the service, which signs its requests and decrypts assertions. */
export const serviceKey = () => developmentKey('service');

/** The entity id and addresses of the service, for the identity provider of a connection. */
export function serviceOf(env: Env, { id, saml_config = {} }: Pick<Connection, 'id' | 'saml_config'>) {
  const base = `${env.baseUrl}/sso/v1/saml/${addressCode(env, id)}`;
  return {
    entityId: saml_config.sp_entity_id || base,
    consumerUrl: saml_config.sp_assertion_url || `${base}/callback`,
    metadataUrl: `${base}/metadata`,
    logoutUrl: saml_config.sp_slo_url || `${base}/slo/callback`,
  };
}

/** Where the identity provider sends a user's sign-out. `logoutUrl` of `serviceOf` is for answers to a sign-out. */
export const logoutAddress = (env: Env, { id }: Pick<Connection, 'id'>) =>
  `${env.baseUrl}/sso/v1/saml/${addressCode(env, id)}/slo`;

/** The entity id and addresses of the simulated identity provider of a connection. */
export function simulatedProviderOf(env: Env, { id, saml_config = {} }: Connection) {
  const base = `${env.baseUrl}/ui/identity-provider/saml/${addressCode(env, id)}`;
  return {
    entityId: saml_config.idp_entity_id || `${base}/metadata`,
    metadataUrl: `${base}/metadata`,
    signOnUrl: `${base}/sso`,
    answerUrl: `${base}/answer`,
    logoutUrl: `${base}/slo`,
  };
}

/** Whether a simulated provider stands for the provider of the connection. */
export function isSimulated(
  env: Env,
  { provider, simulated_provider, saml_config = {} }: Connection,
): boolean {
  if (provider === 'IDP_SIMULATOR') return true;
  if (simulated_provider !== undefined) return simulated_provider;
  const address = saml_config.idp_sso_url || saml_config.idp_metadata_url;
  return !address || isOurs(env, address) || !isOnThisMachine(address);
}

const isOurs = ({ baseUrl }: Env, address: string) => address.startsWith(`${baseUrl}/`);

const THIS_MACHINE = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

const isOnThisMachine = (address: string) =>
  URL.canParse(address) && THIS_MACHINE.test(new URL(address).hostname);

type Certificate = NonNullable<NonNullable<Connection['saml_provider']>['certificate']>;

const PROVIDER_KEYS: Readonly<Record<Certificate, DevelopmentKey>> = {
  current: 'provider',
  next: 'next_provider',
  expired: 'expired_provider',
};

/** The key that the simulated provider signs with. */
export const providerKey = ({ saml_provider = {} }: Connection) =>
  developmentKey(PROVIDER_KEYS[saml_provider.certificate ?? 'current']);

/** The certificates of the simulated provider's metadata: of its key, and of the one that it had before. */
export function publishedCertificates(connection: Connection): string[] {
  const { certificate } = providerKey(connection);
  const isNext = connection.saml_provider?.certificate === 'next';
  return isNext ? [certificate, developmentKey('provider').certificate] : [certificate];
}

const simulatedCertificates = () =>
  Object.values(PROVIDER_KEYS).map((name) => developmentKey(name).certificate);

/**
 * The certificates that the service trusts. A connection that names a certificate of the simulated provider trusts what it
 * names. A connection with a metadata URL follows the provider. Others know the certificate that the provider had first.
 */
export function trustedCertificates(env: Env, connection: Connection): string[] {
  const { saml_config = {}, saml_metadata } = connection;
  const named = (saml_config.idp_certificates ?? []).map(({ certificate }) => pemOf(certificate));
  if (!isSimulated(env, connection)) return [...named, ...(saml_metadata?.certificates ?? [])];
  const ours = simulatedCertificates();
  if (named.some((each) => ours.includes(each))) return named;
  const follows = saml_config.idp_metadata_url || connection.saml_provider?.certificate !== 'next';
  return follows ? publishedCertificates(connection) : [developmentKey('provider').certificate];
}

/** Whom the service trusts in messages of the connection's provider. */
export const trustOf = (env: Env, connection: Connection) => ({
  certificates: trustedCertificates(env, connection),
  now: env.clock.ms,
});

/** The format of names that the connection asks for. Unverified (saml/name-id-format): e-mail addresses by default. */
export const wantedNameId = ({ idp_name_id_format = 'EMAIL' }: SamlConfig = {}): NameIdFormat =>
  idp_name_id_format in NAME_ID_FORMATS ? (idp_name_id_format as NameIdFormat) : 'EMAIL';

/** Unverified (saml/no-signing): no option lets a response pass of which nothing is signed. */
const WANTED: Readonly<Record<string, WantedSignature | undefined>> = {
  SAML_ONLY_RESPONSE_SIGNING: 'response',
  SAML_ONLY_ASSERTION_SIGNING: 'assertion',
  SAML_RESPONSE_ASSERTION_SIGNING: 'both',
};

/** What a connection wants signed: the response, the assertion, or one of them. */
export const wantedSignature = (config: SamlConfig = {}): WantedSignature =>
  WANTED[config.saml_signing_option ?? ''] ?? 'either';

/** The entity id of the connection's identity provider; undefined: any. */
export function issuerOf(env: Env, connection: Connection): string | undefined {
  if (isSimulated(env, connection)) return simulatedProviderOf(env, connection).entityId;
  return connection.saml_config?.idp_entity_id || connection.saml_metadata?.entity_id;
}

/** A refused message as an error for people: a page says what was expected and what came. */
export function refusalPage({ message, rule }: SamlRefusal): ApiError {
  const refusal = new ApiError('invalid_argument', message, {
    title: 'This SAML message is refused',
    why: { kind: 'protocol' },
  });
  return rule ? refusal.decidedBy(ruleNamed(rule)) : refusal;
}

/** Runs a check; a refusal becomes an error page. */
export function orRefusalPage<T>(check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    throw thrown instanceof SamlRefusal ? refusalPage(thrown) : thrown;
  }
}
