import type { Input } from '../../contract/types.ts';
import type { Env } from '../../environment/env.ts';
import { invalidArgument, validationError } from '../../errors.ts';
import { renameTools } from '../tools/connection-tools.ts';
import { ENVIRONMENT_ALONE, isOfEnvironmentAlone } from './connection-creation.ts';
import { refuseTakenKey, type Connection } from './connection-lookup.ts';
import { withSettings } from './initial-settings.ts';
import { mergeSettings } from './settings-merge.ts';
import { missingSettings } from './settings.ts';

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

/** Unverified: the type of a connection cannot change. */
function refuseOtherType(connection: Connection, type: ConnectionUpdate['type']): void {
  if (type === undefined || type === 'INVALID' || type === connection.type) return;
  throw invalidArgument(
    `connection ${connection.id} is of type ${connection.type} and cannot become ${type}`,
  );
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
 * Unverified: the status follows the settings: complete or in progress. A connection that is not complete is
 * switched off.
 */
function updateStatus(env: Env, connection: Connection): Connection {
  const isComplete = missingSettings(connection).length === 0;
  return env.connections.update(connection.id, {
    status: isComplete ? 'COMPLETED' : 'IN_PROGRESS',
    ...(!isComplete && { enabled: false }),
  });
}
