import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Refusal } from './consent.ts';

type Account = Rows['connected_accounts'];
type Details = NonNullable<Account['authorization_details']>;
type OauthToken = NonNullable<Details['oauth_token']>;

/** How people call the application that an account is of. */
export function providerName(world: World, { connection_id }: Account): string {
  const { provider_key } = world.connections.get(connection_id);
  return world.providers.find(provider_key)?.display_name ?? provider_key;
}

/** What the application is asked for: the connection's own scopes, or else all that its provider has. */
export function wantedScopes(world: World, { connection_id }: Account): string[] {
  const { provider_key, oauth_config } = world.connections.get(connection_id);
  return oauth_config?.scopes ?? world.providers.find(provider_key)?.scopes ?? [];
}

/** The tokens that the application gives, where it does. */
export function grantedTokens(world: World, account: Account, given: Partial<OauthToken> = {}): Details {
  const { domain = '' } = account.authorization_details?.oauth_token ?? {};
  const access_token = `at_${world.draw.text(32)}`;
  const refresh_token = `rt_${world.draw.text(32)}`;
  const scopes = wantedScopes(world, account);
  return { oauth_token: { access_token, refresh_token, scopes, domain, ...given } };
}

export const DENIED: Refusal = { error: 'access_denied', error_description: 'The user denied access.' };

/** How the flow can fail at the application, by what it then says (1.8). */
export const FAILURES: Readonly<Record<string, string>> = {
  server_error: 'The provider had a problem of its own.',
  temporarily_unavailable: 'The provider can not serve requests at the moment.',
  invalid_request: 'The provider did not understand the request.',
  invalid_scope: 'The provider does not know one of the scopes.',
  unauthorized_client: 'The client may not ask the provider for access.',
  failed_to_exchange_token: 'Error executing post auth hooks',
};

/** Unverified: what is said where nobody chooses. */
export function failureNamed(error = 'server_error'): Refusal {
  return { error, error_description: FAILURES[error] ?? 'The provider refused.' };
}
