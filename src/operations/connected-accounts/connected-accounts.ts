import { invalidArgument } from '../../errors.ts';
import { accountAuthorization } from './account-authorization.ts';
import { insertAccount, refuseDuplicate } from './account-creation.ts';
import { tell } from './account-events.ts';
import { accountItems } from './account-items.ts';
import { accountList } from './account-list.ts';
import { selectAccount } from './account-selection.ts';
import { viewAccount } from './account-view.ts';
import { areUsable, keepFresh, mergeCredentials } from './credentials.ts';
import type { Operations } from '../handler.ts';

export const connectedAccounts = {
  ...accountList,
  ...accountAuthorization,
  ...accountItems,

  ConnectedAccountService_CreateConnectedAccount({ body }, world) {
    const { connector, identifier, connected_account } = body;
    if (!connector) throw invalidArgument('connector is required');
    if (!identifier) throw invalidArgument('identifier is required');
    const owned = { ...body, connector, identifier };
    refuseDuplicate(world, owned);
    const { authorization_details: details, api_config } = connected_account;
    const account = insertAccount(world, owned, {
      ...(details && { authorization_details: mergeCredentials(world, undefined, details) }),
      ...(api_config && { api_config }),
    });
    return { connected_account: viewAccount(world, account) };
  },

  ConnectedAccountService_UpdateConnectedAccount({ body }, world) {
    const account = selectAccount(world, body);
    const { api_config, authorization_details: given } = body.connected_account;
    const details = given && mergeCredentials(world, account.authorization_details, given);
    const renewed = given && Object.keys(given).length > 0 && details && areUsable(details);
    const changes = details !== undefined || api_config !== undefined;
    const updated = world.connected_accounts.update(account.id, {
      ...(changes && { updated_at: world.clock.iso() }),
      ...(details && { authorization_details: details }),
      ...(api_config && { api_config: { ...account.api_config, ...api_config } }),
      // Unverified: usable credentials make an account active, whatever it was.
      ...(renewed && { status: 'ACTIVE' as const, token_expires_at: undefined, refresh_fails: undefined }),
    });
    if (changes) tell(world, 'updated', updated);
    return { connected_account: viewAccount(world, updated) };
  },

  ConnectedAccountService_DeleteConnectedAccount({ body }, world) {
    const account = selectAccount(world, body);
    world.remove('connected_accounts', account.id);
    return {};
  },

  ConnectedAccountService_GetConnectedAccountAuth({ query }, world) {
    const account = keepFresh(world, selectAccount(world, query));
    return { connected_account: viewAccount(world, account) };
  },
} satisfies Partial<Operations>;
