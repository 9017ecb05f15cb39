import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Account = Rows['connected_accounts'];

/** What lists and searches show: no credentials, no configuration. */
export function viewListItem(world: World, account: Account) {
  const {
    create_time: _,
    organization_id: __,
    user_id: ___,
    client_id: ____,
    authorization_details: _____,
    api_config: ______,
    refresh_fails: _______,
    ...shown
  } = account;
  const { key_id = '', provider_key } = world.connections.get(account.connection_id);
  return { ...shown, connector: key_id, provider: provider_key };
}

/** With credentials: answered to create, update and get-auth alone. */
export function viewAccount(world: World, account: Account) {
  const { authorization_details } = account;
  return { ...viewDetails(world, account), ...(authorization_details && { authorization_details }) };
}

/** With configuration, without credentials. */
export function viewDetails(world: World, account: Account) {
  const { api_config } = account;
  return {
    ...viewListItem(world, account),
    ...(api_config && { api_config: withFixedKeys(world, account, api_config) }),
  };
}

/** Connectors with fixed keys answer all of them, those that were never given as null. */
function withFixedKeys(world: World, account: Account, config: Record<string, unknown>) {
  const { provider_key } = world.connections.get(account.connection_id);
  const keys = world.providers.find(provider_key)?.api_config_keys ?? [];
  return { ...Object.fromEntries(keys.map((key) => [key, null])), ...config };
}
