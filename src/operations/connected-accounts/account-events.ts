import { accountHappening } from '../../events/connected-accounts.ts';
import { recordEvent } from '../../events/record.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type What = 'updated' | 'oauth_tokens_fetched' | 'oauth_succeeded' | 'token_refresh_succeeded';

/** What happened to an account that its row does not show (reference: accounts-connections-events 1.7). */
export function tell(world: World, what: What, account: Rows['connected_accounts']): void {
  const connection = world.connections.get(account.connection_id);
  recordEvent(world, accountHappening(`connected_account.${what}`, account, connection));
}
