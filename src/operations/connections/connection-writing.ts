import type { Input } from '../../contract/types.ts';
import type { Env } from '../../state/env.ts';
import { scopeOf } from '../../state/tables/connection-tables.ts';
import { invalidArgument, validationError, type FieldViolation } from '../../contract/errors.ts';
import { shortened, suggest } from '@understudy/text/suggestion';
import { knownProviderName } from './sign-in-connection.ts';
import { refuseViolations } from '../refusals.ts';
import { ACCEPT_PROVIDERS, acceptsUnknown, deriveTools, renameTools } from './provider-tools.ts';
import { newConnectionKey, refuseTakenKey, type Connection } from './connection-lookup.ts';
import { initialMapping, initialSettings, missingSettings, withSettings } from './settings.ts';
import { oauthTemplate } from './oauth-templates.ts';
import { resolvedProxy } from './proxy-address.ts';
import { mergeSettings } from './settings-merge.ts';

type NewConnection = Input<'ConnectionService_CreateConnection'>['body'];
type ConnectionOwner = Pick<Connection, 'organization_id' | 'is_app' | 'is_login'>;

export function createConnection(env: Env, given: NewConnection, owner: ConnectionOwner): Connection {
  refuseRuleBreaks(given, owner);
  const kind = { ...kindOf(env, given) };
  const now = env.clock.iso();
  if (given.key_id) refuseTakenKey(env, given.key_id);
  const connection: Connection = {
    id: env.draw.id('conn'),
    key_id: given.key_id || newConnectionKey(env, kind.provider_key),
    ...owner,
    ...kind,
    status: 'DRAFT',
    enabled: false,
    ui_button_title: initialButtonTitle(env, { ...owner, ...kind }),
    attribute_mapping: initialMapping(kind),
    ...(given.auth_mode === 'ORG_WIDE' && { auth_mode: 'ORG_WIDE' }),
    ...resolvedProxy(env, kind.provider_key, given.context),
    ...initialSettings(env, kind),
    created_at: now,
    updated_at: now,
  };
  const inserted = env.connections.insert({ ...connection, ...initialStatus(connection) });
  deriveTools(env, inserted);
  return inserted;
}

/** Connections for connected accounts work at once; connections for sign-in must be switched on. */
function initialStatus(connection: Connection): Pick<Connection, 'status' | 'enabled'> {
  if (missingSettings(connection).length > 0) return { status: 'DRAFT', enabled: false };
  return { status: 'COMPLETED', enabled: scopeOf(connection) === 'app' };
}

/** Unverified (connections/rule-names): the docs give the texts of these rules but not their names. */
function refuseRuleBreaks(
  { provider, provider_key, type, key_id }: NewConnection,
  owner: ConnectionOwner,
): void {
  const broken: FieldViolation[] = [];
  const refuse = (constraint: string, description: string) =>
    broken.push({ field: 'connection', description, constraint });
  if (isUnset(provider) && !provider_key) {
    refuse('provider_or_provider_key', 'provider or provider_key is required.');
  }
  if (provider === 'SCALEKIT' && provider_key !== 'SCALEKIT') {
    refuse('scalekit_provider_key', 'invalid value for provider_key.');
  }
  if (type === 'WEBAUTHN' && key_id !== 'WEBAUTHN') refuse('webauthn_key_id', 'invalid value for key_id.');
  if (owner.organization_id !== undefined && isOfEnvironmentAlone(type)) refuse(...ENVIRONMENT_ALONE);
  refuseViolations(broken, 'connections/rule-names');
}

const isUnset = (provider: NewConnection['provider']) =>
  provider === undefined || provider === 'CONNECTION_PROVIDER_UNSPECIFIED';

const isOfEnvironmentAlone = (type: NewConnection['type']) =>
  type === 'OAUTH' || type === 'PASSWORDLESS' || type === 'WEBAUTHN';

const ENVIRONMENT_ALONE = [
  'type_not_supported',
  'OAUTH, PASSWORDLESS and WEBAUTHN are not supported yet',
] as const;

function kindOf(env: Env, { provider, provider_key, type }: NewConnection) {
  // Unverified (connections/missing-type): the type has no default.
  if (type === undefined || type === 'INVALID')
    throw invalidArgument('connection type is required').decidedBy('connections/missing-type');
  if (provider !== undefined && provider !== 'CONNECTION_PROVIDER_UNSPECIFIED') {
    return { type, provider, provider_key: provider_key || provider };
  }
  const key = provider_key ?? '';
  const isKnown = env.providers.has(key) || oauthTemplate(key) || BUILT_IN.has(key) || isProvider(key);
  if (!isKnown && !acceptsUnknown(env)) {
    const known = env.providers.list().map(({ id }) => id);
    const hint = suggest(key.toUpperCase(), known);
    throw invalidArgument(`provider ${shortened(key)} is not known${hint}; ${ACCEPT_PROVIDERS}`);
  }
  const counted = providerOf(key);
  if (counted === 'CUSTOM' && env.providers.has(key)) env.decidedBy('connections/provider-of-applications');
  return { type, provider: counted, provider_key: key };
}

