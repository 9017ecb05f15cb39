import type { Env, Rows } from '@understudy/core/state/env';
import {
  ApiError,
  failedPrecondition,
  invalidArgument,
  missingFields,
} from '@understudy/core/contract/errors';
import type { Operations } from '@understudy/core/operations/handler';
import { accountAuthorization, createMagicLink, successPage } from './account-authorization.ts';
import { isByConsent } from './consent.ts';
import { insertAccount, refuseDuplicate, authorizationType } from './account-creation.ts';
import { emitAccountEvent, areUsable, keepFresh, mergeCredentials } from './credentials.ts';
import { accountList, viewAccount, viewDetails } from './account-list.ts';
import {
  selectAccount,
  usedAccount,
  orgWideAccount,
  connectionOf,
  preferredAccount,
} from './account-selection.ts';
import {
  newSelection,
  withSelection,
  choiceOf,
  selectionOf,
  type ScopeSelection,
} from './scope-selection.ts';
import { callingUser } from '@understudy/core/operations/lists';

export const connectedAccounts = {
  ...accountList,
  ...accountAuthorization,

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

  ConnectedAccountService_ListMyAppConnections(_, env) {
    const user = callingUser(env);
    return {
      connections: env.connections.list('scope', 'app').map((connection) => {
        const account = accountOf(env, user, connection.id);
        return {
          connection_id: connection.id,
          provider: connection.provider_key,
          connection_name: connection.key_id ?? '',
          enabled: connection.enabled,
          user_status: statusOf(account),
          connected_account_id: account?.id ?? '',
        };
      }),
    };
  },

  ConnectedAccountService_GetMyConnectionMagicLink({ path }, env) {
    const user = callingUser(env);
    const connection = connectionOf(env, path.connection_name);
    const id = accountOf(env, user, connection.id)?.id;
    const created = { connector: path.connection_name, identifier: user.email, user_id: user.id };
    return createMagicLink(env, id ? { id } : created);
  },

  ConnectedAccountService_DisconnectMyConnectedAccount({ path }, env) {
    const user = callingUser(env);
    const account = env.connected_accounts.get(path.id);
    if (!isMine(user)(account))
      throw new ApiError('permission_denied', `connected account ${account.id} belongs to somebody else`);
    const disconnected = account.status === 'DISCONNECTED' ? account : disconnect(env, account);
    return { connected_account: viewDetails(env, disconnected) };
  },

  /**
   * Unverified (connected-accounts/portal-address-caller): who may ask. The service asks for a token of its own portal,
   * which Understudy does not have.
   */
  ConnectedAccountService_GetRedirectUrl(_, env) {
    callingUser(env);
    env.decidedBy('connected-accounts/portal-address-caller');
    return { redirect_url: successPage(env) };
  },

  ConnectedAccountService_CreateRedirectUrl({ body: { scope_selection } }, env) {
    const user = callingUser(env);
    if (scope_selection) pickScopes(env, user, scope_selection);
    return { redirect_url: successPage(env) };
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

type User = Rows['users'];

/**
 * Unverified (connected-accounts/account-of-user): an account is a user's if it has the user's id, or no owner and the
 * user's e-mail address as identifier.
 */
const isMine =
  ({ id, email }: User) =>
  ({ user_id, identifier }: Account): boolean =>
    user_id === undefined ? identifier.toLowerCase() === email.toLowerCase() : user_id === id;

const accountOf = (env: Env, user: User, connectionId: string): Account | undefined =>
  preferredAccount(env.connected_accounts.list('connection_id', connectionId).filter(isMine(user)));

/**
 * Unverified (connected-accounts/picked-scopes-account): for which account. The token of the service's portal says
 * that; Understudy takes the newest account of the user that waits for its authorization.
 */
function pickScopes(env: Env, user: User, picked: Partial<ScopeSelection>): void {
  env.decidedBy('connected-accounts/picked-scopes-account');
  const waiting = env.connections
    .list('scope', 'app')
    .flatMap((connection) => env.connected_accounts.list('connection_id', connection.id))
    .filter((account) => account.status === 'PENDING_AUTH' && isMine(user)(account));
  const newest = waiting.toSorted((a, b) => positionOf(env, a) - positionOf(env, b)).at(-1);
  const choice = newest && choiceOf(env, env.connections.get(newest.connection_id));
  if (!choice?.isAllowed) return;
  env.connected_accounts.update(newest!.id, { scope_selection: selectionOf(choice, picked) });
}

const positionOf = (env: Env, { id }: Account) => env.connected_accounts.positionOf(id) ?? 0;

function statusOf(account: Account | undefined) {
  if (!account) return 'NOT_CONNECTED' as const;
  return account.status === 'ACTIVE' ? ('CONNECTED' as const) : account.status;
}

/**
 * Unverified (connected-accounts/disconnection): pending links and consents become void. The account needs a new link.
 */
function disconnect(env: Env, account: Account): Account {
  env.decidedBy('connected-accounts/disconnection');
  for (const link of env.magic_links.list('connected_account_id', account.id))
    env.remove('magic_links', link.id);
  for (const request of env.auth_requests.list('connected_account_id', account.id))
    if (!request.consumed) env.auth_requests.update(request.id, { consumed: true });
  return env.connected_accounts.update(account.id, {
    status: 'DISCONNECTED',
    updated_at: env.clock.iso(),
    authorization_details: undefined,
    token_expires_at: undefined,
  });
}
