import type { Env, Rows } from '../../state/env.ts';
import { ApiError, failedPrecondition, invalidArgument, missingFields } from '../../errors.ts';
import type { Operations } from '../handler.ts';
import { accountAuthorization, createMagicLink } from './account-authorization.ts';
import { isByConsent } from './consent.ts';
import { insertAccount, refuseDuplicate, authorizationType } from './account-creation.ts';
import { emitAccountEvent, areUsable, keepFresh, mergeCredentials } from './credentials.ts';
import { disconnect } from './disconnection.ts';
import { accountList, viewAccount, viewDetails } from './account-list.ts';
import { myAccounts } from './my-accounts.ts';
import { selectAccount, usedAccount, orgWideAccount } from './account-selection.ts';
import { newSelection, withSelection } from './scope-selection.ts';

export const connectedAccounts = {
  ...accountList,
  ...accountAuthorization,
  ...myAccounts,

  ConnectedAccountService_CreateConnectedAccount({ body }, env) {
    const { connector, identifier, connected_account } = body;
    if (!connector) throw invalidArgument('connector is required');
    if (!identifier) throw invalidArgument('identifier is required');
    const owned = { ...body, connector, identifier };
    refuseDuplicate(env, owned);
    const { authorization_details: details, api_config } = connected_account;
    const account = insertAccount(env, owned, {
      ...(details && { authorization_details: mergeCredentials(env, undefined, details) }),
      ...(api_config && { api_config }),
    });
    return { connected_account: viewAccount(env, account) };
  },

  ConnectedAccountService_UpdateConnectedAccount({ body }, env) {
    const account = selectAccount(env, body);
    const { api_config, authorization_details: given } = body.connected_account;
    const scope_selection = newSelection(env, account, body.scope_selection);
    const merged = given && mergeCredentials(env, account.authorization_details, given);
    const details = withSelection(env, { ...account, scope_selection }, merged);
    const renewed = given && Object.keys(given).length > 0 && details && areUsable(details);
    const changes = details !== undefined || api_config !== undefined || body.scope_selection !== undefined;
    const updated = env.connected_accounts.update(account.id, {
      ...(changes && { updated_at: env.clock.iso() }),
      ...(details && { authorization_details: details }),
      ...(scope_selection && { scope_selection }),
      ...(api_config && { api_config: { ...account.api_config, ...api_config } }),
      // Unverified (connected-accounts/update-activates): usable credentials activate an account, whatever its status
      // was.
      ...(renewed && { status: 'ACTIVE' as const, token_expires_at: undefined, refresh_fails: undefined }),
    });
    if (renewed && account.status !== 'ACTIVE') env.decidedBy('connected-accounts/update-activates');
    if (changes) emitAccountEvent(env, 'updated', updated);
    return { connected_account: viewAccount(env, updated) };
  },

  ConnectedAccountService_DeleteConnectedAccount({ body }, env) {
    const account = selectAccount(env, body);
    env.remove('connected_accounts', account.id);
    return {};
  },

  ConnectedAccountService_GetConnectedAccountAuth({ query }, env) {
    const account = keepFresh(env, usedAccount(env, query));
    return { connected_account: viewAccount(env, account) };
  },

  ConnectedAccountService_GetConnectedAccount({ path }, env) {
    return { connected_account: viewDetails(env, accountOfCaller(env, path.id)) };
  },

  ConnectedAccountService_GetConnectedAccountDetails({ query }, env) {
    return { connected_account: viewDetails(env, usedAccount(env, query)) };
  },

  ConnectedAccountService_DisconnectConnectedAccount({ path, body }, env) {
    const account = accountOfCaller(env, path.id ?? idIn(body));
    const disconnected = account.status === 'DISCONNECTED' ? account : disconnect(env, account);
    return { connected_account: viewDetails(env, disconnected) };
  },

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

type Account = Rows['connected_accounts'];

const idIn = (body: { id?: string } | Record<string, never> | undefined) => body?.['id'];

/**
 * Unverified (connected-accounts/account-of-token): a client's token is bound to an account only if the account's row
 * names the client.
 */
function accountOfCaller(env: Env, id: string | undefined): Account {
  const own = env.connected_accounts.findBy('client_id', env.caller?.client_id ?? '');
  if (!id) {
    if (own) return own;
    throw failedPrecondition('the token is bound to no connected account: give an id').decidedBy(
      'connected-accounts/account-of-token',
    );
  }
  if (own && own.id !== id) {
    throw new ApiError('permission_denied', `the token is bound to another connected account than ${id}`);
  }
  return env.connected_accounts.get(id);
}

type Connection = Rows['connections'];

/**
 * Unverified (connected-accounts/shared-account-identifier): the identifier of the account that holds the credential.
 */
const IDENTIFIER = 'org_wide';

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
