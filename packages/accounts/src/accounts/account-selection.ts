import { rowNamed, type StateFacts } from '@understudy/core/contract/cause';
import { shortened } from '@understudy/text/suggestion';
import { ApiError, invalidArgument, notFound } from '@understudy/core/contract/errors';
import type { Rows } from '@understudy/core/state/env';
import type { Env } from '@understudy/core/state/env';

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];

/** How a caller names an account. */
export interface AccountSelection {
  id?: string | undefined;
  connector?: string | undefined;
  identifier?: string | undefined;
  organization_id?: string | undefined;
  user_id?: string | undefined;
}

export function connectionOf(env: Env, connector: string): Connection {
  const connection = env.connections.findBy('key_id', connector);
  if (!connection)
    throw new ApiError('not_found', `connection not found for key: ${connector}`, {
      why: { kind: 'unknown', noun: 'connection', wanted: `with the key_id ${shortened(connector)}` },
    });
  return connection;
}

/**
 * Selects by id, ignoring all other fields; or by connector and identifier, narrowed by organization and
 * user, as the SDKs' tests expect.
 */
export function selectAccount(env: Env, selection: AccountSelection): Account {
  if (selection.id) return env.connected_accounts.get(selection.id);
  const account = findAccount(env, selection);
  if (!account) throw notFound('connected account', describe(selection));
  return account;
}

/**
 * Like `selectAccount`, but returns undefined for a missing account. Throws if the selection is incomplete.
 */
export function findAccount(env: Env, selection: AccountSelection): Account | undefined {
  const { connector, identifier } = selection;
  if (!connector) throw incompleteSelection('connector');
  if (!identifier && !selection.organization_id && !selection.user_id)
    throw incompleteSelection('identifier');
  const connection = connectionOf(env, connector);
  const candidates = identifier
    ? accountsNamed(env, connection.id, identifier)
    : env.connected_accounts.list('connection_id', connection.id);
  const found = candidates.filter((account) => belongsTo(account, selection));
  if (found.length > 1) env.decidedBy('connected-accounts/same-identifier');
  return preferredAccount(found);
}

/**
 * The account that a user uses. Unverified (connected-accounts/shared-account): on an ORG_WIDE connection, that is the
 * account for all users as long as the user has no account there.
 */
export function usedAccount(env: Env, selection: AccountSelection): Account {
  const { id, connector } = selection;
  const wide = !id && connector ? orgWideAccount(env, connectionOf(env, connector)) : undefined;
  if (!wide) return selectAccount(env, selection);
  const own = findAccount(env, selection);
  if (!own) env.decidedBy('connected-accounts/shared-account');
  return own ?? wide;
}

/** The account whose credential serves every user of an ORG_WIDE connection. */
export function orgWideAccount(env: Env, { id, auth_mode }: Connection): Account | undefined {
  if (auth_mode !== 'ORG_WIDE') return undefined;
  return env.connected_accounts.list('connection_id', id).find((account) => account.is_org_wide_credential);
}

/** The account with the credential that `account` uses: on an ORG_WIDE connection, the accounts of users only consent. */
export const holderOf = (env: Env, account: Account): Account =>
  orgWideAccount(env, env.connections.get(account.connection_id)) ?? account;

export const accountsNamed = (env: Env, connectionId: string, identifier: string): Account[] =>
  env.connected_accounts.list('connection_identifier', `${connectionId} ${identifier}`);

export function belongsTo(account: Account, { organization_id, user_id }: AccountSelection): boolean {
  if (organization_id && account.organization_id !== organization_id) return false;
  return !user_id || account.user_id === user_id;
}

/**
 * Unverified (connected-accounts/same-identifier): if an identifier exists under several owners, the account without an
 * owner is preferred, then the oldest one.
 */
export const preferredAccount = (accounts: readonly Account[]) =>
  accounts.find((account) => !account.organization_id && !account.user_id) ?? accounts[0];

export const notActive = ({ id, status }: Account) =>
  `connected account ${id} is ${status}, not ACTIVE: the user has to authorize it`;

/** Why an account is refused that is not active, and what would make it active. */
export const inactiveAccount = (account: Account): StateFacts => ({
  rows: [rowNamed('connected_accounts', account)],
  needs: { status: 'ACTIVE' },
  leads: ['ConnectedAccountService_GetMagicLinkForConnectedAccount'],
});

const incompleteSelection = (missing: string) =>
  invalidArgument(`give the id of the connected account, or connector and identifier; ${missing} is missing`);

export const describe = ({ id, connector, identifier, organization_id, user_id }: AccountSelection) =>
  Object.entries({ id, connector, identifier, organization_id, user_id })
    .flatMap(([name, value]) => (value ? [`${name} ${value}`] : []))
    .join(', ');
