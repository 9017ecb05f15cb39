import { rowNamed } from '../../contract/cause.ts';
import type { Env } from '../../state/env.ts';
import { ApiError, failedPrecondition } from '../../contract/errors.ts';
import type { Operations } from '../handler.ts';
import { createConnection, refuseTypeOfEnvironment, updateConnection } from './connection-writing.ts';
import { connectionList, viewConnection } from './connection-list.ts';
import {
  assignDomains,
  environmentConnection,
  organizationConnection,
  type Connection,
} from './connection-lookup.ts';
import { withSettings, missingSettings } from './settings.ts';

/**
 * Connections of the environment or of one organization; the operations differ only in which ones they find.
 */
export const connections = {
  ...connectionList,

  ConnectionService_CreateEnvironmentConnection({ query, body }, env) {
    return replyWith(env, createConnection(env, body, purposeFilter(query)));
  },

  ConnectionService_CreateConnection({ path, body }, env) {
    const { id } = env.organizations.get(path.organization_id);
    return replyWith(env, createConnection(env, body, { organization_id: id }));
  },

  ConnectionService_GetEnvironmentConnection({ path }, env) {
    return replyWith(env, environmentConnection(env, path.connection_id));
  },

  ConnectionService_GetConnection({ path }, env) {
    return replyWith(env, organizationConnection(env, path.organization_id, path.id));
  },

  ConnectionService_UpdateEnvironmentConnection({ path, body }, env) {
    return replyWith(env, updateConnection(env, environmentConnection(env, path.connection_id), body));
  },

  ConnectionService_UpdateConnection({ path, body }, env) {
    refuseTypeOfEnvironment(body.type);
    const connection = organizationConnection(env, path.organization_id, path.id);
    return replyWith(env, updateConnection(env, connection, body));
  },

  ConnectionService_DeleteEnvironmentConnection({ path }, env) {
    env.remove('connections', environmentConnection(env, path.connection_id).id);
    return {};
  },

  ConnectionService_DeleteConnection({ path }, env) {
    env.remove('connections', organizationConnection(env, path.organization_id, path.id).id);
    return {};
  },

  ConnectionService_EnableEnvironmentConnection({ path }, env) {
    return switchConnection(env, environmentConnection(env, path.connection_id), true);
  },

  ConnectionService_EnableConnection({ path }, env) {
    return switchConnection(env, organizationConnection(env, path.organization_id, path.id), true);
  },

  ConnectionService_DisableEnvironmentConnection({ path }, env) {
    return switchConnection(env, environmentConnection(env, path.connection_id), false);
  },

  ConnectionService_DisableConnection({ path }, env) {
    return switchConnection(env, organizationConnection(env, path.organization_id, path.id), false);
  },

  ConnectionService_AssignDomainsToConnection({ path, body }, env) {
    const connection = organizationConnection(env, path.organization_id, path.connection_id);
    return replyWith(env, assignDomains(env, connection, body.domain_ids ?? []));
  },
} satisfies Partial<Operations>;

const replyWith = (env: Env, connection: Connection) => ({ connection: viewConnection(env, connection) });

/** A missing flag filters nothing, but counts as false if the other flag is given. */
function purposeFilter(query: { 'flags.is_login'?: boolean; 'flags.is_app'?: boolean }) {
  const { 'flags.is_login': is_login, 'flags.is_app': is_app } = query;
  if (is_login === undefined && is_app === undefined) return {};
  return { is_login: is_login ?? false, is_app: is_app ?? false };
}

interface SwitchResult {
  enabled: boolean;
  error_message?: string;
}

/** Enabling an enabled connection succeeds with an `error_message`. */
export function switchConnection(env: Env, connection: Connection, enabled: boolean): SwitchResult {
  if (connection.enabled === enabled) {
    return { enabled, error_message: `connection is already ${enabled ? 'enabled' : 'disabled'}` };
  }
  if (enabled && connection.status !== 'COMPLETED') throw incomplete(withSettings(env, connection));
  env.connections.update(connection.id, { enabled, updated_at: env.clock.iso() });
  return { enabled };
}

/** Unverified (connections/enable-incomplete): the service may also answer 200 with an error_message. */
function incomplete(connection: Connection): ApiError {
  const missing = missingSettings(connection);
  const hint = missing.length > 0 ? `: ${missing.join(', ')} missing` : '';
  const message = `connection ${connection.id} is ${connection.status}, not COMPLETED${hint}`;
  return failedPrecondition(message, {
    rows: [rowNamed('connections', connection)],
    needs: { status: 'COMPLETED' },
  }).decidedBy('connections/enable-incomplete');
}
