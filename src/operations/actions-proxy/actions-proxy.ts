import { ApiError, failedPrecondition, invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { notActive, selectAccount } from '../connected-accounts/account-selection.ts';
import { keepFresh } from '../connected-accounts/credentials.ts';
import { Passthrough } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { providerAnswer } from './provider-answer.ts';

type Account = Rows['connected_accounts'];

interface ProxyInput {
  path: { path: string };
  query: Readonly<Record<string, unknown>>;
  headers: { connection_name?: string; identifier?: string };
  body?: unknown;
}

/** Calls that are handed on to a provider; what it answers is in the rows of `proxy_responses`. */
export const actionsProxy = {
  ActionsProxy_Get: forward('GET'),
  ActionsProxy_Put: forward('PUT'),
  ActionsProxy_Post: forward('POST'),
  ActionsProxy_Patch: forward('PATCH'),
  ActionsProxy_Delete: forward('DELETE'),
} satisfies Partial<Operations>;

function forward(method: string) {
  return ({ path, query, headers, body }: ProxyInput, world: World): Passthrough => {
    const account = usableAccount(world, headers);
    refuseInactive(keepFresh(world, account));
    world.trace(() => world.connected_accounts.update(account.id, { last_used_at: world.clock.iso() }));
    const connection = world.connections.get(account.connection_id);
    return providerAnswer(world, connection, { method, path: `/${path.path}`, query, body });
  };
}

function usableAccount(world: World, { connection_name, identifier }: ProxyInput['headers']): Account {
  if (!connection_name) throw invalidArgument('the header connection_name is required');
  if (!identifier) throw invalidArgument('the header identifier is required');
  const account = selectAccount(world, { connector: connection_name, identifier });
  const { provider_key } = world.connections.get(account.connection_id);
  const provider = world.providers.find(provider_key);
  // Unverified: the service documents neither the status of this refusal nor of the next.
  if (provider && !provider.proxy_enabled) {
    throw failedPrecondition(`proxy not enabled for provider ${provider_key}`);
  }
  refuseInactive(account);
  return account;
}

/** That the third party has refused to renew its token stays true. */
function refuseInactive(account: Account): void {
  if (account.status === 'ACTIVE') return;
  throw new ApiError('failed_precondition', notActive(account), { writesStand: true });
}
