import { notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

export type Connection = Rows['connections'];

/** Unverified: a connection of an organization is not there for the calls on those of the environment. */
export function ofEnvironment(world: World, id: string): Connection {
  return owned(world, id, undefined);
}

export function ofOrganization(world: World, organizationId: string, id: string): Connection {
  return owned(world, id, world.organizations.get(organizationId).id);
}

function owned(world: World, id: string, owner: string | undefined): Connection {
  const connection = world.connections.get(id);
  if (connection.organization_id !== owner) throw notFound('connection', id);
  return connection;
}
