import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { createConnection } from './connection-creation.ts';
import { assignDomains } from './connection-domains.ts';
import { connectionList } from './connection-list.ts';
import { ofEnvironment, ofOrganization, type Connection } from './connection-lookup.ts';
import { toggle } from './connection-toggle.ts';
import { refuseTypeOfEnvironment, updateConnection } from './connection-update.ts';
import { viewConnection } from './connection-view.ts';

/** Of the environment or of one organization: the calls differ in whose connections they find. */
export const connections = {
  ...connectionList,

  ConnectionService_CreateEnvironmentConnection({ query, body }, world) {
    return answer(world, createConnection(world, body, purpose(query)));
  },

  ConnectionService_CreateConnection({ path, body }, world) {
    const { id } = world.organizations.get(path.organization_id);
    return answer(world, createConnection(world, body, { organization_id: id }));
  },

  ConnectionService_GetEnvironmentConnection({ path }, world) {
    return answer(world, ofEnvironment(world, path.connection_id));
  },

  ConnectionService_GetConnection({ path }, world) {
    return answer(world, ofOrganization(world, path.organization_id, path.id));
  },

  ConnectionService_UpdateEnvironmentConnection({ path, body }, world) {
    return answer(world, updateConnection(world, ofEnvironment(world, path.connection_id), body));
  },

  ConnectionService_UpdateConnection({ path, body }, world) {
    refuseTypeOfEnvironment(body.type);
    const connection = ofOrganization(world, path.organization_id, path.id);
    return answer(world, updateConnection(world, connection, body));
  },

  ConnectionService_DeleteEnvironmentConnection({ path }, world) {
    world.remove('connections', ofEnvironment(world, path.connection_id).id);
    return {};
  },

  ConnectionService_DeleteConnection({ path }, world) {
    world.remove('connections', ofOrganization(world, path.organization_id, path.id).id);
    return {};
  },

  ConnectionService_EnableEnvironmentConnection({ path }, world) {
    return toggle(world, ofEnvironment(world, path.connection_id), true);
  },

  ConnectionService_EnableConnection({ path }, world) {
    return toggle(world, ofOrganization(world, path.organization_id, path.id), true);
  },

  ConnectionService_DisableEnvironmentConnection({ path }, world) {
    return toggle(world, ofEnvironment(world, path.connection_id), false);
  },

  ConnectionService_DisableConnection({ path }, world) {
    return toggle(world, ofOrganization(world, path.organization_id, path.id), false);
  },

  ConnectionService_AssignDomainsToConnection({ path, body }, world) {
    const connection = ofOrganization(world, path.organization_id, path.connection_id);
    return answer(world, assignDomains(world, connection, body.domain_ids ?? []));
  },
} satisfies Partial<Operations>;

const answer = (world: World, connection: Connection) => ({ connection: viewConnection(world, connection) });

/** Flags that are left out say nothing; beside one that is given, the other is off. */
function purpose(query: { 'flags.is_login'?: boolean; 'flags.is_app'?: boolean }) {
  const { 'flags.is_login': is_login, 'flags.is_app': is_app } = query;
  if (is_login === undefined && is_app === undefined) return {};
  return { is_login: is_login ?? false, is_app: is_app ?? false };
}
