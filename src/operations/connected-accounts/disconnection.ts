import type { Env, Rows } from '../../state/env.ts';

type Account = Rows['connected_accounts'];

/**
 * Unverified (connected-accounts/disconnection): pending links and consents become void. The account needs a new link.
 */
export function disconnect(env: Env, account: Account): Account {
  env.decidedBy('connected-accounts/disconnection');
  for (const link of env.magic_links.list('connected_account_id', account.id))
    env.remove('magic_links', link.id);
  for (const request of env.auth_requests.list('connected_account_id', account.id))
    if (!request.consumed) env.auth_requests.update(request.id, { consumed: true });
  return env.connected_accounts.update(account.id, {
    status: 'DISCONNECTED',
    updated_at: env.clock.iso(),
    authorization_details: undefined,
    token_expires_at: undefined,
  });
}
