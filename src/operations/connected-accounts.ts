import { alreadyExists, ApiError, invalidArgument, validationError } from '../errors.ts';
import type { Input } from '../contract/types.ts';
import { page } from '../world/page.ts';
import type { Rows } from '../world/schema.ts';
import type { World } from '../world/world.ts';
import { belongs, connectionOf, findAccount, selectAccount, type Selection } from './account-selection.ts';
import { viewAccount, viewListItem } from './account-view.ts';
import { areUsable, mergeCredentials } from './credentials.ts';
import type { Operations } from './handler.ts';
import { pageSize } from './page-size.ts';
import { carrying } from './portal-links.ts';

type Account = Rows['connected_accounts'];

/** Unverified: the vendor documents no number; a newer SDK says one minute. */
const LINK_LIFETIME = 60_000;

export const connectedAccounts = {
  ConnectedAccountService_ListConnectedAccounts({ query }, world) {
    const { connector, connection_names = [], page_token: token } = query;
    if (connector && connection_names.length > 0) throw notBoth();
    const { rows, ...rest } = page(world.connected_accounts, {
      size: pageSize(query.page_size, world),
      token,
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
      where: (account) => mentions(world, account, text),
    });
    return { ...rest, connected_accounts: rows.map((account) => viewListItem(world, account)) };
  },

  ConnectedAccountService_CreateConnectedAccount({ body }, world) {
    const { connector, identifier, connected_account } = body;
    if (!connector) throw invalidArgument('connector is required');
    if (!identifier) throw invalidArgument('identifier is required');
    refuseDuplicate(world, body);
    const details = connected_account.authorization_details;
    const account = insert(
      world,
      { ...body, connector, identifier },
      {
        ...(details && { authorization_details: mergeCredentials(world, undefined, details) }),
        ...(connected_account.api_config && { api_config: connected_account.api_config }),
      },
    );
    return { connected_account: viewAccount(world, account) };
  },

  ConnectedAccountService_UpdateConnectedAccount({ body }, world) {
    const account = selectAccount(world, body);
    const { api_config, authorization_details: given } = body.connected_account;
    const details = given && mergeCredentials(world, account.authorization_details, given);
    const renewed = given && Object.keys(given).length > 0 && details && areUsable(details);
    const updated = world.connected_accounts.update(account.id, {
      updated_at: world.clock.iso(),
      ...(details && { authorization_details: details }),
      ...(api_config && { api_config: { ...account.api_config, ...api_config } }),
      // Unverified: usable credentials make an account active, whatever it was.
      ...(renewed && { status: 'ACTIVE' as const, token_expires_at: undefined }),
    });
    return { connected_account: viewAccount(world, updated) };
  },

  ConnectedAccountService_DeleteConnectedAccount({ body }, world) {
    world.remove('connected_accounts', selectAccount(world, body).id);
    return {};
  },

  ConnectedAccountService_GetConnectedAccountAuth({ query }, world) {
    return { connected_account: viewAccount(world, selectAccount(world, query)) };
  },

  ConnectedAccountService_GetMagicLinkForConnectedAccount({ body }, world) {
    const { state, user_verify_url } = body;
    // Making a link leaves the account as it is; one that is not there yet begins with it.
    const account = body.id
      ? world.connected_accounts.get(body.id)
      : (findAccount(world, body) ?? begin(world, body));
    const link = world.magic_links.insert({
      id: carrying(world.environment, `${world.draw.uuid()}_o`),
      connected_account_id: account.id,
      expires_at: world.clock.after(LINK_LIFETIME),
      ...(state && { state }),
      ...(user_verify_url && { user_verify_url }),
    });
    return { link: `${world.baseUrl}/magicLink/${link.id}`, expiry: link.expires_at };
  },

  ConnectedAccountService_VerifyConnectedAccountUser({ body }, world) {
    const request = world.auth_requests.find(body.auth_request_id);
    if (!request || request.consumed || world.clock.isPast(request.expires_at)) {
      throw new ApiError('not_found', 'auth request not found or no longer valid');
    }
    if (request.identifier !== body.identifier) {
      throw new ApiError('permission_denied', 'identifier does not match the one of the auth request');
    }
    const { authorization_details, token_expires_at } = request;
    world.connected_accounts.update(request.connected_account_id, {
      status: 'ACTIVE',
      updated_at: world.clock.iso(),
      ...(authorization_details && { authorization_details, token_expires_at }),
    });
    world.auth_requests.update(request.id, { consumed: true });
    return { post_user_verify_redirect_url: world.settings.get('settings').post_user_verify_redirect_url };
  },
} satisfies Partial<Operations>;