/**
 * Unverified (connections/provider-of-applications): a catalogue application that is no identity provider counts as a
 * custom one.
 */
const providerOf = (key: string): Connection['provider'] =>
  oauthTemplate(key)?.provider ??
  BUILT_IN.get(key) ??
  PROVIDERS.find((provider) => provider === key) ??
  'CUSTOM';

const isProvider = (key: string): boolean => PROVIDERS.some((provider) => provider === key);

/** Applications without OAuth addresses that every environment has, even if its catalogue lacks them. */
const BUILT_IN: ReadonlyMap<string, Connection['provider']> = new Map([['GOOGLEDWD', 'GOOGLE']]);

const PROVIDERS: readonly Connection['provider'][] = [
  'OKTA',
  'GOOGLE',
  'MICROSOFT_AD',
  'AUTH0',
  'ONELOGIN',
  'PING_IDENTITY',
  'JUMPCLOUD',
  'CUSTOM',
  'GITHUB',
  'GITLAB',
  'LINKEDIN',
  'SALESFORCE',
  'MICROSOFT',
  'IDP_SIMULATOR',
  'SCALEKIT',
  'ADFS',
];

type ConnectionKind = Pick<
  Connection,
  'provider' | 'provider_key' | 'type' | 'organization_id' | 'is_login' | 'is_app'
>;

/**
 * Unverified (connections/initial-button-title): the docs name the field but not its initial value. The hosted pages
 * show the title.
 */
function initialButtonTitle(env: Env, kind: ConnectionKind): string {
  const scope = scopeOf(kind);
  if (scope === 'app') {
    return `Connect ${env.providers.find(kind.provider_key)?.display_name ?? knownProviderName(kind) ?? kind.provider_key}`;
  }
  if (kind.type === 'PASSWORDLESS') return 'Continue with e-mail';
  if (kind.type === 'WEBAUTHN') return 'Continue with a passkey';
  return `${scope === 'login' ? 'Continue' : 'Sign in'} with ${knownProviderName(kind) ?? 'SSO'}`;
}

type ConnectionUpdate = Input<'ConnectionService_UpdateConnection'>['body'];

export function updateConnection(env: Env, connection: Connection, given: ConnectionUpdate): Connection {
  refuseOtherType(connection, given.type);
  const { key_id, debug_enabled, ui_button_title, configuration_type, attribute_mapping } = given;
  if (key_id !== undefined) refuseTakenKey(env, key_id, connection.id);
  const settings = mergeSettings(env, withSettings(env, connection), given);
  const updated = env.connections.update(connection.id, {
    ...newProvider(connection, given),
    ...(key_id !== undefined && { key_id }),
    ...(debug_enabled !== undefined && { debug_enabled }),
    ...(ui_button_title !== undefined && { ui_button_title }),
    ...(isSet(configuration_type) && { configuration_type }),
    ...(attribute_mapping && { attribute_mapping }),
    ...settings,
    updated_at: env.clock.iso(),
  });
  if (key_id !== undefined) renameTools(env, updated);
  return settings ? updateStatus(env, updated) : updated;
}

export function refuseTypeOfEnvironment(type: ConnectionUpdate['type']): void {
  const [constraint, description] = ENVIRONMENT_ALONE;
  if (isOfEnvironmentAlone(type)) throw validationError([{ field: 'connection', description, constraint }]);
}

/** Unverified (connections/change-of-type): the type of a connection cannot change. */
function refuseOtherType(connection: Connection, type: ConnectionUpdate['type']): void {
  if (type === undefined || type === 'INVALID' || type === connection.type) return;
  throw invalidArgument(
    `connection ${connection.id} is of type ${connection.type} and cannot become ${type}`,
  ).decidedBy('connections/change-of-type');
}

/** A provider key that equals the provider's name follows it. */
function newProvider(connection: Connection, { provider, provider_key }: ConnectionUpdate) {
  const key = provider_key ? { provider_key } : {};
  if (provider === undefined || provider === 'CONNECTION_PROVIDER_UNSPECIFIED') return key;
  const follows = connection.provider_key === connection.provider;
  return { provider, ...(follows && { provider_key: provider }), ...key };
}

const isSet = (type: ConnectionUpdate['configuration_type']): type is 'DISCOVERY' | 'MANUAL' =>
  type === 'DISCOVERY' || type === 'MANUAL';

/**
 * Unverified (connections/status-after-update): the status follows the settings: complete or in progress. A connection
 * that is not complete is switched off.
 */
function updateStatus(env: Env, connection: Connection): Connection {
  const isComplete = missingSettings(connection).length === 0;
  if (isComplete !== (connection.status === 'COMPLETED')) env.decidedBy('connections/status-after-update');
  return env.connections.update(connection.id, {
    status: isComplete ? 'COMPLETED' : 'IN_PROGRESS',
    ...(!isComplete && { enabled: false }),
  });
}
