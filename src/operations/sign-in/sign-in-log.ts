import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { authLogOf } from '../../environment/abandoned-sign-in.ts';

type AuthLog = Rows['auth_logs'];
type Transaction = Rows['login_transactions'];

/** Writes the status of a sign-in to the auth log: one row per sign-in, even after the sign-in is over. */
export function logSignIn(env: Env, transaction: Transaction, status: AuthLog['status']): void {
  const id = authLogOf(transaction);
  const row = { ...whoAndHow(env, transaction), status };
  if (env.auth_logs.find(id)) env.auth_logs.update(id, row);
  else env.auth_logs.insert({ ...row, id, timestamp: env.clock.iso() });
}

function whoAndHow(env: Env, transaction: Transaction) {
  const { client_id, user_id, identity, login_hint = '' } = transaction;
  const connection = env.connections.find(transaction.connection_id ?? identity?.connection_id ?? '');
  const client = env.clients.get(client_id);
  const organization_id = transaction.organization_id ?? connection?.organization_id;
  return {
    email: identity?.email ?? env.users.find(user_id ?? '')?.email ?? login_hint,
    client_id,
    client_name: client.name,
    client_type: client.client_type ?? 'ENV',
    // Unverified: `SSO` is the only workflow name in the docs.
    workflow: connection ? 'SSO' : 'LOGIN',
    ...(organization_id && { organization_id }),
    ...(connection && {
      connection_id: connection.id,
      connection_type: connection.type,
      connection_provider: connection.provider,
    }),
  };
}