type ListQuery = Input<'ConnectedAccountService_ListConnectedAccounts'>['query'];

const notBoth = () =>
  validationError([
    {
      field: 'connector',
      description: 'connector and connection_names are mutually exclusive: give one of them',
      constraint: 'connector_or_connection_names_not_both',
    },
  ]);

/** The index that leaves the fewest rows to look at. */
function narrowest(world: World, query: ListQuery): readonly [string, string] | undefined {
  const { identifier, user_id, organization_id, connector } = query;
  const connection = connector ? world.connections.findBy('key_id', connector) : undefined;
  if (connection && identifier) return ['connection_identifier', `${connection.id} ${identifier}`];
  if (identifier) return ['identifier', identifier];
  if (user_id) return ['user_id', user_id];
  if (organization_id) return ['organization_id', organization_id];
  return connection ? ['connection_id', connection.id] : undefined;
}

function isFiltered({ connector, connection_names = [], identifier, provider, query, ...owner }: ListQuery) {
  const { organization_id, user_id } = owner;
  const texts = [connector, identifier, provider, query, organization_id, user_id];
  return connection_names.length > 0 || texts.some(Boolean);
}

/** Unverified: a connector that no connection has gives an empty list, not an error (Node's and Python's SDKs ask so). */
function isListed(world: World, account: Account, filter: ListQuery): boolean {
  const { key_id = '', provider_key } = world.connections.get(account.connection_id);
  const { connector, connection_names = [], identifier, provider, query } = filter;
  if (connector && key_id !== connector) return false;
  if (connection_names.length > 0 && !connection_names.includes(key_id)) return false;
  if (identifier && account.identifier !== identifier) return false;
  if (provider && provider_key.toLowerCase() !== provider.toLowerCase()) return false;
  if (query && !mentions(world, account, query)) return false;
  return belongs(account, filter);
}

/** In its identifier, provider or connector, whatever the case. */
function mentions(world: World, account: Account, text: string): boolean {
  const { key_id = '', provider_key } = world.connections.get(account.connection_id);
  const wanted = text.toLowerCase();
  return [account.identifier, provider_key, key_id].some((each) => each.toLowerCase().includes(wanted));
}

/** The same identifier may exist again under another organization or user. */
function refuseDuplicate(
  world: World,
  { connector = '', identifier, organization_id, user_id }: Selection,
): void {
  const connection = connectionOf(world, connector);
  const same = world.connected_accounts
    .list('connection_identifier', `${connection.id} ${identifier}`)
    .some(
      (a) => (a.organization_id ?? '') === (organization_id ?? '') && (a.user_id ?? '') === (user_id ?? ''),
    );
  if (same)
    throw alreadyExists(`connected account with identifier ${identifier} exists already for ${connector}`);
}

function begin(world: World, { connector = '', identifier, organization_id, user_id }: Selection): Account {
  if (!identifier) throw invalidArgument('identifier is required');
  return insert(world, { connector, identifier, organization_id, user_id }, {});
}

type Owned = {
  connector: string;
  identifier: string;
  organization_id?: string | undefined;
  user_id?: string | undefined;
};

function insert(
  world: World,
  owned: Owned,
  given: Pick<Account, 'authorization_details' | 'api_config'>,
): Account {
  const { connector, identifier, organization_id, user_id } = owned;
  const connection = connectionOf(world, connector);
  const authorization_type = AUTHORIZATION_TYPES[connection.type] ?? 'CUSTOM';
  const usable = given.authorization_details !== undefined && areUsable(given.authorization_details);
  const now = world.clock.iso();
  return world.connected_accounts.insert({
    id: world.draw.id('ca'),
    connection_id: connection.id,
    identifier,
    authorization_type,
    status: usable || authorization_type === 'NO_AUTH' ? 'ACTIVE' : 'PENDING_AUTH',
    create_time: now,
    updated_at: now,
    ...(organization_id && { organization_id }),
    ...(user_id && { user_id }),
    ...given,
  });
}

/** The accounts of a connection are authorized in its way. */
const AUTHORIZATION_TYPES: Partial<Record<Rows['connections']['type'], Account['authorization_type']>> = {
  OAUTH: 'OAUTH',
  OIDC: 'OAUTH',
  API_KEY: 'API_KEY',
  BASIC: 'BASIC',
  BEARER: 'BEARER_TOKEN',
  OAUTH_M2M: 'OAUTH_M2M',
  TRELLO_OAUTH1: 'TRELLO_OAUTH1',
  GOOGLE_DWD: 'GOOGLE_DWD',
  TRUSTED_IDP: 'TRUSTED_IDP',
  SMART_FHIR: 'SMART_FHIR',
  NO_AUTH: 'NO_AUTH',
};
