import { ApiError, failedPrecondition } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { selectAccount } from './account-selection.ts';
import { viewDetails } from './account-view.ts';
import type { Operations } from '../handler.ts';

type Account = Rows['connected_accounts'];

/** One account without its credentials: by id, or the one that the caller's token is bound to. */
export const accountItems = {
  ConnectedAccountService_GetConnectedAccount({ path }, world) {
    return { connected_account: viewDetails(world, meant(world, path.id)) };
  },

  ConnectedAccountService_GetConnectedAccountDetails({ query }, world) {
    return { connected_account: viewDetails(world, selectAccount(world, query)) };
  },

  ConnectedAccountService_DisconnectConnectedAccount({ path, body }, world) {
    const account = meant(world, path.id ?? idIn(body));
    const disconnected = account.status === 'DISCONNECTED' ? account : disconnect(world, account);
    return { connected_account: viewDetails(world, disconnected) };
  },
} satisfies Partial<Operations>;

const idIn = (body: { id?: string } | Record<string, never> | undefined) => body?.['id'];

/** Unverified: a client's token is bound to an account where the account's row names the client, else to none. */
function meant(world: World, id: string | undefined): Account {
  const own = world.connected_accounts.findBy('client_id', world.caller?.client_id ?? '');
  if (!id) {
    if (own) return own;
    throw failedPrecondition('the token is bound to no connected account: give an id');
  }
  if (own && own.id !== id) {
    throw new ApiError('permission_denied', `the token is bound to another connected account than ${id}`);
  }
  return world.connected_accounts.get(id);
}

/** Unverified: a link or a consent from before is void; the account takes a new link to be authorized again. */
function disconnect(world: World, account: Account): Account {
  for (const link of world.magic_links.list('connected_account_id', account.id))
    world.remove('magic_links', link.id);
  for (const request of world.auth_requests.list('connected_account_id', account.id))
    if (!request.consumed) world.auth_requests.update(request.id, { consumed: true });
  return world.connected_accounts.update(account.id, {
    status: 'DISCONNECTED',
    updated_at: world.clock.iso(),
    authorization_details: undefined,
    token_expires_at: undefined,
  });
}
