import type { Env } from '../../environment/env.ts';
import { ApiError, failedPrecondition } from '../../errors.ts';
import type { Operations } from '../handler.ts';
import { createConnection } from './connection-creation.ts';
import { connectionList, viewConnection } from './connection-list.ts';
import { assignDomains, ofEnvironment, ofOrganization, type Connection } from './connection-lookup.ts';
import { refuseTypeOfEnvironment, updateConnection } from './connection-update.ts';
import { withSettings } from './initial-settings.ts';
import { missingSettings } from './settings.ts';

/**
 * Connections of the environment or of one organization; the operations differ only in which ones they find.
 */
export const connections = {
  ...connectionList,

  ConnectionService_CreateEnvironmentConnection({ query, body }, env) {
    return answer(env, createConnection(env, body, purpose(query)));
  },

  ConnectionService_CreateConnection({ path, body }, env) {
    const { id } = env.organizations.get(path.organization_id);
    return answer(env, createConnection(env, body, { organization_id: id }));
  },

  ConnectionService_GetEnvironmentConnection({ path }, env) {
    return answer(env, ofEnvironment(env, path.connection_id));
  },

  ConnectionService_GetConnection({ path }, env) {
    return answer(env, ofOrganization(env, path.organization_id, path.id));
  },

  ConnectionService_UpdateEnvironmentConnection({ path, body }, env) {
    return answer(env, updateConnection(env, ofEnvironment(env, path.connection_id), body));
  },

  ConnectionService_UpdateConnection({ path, body }, env) {
    refuseTypeOfEnvironment(body.type);
    const connection = ofOrganization(env, path.organization_id, path.id);
    return answer(env, updateConnection(env, connection, body));
  },

  ConnectionService_DeleteEnvironmentConnection({ path }, env) {
    env.remove('connections', ofEnvironment(env, path.connection_id).id);
    return {};
  },

  ConnectionService_DeleteConnection({ path }, env) {
    env.remove('connections', ofOrganization(env, path.organization_id, path.id).id);
    return {};
  },

  ConnectionService_EnableEnvironmentConnection({ path }, env) {
    return toggle(env, ofEnvironment(env, path.connection_id), true);
  },

  ConnectionService_EnableConnection({ path }, env) {
    return toggle(env, ofOrganization(env, path.organization_id, path.id), true);
  },

  ConnectionService_DisableEnvironmentConnection({ path }, env) {
    return toggle(env, ofEnvironment(env, path.connection_id), false);
  },

  ConnectionService_DisableConnection({ path }, env) {
    return toggle(env, ofOrganization(env, path.organization_id, path.id), false);
  },

  ConnectionService_AssignDomainsToConnection({ path, body }, env) {
    const connection = ofOrganization(env, path.organization_id, path.connection_id);
    return answer(env, assignDomains(env, connection, body.domain_ids ?? []));
  },
} satisfies Partial<Operations>;

const answer = (env: Env, connection: Connection) => ({ connection: viewConnection(env, connection) });

/** A missing flag filters nothing, but counts as false if the other flag is given. */
function purpose(query: { 'flags.is_login'?: boolean; 'flags.is_app'?: boolean }) {
  const { 'flags.is_login': is_login, 'flags.is_app': is_app } = query;
  if (is_login === undefined && is_app === undefined) return {};
  return { is_login: is_login ?? false, is_app: is_app ?? false };
}

interface Switched {
  enabled: boolean;
  error_message?: string;
}

/** Enabling an enabled connection succeeds with an `error_message`. */
export function toggle(env: Env, connection: Connection, enabled: boolean): Switched {
  if (connection.enabled === enabled) {
    return { enabled, error_message: `connection is already ${enabled ? 'enabled' : 'disabled'}` };
  }
  if (enabled && connection.status !== 'COMPLETED') throw incomplete(withSettings(env, connection));
  env.connections.update(connection.id, { enabled, updated_at: env.clock.iso() });
  return { enabled };
}

/** Unverified: the service may also answer 200 with an error_message. */
function incomplete(connection: Connection): ApiError {
  const missing = missingSettings(connection);
  const hint = missing.length > 0 ? `: ${missing.join(', ')} missing` : '';
  const message = `connection ${connection.id} is ${connection.status}, not COMPLETED${hint}`;
  return failedPrecondition(message);
}
