import type { EventType } from '../../contract/types.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { recordEvent } from '../../events/record.ts';

type Account = Rows['connected_accounts'];
type Verb =
  Extract<EventType, `connected_account.${string}`> extends `connected_account.${infer V}` ? V : never;

/** Keeps what became of an account (reference: accounts-connections-events 1.7 and 5.2). */
export function tell(world: World, verb: Verb, account: Account, more: { old_status?: string } = {}): void {
  recordEvent(world, {
    type: `connected_account.${verb}`,
    data: { ...dataOf(world, account), ...more },
    connection_id: account.connection_id,
    connected_account_id: account.id,
  });
}

/** A status that is another one than before is told of once more, by that name. */
export function tellStatus(world: World, before: Account, after: Account): void {
  if (after.status !== before.status) tell(world, 'status_updated', after, { old_status: before.status });
}

function dataOf(world: World, account: Account) {
  const { id, identifier, connection_id, authorization_type, status, token_expires_at, last_used_at } =
    account;
  const { key_id, provider_key } = world.connections.get(connection_id);
  return {
    id,
    identifier,
    connection_id,
    ...(key_id && { connection_name: key_id }),
    provider: provider_key,
    authorization_type,
    status,
    ...(token_expires_at && { token_expires_at }),
    ...(last_used_at && { last_used_at }),
  };
}
