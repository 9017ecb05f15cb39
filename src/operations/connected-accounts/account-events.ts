import { accountEvent } from '../../webhooks/events/connections.ts';
import { recordEvent } from '../../webhooks/events/event.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';

type AccountEvent = 'updated' | 'oauth_tokens_fetched' | 'oauth_succeeded' | 'token_refresh_succeeded';

/** Emits an event about an account that the row does not record, such as a new magic link. */
export function emitAccountEvent(env: Env, what: AccountEvent, account: Rows['connected_accounts']): void {
  const connection = env.connections.get(account.connection_id);
  recordEvent(env, accountEvent(`connected_account.${what}`, account, connection));
}
