import { notFound } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { belongsTo, connectionOf, type AccountSelection } from '../connected-accounts/account-selection.ts';

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];
type Tool = Rows['tools'];

/** Names of tools from an MCP server contain the key of their connection. */
export const isDiscovered = ({ definition }: Tool) => definition.name.startsWith('c-');

/** Whether accounts of the connection can run the tool. */
export function canRun({ id, provider_key, key_id }: Connection, tool: Tool): boolean {
  if (tool.provider !== provider_key) return false;
  if (tool.connection_id !== undefined) return tool.connection_id === id;
  return !isDiscovered(tool) || tool.definition.name.startsWith(`c-${key_id}_`);
}

/** The active accounts of an identifier. Unverified: other accounts list no tools. */
export const activeAccounts = (env: Env, identifier: string): Account[] =>
  env.connected_accounts.list('identifier', identifier).filter(({ status }) => status === 'ACTIVE');

/**
 * The connections whose tools are listed; undefined without account and connector. A missing account leaves
 * none, a missing connector is an error.
 */
export function selectedConnections(env: Env, selection: AccountSelection): Connection[] | undefined {
  const { id, connector, identifier, organization_id, user_id } = selection;
  if (id) {
    const account = env.connected_accounts.find(id);
    return account ? [connectionFor(env, account)] : [];
  }
  const connection = connector ? connectionOf(env, connector) : undefined;
  if (!identifier && !organization_id && !user_id) return connection && [connection];
  const selected = accountsOf(env, selection).map((account) => connectionFor(env, account));
  return [...new Set(selected)].filter((each) => !connection || each === connection);
}

export const connectionFor = (env: Env, { connection_id }: Account): Connection =>
  env.connections.get(connection_id);

function accountsOf(env: Env, { identifier, organization_id, user_id }: AccountSelection): Account[] {
  const [index, key] = identifier
    ? ['identifier', identifier]
    : user_id
      ? ['user_id', user_id]
      : ['organization_id', organization_id ?? ''];
  const accounts = env.connected_accounts.list(index, key);
  return accounts.filter((account) => belongsTo(account, { organization_id, user_id }));
}

/** Throws if no account has the identifier. */
export function requireAccount(env: Env, identifier: string): void {
  if (env.connected_accounts.count('identifier', identifier) > 0) return;
  throw notFound('connected account', `identifier ${identifier}`);
}
