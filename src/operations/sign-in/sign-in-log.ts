import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { authLogOf } from '../../world/abandoned-sign-in.ts';
import type { Transaction } from './transaction.ts';

type AuthLog = Rows['auth_logs'];

/** Keeps how far a sign-in has come: one row each, under the number of the sign-in, also when it is long over. */
export function logSignIn(world: World, transaction: Transaction, status: AuthLog['status']): void {
  const id = authLogOf(transaction);
  const row = { ...whoAndHow(world, transaction), status };
  if (world.auth_logs.find(id)) world.auth_logs.update(id, row);
  else world.auth_logs.insert({ ...row, id, timestamp: world.clock.iso() });
}

function whoAndHow(world: World, transaction: Transaction) {
  const { client_id, user_id, identity, login_hint = '' } = transaction;
  const connection = world.connections.find(transaction.connection_id ?? identity?.connection_id ?? '');
  const client = world.clients.get(client_id);
  const organization_id = transaction.organization_id ?? connection?.organization_id;
  return {
    email: identity?.email ?? world.users.find(user_id ?? '')?.email ?? login_hint,
    client_id,
    client_name: client.name,
    client_type: client.client_type ?? 'ENV',
    // Unverified: the service documents no names of workflows but `SSO`.
    workflow: connection ? 'SSO' : 'LOGIN',
    ...(organization_id && { organization_id }),
    ...(connection && {
      connection_id: connection.id,
      connection_type: connection.type,
      connection_provider: connection.provider,
    }),
  };
}
