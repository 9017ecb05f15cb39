import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { isObject } from '../../text/json.ts';

type Account = Rows['connected_accounts'];
type Pattern = Rows['providers']['auth_patterns'][number];

/** The headers with the credentials of the account, as the provider's pattern of authorization wants them. */
export function credentialHeaders(env: Env, account: Account): Record<string, string> {
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

/** Unverified: without a pattern that says otherwise, a key is sent like a token. */
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
