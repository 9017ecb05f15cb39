import type { Input } from '@understudy/core/contract/types';
import type { Env, Rows } from '@understudy/core/state/env';
import { page } from '@understudy/core/rows/page';
import { validationError } from '@understudy/core/contract/errors';
import type { Operations } from '@understudy/core/operations/handler';
import { containsText, listing, textSearch } from '@understudy/core/operations/lists';
import { belongsTo } from './account-selection.ts';

type Account = Rows['connected_accounts'];
type Filter = Input<'ConnectedAccountService_ListConnectedAccounts'>['query'];

export const accountList = {
  ConnectedAccountService_ListConnectedAccounts({ query }, env) {
    if (query.connector && query.connection_names?.length) throw notBoth();
    if (query.connector && !env.connections.findBy('key_id', query.connector))
      env.decidedBy('connected-accounts/list-of-unknown-connector');
    const { rows, ...rest } = page(env.connected_accounts, {
      ...listing(query, env),
      by: narrowest(env, query),
      ...(isFiltered(query) && { where: filterOf(env, query) }),
    });
    return { ...rest, connected_accounts: rows.map((account) => viewListItem(env, account)) };
  },

  ConnectedAccountService_SearchConnectedAccounts({ query }, env) {
    const { query: text, connection_id } = query;
    const isFound = searchAccounts(env, text);
    const { rows, ...rest } = page(env.connected_accounts, {
      ...listing(query, env),
      by: connection_id ? ['connection_id', connection_id] : undefined,
      where: isFound,
    });
    return { ...rest, connected_accounts: rows.map((account) => viewListItem(env, account)) };
  },
} satisfies Partial<Operations>;

const notBoth = () =>
  validationError([
    {
      field: 'connector',
      description: 'connector and connection_names are mutually exclusive: give one of them',
      constraint: 'connector_or_connection_names_not_both',
    },
  ]);

/** Picks the index with the fewest rows. */
function narrowest(env: Env, query: Filter): readonly [string, string] | undefined {
  const { identifier, user_id, organization_id, connection_names = [] } = query;
  const connector = connection_names.length === 1 ? connection_names[0] : query.connector;
  const connection = connector ? env.connections.findBy('key_id', connector) : undefined;
  if (connection && identifier) return ['connection_identifier', `${connection.id} ${identifier}`];
  if (identifier) return ['identifier', identifier];
  if (user_id) return ['user_id', user_id];
  if (organization_id) return ['organization_id', organization_id];
  return connection ? ['connection_id', connection.id] : undefined;
}

function isFiltered(filter: Filter) {
  const { connector, connection_names = [], identifier, provider, query, ...owner } = filter;
  if (filter.is_org_wide_credential !== undefined) return true;
  const { organization_id, user_id } = owner;
  const texts = [connector, identifier, provider, query, organization_id, user_id];
  return connection_names.length > 0 || texts.some(Boolean);
}

function filterOf(env: Env, filter: Filter): (account: Account) => boolean {
  const isFound = filter.query ? searchAccounts(env, filter.query) : () => true;
  return (account) => isListed(env, account, filter) && isFound(account);
}

/**
 * Unverified (connected-accounts/list-of-unknown-connector): a connector without a connection gives an empty list
 * instead of an error (the SDKs for Node and Python ask for such connectors).
 */
function isListed(env: Env, account: Account, filter: Filter): boolean {
  const { key_id = '', provider_key } = env.connections.get(account.connection_id);
  const { connector, connection_names = [], identifier, provider } = filter;
  if (connector && key_id !== connector) return false;
  if (connection_names.length > 0 && !connection_names.includes(key_id)) return false;
  if (identifier && account.identifier !== identifier) return false;
  if (provider && provider_key.toLowerCase() !== provider.toLowerCase()) return false;
  const { is_org_wide_credential: isWide } = filter;
  if (isWide !== undefined && (account.is_org_wide_credential ?? false) !== isWide) return false;
  return belongsTo(account, filter);
}

const searchIdentifiers = textSearch<Account>(({ identifier }) => [identifier]);

/** Many accounts share a connection, so that its names are compared once. */
function searchAccounts(env: Env, text: string): (account: Account) => boolean {
  const isIdentified = searchIdentifiers(text);
  const named = new Map<string, boolean>();
  const isOfNamed = (id: string): boolean => {
    const known = named.get(id);
    if (known !== undefined) return known;
    const { key_id, provider_key } = env.connections.get(id);
    const isNamed = containsText(text, [provider_key, key_id]);
    named.set(id, isNamed);
    return isNamed;
  };
  return (account) => isIdentified(account) || isOfNamed(account.connection_id);
}

/** The fields that lists and searches show: no credentials, no configuration. */
function viewListItem(env: Env, account: Account) {
  const {
    create_time: _,
    organization_id: __,
    user_id: ___,
    client_id: ____,
    authorization_details: _____,
    api_config: ______,
    refresh_fails: _______,
    scope_selection: ________,
    is_org_wide_credential = false,
    ...shown
  } = account;
  const { key_id = '', provider_key } = env.connections.get(account.connection_id);
  return { ...shown, connector: key_id, provider: provider_key, is_org_wide_credential };
}

/** With credentials, which only create, update and get-auth return. */
export function viewAccount(env: Env, account: Account) {
  const { authorization_details } = account;
  return { ...viewDetails(env, account), ...(authorization_details && { authorization_details }) };
}

/** With configuration, without credentials. */
export function viewDetails(env: Env, account: Account) {
  const { api_config } = account;
  return {
    ...viewListItem(env, account),
    ...(api_config && { api_config: withFixedKeys(env, account, api_config) }),
  };
}

/** Connectors with fixed keys return all of their keys, with null for missing values. */
function withFixedKeys(env: Env, account: Account, config: Record<string, unknown>) {
  const { provider_key } = env.connections.get(account.connection_id);
  const keys = env.providers.find(provider_key)?.api_config_keys ?? [];
  return { ...Object.fromEntries(keys.map((key) => [key, null])), ...config };
}
