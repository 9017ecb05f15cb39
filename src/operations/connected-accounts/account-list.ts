import { validationError } from '../../errors.ts';
import type { Input } from '../../contract/types.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { belongs } from './account-selection.ts';
import { viewListItem } from './account-view.ts';
import type { Operations } from '../handler.ts';
import { mentions } from '../mentions.ts';
import { pageSize } from '../page-size.ts';

type Account = Rows['connected_accounts'];
type Filter = Input<'ConnectedAccountService_ListConnectedAccounts'>['query'];

export const accountList = {
  ConnectedAccountService_ListConnectedAccounts({ query }, world) {
    if (query.connector && query.connection_names?.length) throw notBoth();
    const { rows, ...rest } = page(world.connected_accounts, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: narrowest(world, query),
      ...(isFiltered(query) && { where: (account: Account) => isListed(world, account, query) }),
    });
    return { ...rest, connected_accounts: rows.map((account) => viewListItem(world, account)) };
  },

  ConnectedAccountService_SearchConnectedAccounts({ query }, world) {
    const { query: text, connection_id, page_token: token } = query;
    const { rows, ...rest } = page(world.connected_accounts, {
      size: pageSize(query.page_size, world),
      token,
      by: connection_id ? ['connection_id', connection_id] : undefined,
      where: (account) => isFound(world, account, text),
    });
    return { ...rest, connected_accounts: rows.map((account) => viewListItem(world, account)) };
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

/** The index that leaves the fewest rows to look at. */
function narrowest(world: World, query: Filter): readonly [string, string] | undefined {
  const { identifier, user_id, organization_id, connection_names = [] } = query;
  const connector = connection_names.length === 1 ? connection_names[0] : query.connector;
  const connection = connector ? world.connections.findBy('key_id', connector) : undefined;
  if (connection && identifier) return ['connection_identifier', `${connection.id} ${identifier}`];
  if (identifier) return ['identifier', identifier];
  if (user_id) return ['user_id', user_id];
  if (organization_id) return ['organization_id', organization_id];
  return connection ? ['connection_id', connection.id] : undefined;
}

function isFiltered({ connector, connection_names = [], identifier, provider, query, ...owner }: Filter) {
  const { organization_id, user_id } = owner;
  const texts = [connector, identifier, provider, query, organization_id, user_id];
  return connection_names.length > 0 || texts.some(Boolean);
}

/** Unverified: a connector that no connection has gives an empty list, not an error (Node's and Python's SDKs ask so). */
function isListed(world: World, account: Account, filter: Filter): boolean {
  const { key_id = '', provider_key } = world.connections.get(account.connection_id);
  const { connector, connection_names = [], identifier, provider, query } = filter;
  if (connector && key_id !== connector) return false;
  if (connection_names.length > 0 && !connection_names.includes(key_id)) return false;
  if (identifier && account.identifier !== identifier) return false;
  if (provider && provider_key.toLowerCase() !== provider.toLowerCase()) return false;
  if (query && !isFound(world, account, query)) return false;
  return belongs(account, filter);
}

/** By its identifier, provider or connector. */
function isFound(world: World, account: Account, text: string): boolean {
  const { key_id, provider_key } = world.connections.get(account.connection_id);
  return mentions(text, [account.identifier, provider_key, key_id]);
}
