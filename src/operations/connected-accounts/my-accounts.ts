import { ApiError } from '../../errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import { callingUser } from '../lists.ts';
import { createMagicLink, successPage } from './account-authorization.ts';
import { viewDetails } from './account-list.ts';
import { connectionOf, preferredAccount } from './account-selection.ts';
import { disconnect } from './disconnection.ts';
import { choiceOf, selectionOf, type ScopeSelection } from './scope-selection.ts';

type Account = Rows['connected_accounts'];
type User = Rows['users'];

/** What a signed-in user does with accounts of their own. */
export const myAccounts = {
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
