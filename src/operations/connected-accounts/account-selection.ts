import { ApiError, invalidArgument, notFound } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];

/** How a caller says which account is meant. */
export interface Selection {
  id?: string | undefined;
  connector?: string | undefined;
  identifier?: string | undefined;
  organization_id?: string | undefined;
  user_id?: string | undefined;
}

/** The connection whose key is the connector's name. */
export function connectionOf(env: Env, connector: string): Connection {
  const connection = env.connections.findBy('key_id', connector);
  if (!connection) throw new ApiError('not_found', `connection not found for key: ${connector}`);
  return connection;
}

/**
 * The account that is meant: by id, all else then counting for nothing; or by connector and identifier, narrowed by
 * organization and user (reference: accounts-connections-events 1.10).
 */
export function selectAccount(env: Env, selection: Selection): Account {
  if (selection.id) return env.connected_accounts.get(selection.id);
  const account = findAccount(env, selection);
  if (!account) throw notFound('connected account', describe(selection));
  return account;
}

/** As `selectAccount`, but an account that is not there is undefined. Throws where the selection says too little. */
export function findAccount(env: Env, selection: Selection): Account | undefined {
  const { connector, identifier } = selection;
  if (!connector) throw tooLittle('connector');
  if (!identifier && !selection.organization_id && !selection.user_id) throw tooLittle('identifier');
  const connection = connectionOf(env, connector);
  const candidates = identifier
    ? accountsNamed(env, connection.id, identifier)
    : env.connected_accounts.list('connection_id', connection.id);
  return preferred(candidates.filter((account) => belongs(account, selection)));
}

/** Several owners may use one identifier. */
export const accountsNamed = (env: Env, connectionId: string, identifier: string): Account[] =>
  env.connected_accounts.list('connection_identifier', `${connectionId} ${identifier}`);

export function belongs(account: Account, { organization_id, user_id }: Selection): boolean {
  if (organization_id && account.organization_id !== organization_id) return false;
  return !user_id || account.user_id === user_id;
}

/** Unverified: where an identifier exists under several owners, the account without one is meant, then the oldest. */
export const preferred = (accounts: readonly Account[]) =>
  accounts.find((account) => !account.organization_id && !account.user_id) ?? accounts[0];

export const notActive = ({ id, status }: Account) =>
  `connected account ${id} is ${status}, not ACTIVE: the user has to authorize it`;

const tooLittle = (missing: string) =>
  invalidArgument(`give the id of the connected account, or connector and identifier; ${missing} is missing`);

export const describe = ({ id, connector, identifier, organization_id, user_id }: Selection) =>
  Object.entries({ id, connector, identifier, organization_id, user_id })
    .flatMap(([name, value]) => (value ? [`${name} ${value}`] : []))
    .join(', ');
