import { invalidArgument, missingFields } from '../../errors.ts';
import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import { createMagicLink } from './account-authorization.ts';
import { authorizationType, insertAccount } from './account-creation.ts';
import { orgWideAccount } from './account-selection.ts';
import { isByConsent } from './consent.ts';
import { areUsable, mergeCredentials } from './credentials.ts';

type Connection = Rows['connections'];

/**
 * Unverified (connected-accounts/shared-account-identifier): the identifier of the account that holds the credential.
 */
const IDENTIFIER = 'org_wide';

export const orgWideCredential = {
  ConnectedAccountService_AuthorizeOrgWideCredential({ body }, env) {
    const connection = orgWideConnection(env, body.connection_id);
    const { authorization_details: given, api_config } = body;
    const isLinked = isByConsent({ authorization_type: authorizationType(connection) });
    if (!isLinked && !given) throw missingFields('authorization_details');
    const known = orgWideAccount(env, connection) ?? makeAccount(env, connection);
    const details = given && mergeCredentials(env, known.authorization_details, given);
    const isUsable = details !== undefined && areUsable(details);
    const account = env.connected_accounts.update(known.id, {
      updated_at: env.clock.iso(),
      ...(details && { authorization_details: details }),
      ...(api_config && { api_config }),
      ...(isUsable && { status: 'ACTIVE', token_expires_at: undefined, refresh_fails: undefined }),
    });
    const told = { connected_account_id: account.id, status: account.status };
    return isLinked ? { ...told, ...createMagicLink(env, { id: account.id }), status: 'PENDING_AUTH' } : told;
  },
} satisfies Partial<Operations>;

function orgWideConnection(env: Env, id: string): Connection {
  const connection = env.connections.find(id);
  if (!connection) throw invalidArgument(`connection ${id} not found`);
  if (connection.auth_mode === 'ORG_WIDE') return connection;
  throw invalidArgument(`auth_mode of connection ${id} is ${connection.auth_mode ?? 'USER'}, not ORG_WIDE`);
}

function makeAccount(env: Env, connection: Connection) {
  const { key_id: connector = '' } = connection;
  const account = insertAccount(env, { connector, identifier: IDENTIFIER }, {});
  return env.connected_accounts.update(account.id, { is_org_wide_credential: true });
}
