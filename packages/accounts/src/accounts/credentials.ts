import type { components } from '@understudy/core/contract/openapi.gen';
import { refreshable } from '@understudy/core/state/tables/connected-accounts';
import type { Env, Rows } from '@understudy/core/state/env';
import { accountEvent } from '@understudy/core/webhooks/events/connection-events';
import { recordEvent } from '@understudy/core/webhooks/events/event';
import { isObject } from '@understudy/text/json';
import { holderOf } from './account-selection.ts';

type GivenCredentials = components['schemas']['AuthorizationDetailsInput'];
type Account = Rows['connected_accounts'];
type Details = NonNullable<Account['authorization_details']>;

/** Merges given credentials into stored ones; credentials of another kind replace them. */
export function mergeCredentials(env: Env, stored: Details | undefined, given: GivenCredentials): Details {
  const { oauth_token, static_auth, google_dwd, trusted_idp } = given;
  if (oauth_token) return { oauth_token: { ...NO_TOKEN, ...stored?.oauth_token, ...oauth_token } };
  if (static_auth)
    return { static_auth: { details: { ...stored?.static_auth?.details, ...static_auth.details } } };
  // The service works out every other field of these two.
  if (google_dwd)
    return { google_dwd: { ...delegatedToken(env), ...stored?.google_dwd, ...pick(google_dwd, 'subject') } };
  if (trusted_idp)
    return { trusted_idp: { ...assumedToken(env), ...stored?.trusted_idp, ...pick(trusted_idp, 'db_user') } };
  return stored ?? {};
}

/** Whether a tool can run with these credentials. */
export function areUsable({ oauth_token, static_auth, google_dwd, trusted_idp }: Details): boolean {
  if (oauth_token) return oauth_token.access_token !== '';
  if (static_auth) return Object.keys(static_auth.details).length > 0;
  return Boolean(google_dwd?.subject) || Boolean(trusted_idp?.db_user);
}

/** Refreshes an expired access token. The account expires if the third party refuses. */
export function keepFresh(env: Env, account: Account): Account {
  const { status, token_expires_at, authorization_details } = account;
  const token = authorization_details?.oauth_token;
  if (status !== 'ACTIVE' || !token || !refreshable(account)) return account;
  if (token_expires_at === undefined || !env.clock.isPast(token_expires_at)) return account;
  if (account.refresh_fails)
    return env.connected_accounts.update(account.id, {
      status: 'EXPIRED',
      updated_at: env.clock.iso(),
    });
  const renewed = env.connected_accounts.update(account.id, {
    authorization_details: { oauth_token: { ...token, access_token: `at_${env.draw.text(32)}` } },
    token_expires_at: env.clock.after(TOKEN_LIFETIME),
    updated_at: env.clock.iso(),
  });
  emitAccountEvent(env, 'token_refresh_succeeded', renewed);
  return renewed;
}

const pick = <K extends string>(given: { readonly [P in K]?: string }, name: K) => {
  const value = given[name];
  return (value === undefined ? {} : { [name]: value }) as { [P in K]?: string };
};

const NO_TOKEN = { access_token: '', refresh_token: '', scopes: [], domain: '' };
/** Lifetime of third-party access tokens in milliseconds. */
export const TOKEN_LIFETIME = 3_600_000;

/** Tokens that the service fetches from the third party for a subject. */
const delegatedToken = (env: Env) => ({
  subject: '',
  access_token: `gdwd_${env.draw.text(32)}`,
  scopes: [],
  token_expires_at: env.clock.after(TOKEN_LIFETIME),
});

const assumedToken = (env: Env) => ({
  db_user: '',
  access_key_id: `ASIA${env.draw.text(16).toUpperCase()}`,
  expiry: env.clock.after(TOKEN_LIFETIME),
});

type AccountEvent = 'updated' | 'oauth_tokens_fetched' | 'oauth_succeeded' | 'token_refresh_succeeded';

/** Emits an event about an account that the row does not record, such as a new magic link. */
export function emitAccountEvent(env: Env, what: AccountEvent, account: Rows['connected_accounts']): void {
  const connection = env.connections.get(account.connection_id);
  recordEvent(env, accountEvent(`connected_account.${what}`, account, connection));
}

type Pattern = Rows['providers']['auth_patterns'][number];

/** The headers with the credentials of the account, as the provider's pattern of authorization wants them. */
export function credentialHeaders(env: Env, user: Account): Record<string, string> {
  const account = holderOf(env, user);
  const { oauth_config } = env.connections.get(account.connection_id);
  const developer = oauth_config?.googleads_developer_token;
  return { ...ownHeaders(env, account), ...(developer && { 'developer-token': developer }) };
}

function ownHeaders(env: Env, account: Account): Record<string, string> {
  const { oauth_token, google_dwd, static_auth } = account.authorization_details ?? {};
  const token = oauth_token?.access_token ?? google_dwd?.access_token;
  if (token) return { authorization: `Bearer ${token}` };
  if (!static_auth) return {};
  const { details } = static_auth;
  const { username, password = '' } = details;
  if (typeof username === 'string')
    return { authorization: `Basic ${Buffer.from(`${username}:${String(password)}`).toString('base64')}` };
  return keyHeader(patternOf(env, account) ?? {}, details);
}

/** Patterns of providers may have any member. */
type FreePattern = Readonly<Record<string, unknown>>;

const KEY_NAMES = ['token', 'api_key', 'key'];

/** Unverified (connected-accounts/key-header): without a pattern that says otherwise, a key is sent like a token. */
function keyHeader(pattern: Pattern | object, details: Readonly<Record<string, unknown>>) {
  const name = KEY_NAMES.find((each) => typeof details[each] === 'string');
  if (name === undefined) return {};
  const { auth_header_key_override: header, auth_field_mutations: changes } = pattern as FreePattern;
  const change = isObject(changes) && isObject(changes[name]) ? changes[name] : {};
  const isOwnHeader = typeof header === 'string' && header !== '';
  const { prefix = isOwnHeader ? '' : 'Bearer ', suffix = '' } = change;
  const value = `${String(prefix)}${String(details[name])}${String(suffix)}`;
  return { [isOwnHeader ? header.toLowerCase() : 'authorization']: value };
}

function patternOf(env: Env, { connection_id, authorization_type }: Account): Pattern | undefined {
  const { provider_key } = env.connections.get(connection_id);
  const patterns = env.providers.find(provider_key)?.auth_patterns ?? [];
  const wanted = authorization_type === 'BEARER_TOKEN' ? 'BEARER' : authorization_type;
  return patterns.find(({ type }) => type === wanted) ?? patterns[0];
}
