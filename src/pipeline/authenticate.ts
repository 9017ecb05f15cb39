import type { Operation } from '../contract/compiled.ts';
import type { Caller } from '../state/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../journal/entry.ts';
import type { Rows } from '../state/schema.ts';
import { refuseForeign, type Claims, type Keys } from '../state/keys.ts';
import { ApiError, OAuthError, unauthenticated } from '../errors.ts';
import { findClient } from '../operations/oauth/client-authentication.ts';
import { isRevoked } from '../operations/oauth/revoked-tokens.ts';
import { parseDuration } from '../text/duration.ts';
import { challenge, grantOf, type RefusedCall } from './agent-token.ts';
import { header, type Call } from './call.ts';

interface FoundCall {
  call: Call;
  /** The bearer tokens of the call. */
  tokens: readonly string[];
  environment: Environment;
  /** The journal's entry. Its time is that of the call on the environment's clock. */
  entry: Pick<Entry, 'time'>;
}

/** The caller. Throws for a call without a valid token, and for an authenticated call over the rate limit. */
export async function admit(found: FoundCall, operation: Operation, keys: Keys): Promise<Caller | undefined> {
  const { call, environment } = found;
  if (call.caller) return call.caller;
  const caller = operation.secured ? await authenticate(found, operation, keys) : undefined;
  const limit = environment.settings?.rate_limit;
  if (limit) throttle(environment, limit);
  return caller;
}

/** The caller that the token names. Throws `unauthenticated` if there is no valid token. */
async function authenticate(found: FoundCall, operation: Operation, keys: Keys): Promise<Caller> {
  const { call, tokens, environment, entry } = found;
  let refusal: unknown;
  for (const token of tokens) {
    const claims = keys.known(token) ?? (await keys.verify(token));
    try {
      refuseForeign(claims, environment.name, entry.time);
      if (operation.callers?.includes('agent')) return agentOf(claims, found);
      return callerOf(claims, operation, found);
    } catch (thrown) {
      refusal = thrown;
    }
  }
  throw asReported(refusal ?? withoutToken(call), operation, { call, environment });
}

const withoutToken = (call: Call) =>
  unauthenticated(header(call, 'authorization') ? 'authorization is not a bearer token' : 'Token empty');

/** OAuth endpoints use the error `invalid_token` (RFC 6750 3.1), and MCP servers say where to get a token. */
function asReported(refusal: unknown, { errorShape }: Operation, refused: RefusedCall): unknown {
  if (!(refusal instanceof ApiError) || refusal.failure !== 'unauthenticated') return refusal;
  if (errorShape === 'oauth') return new OAuthError('invalid_token', refusal.message);
  return errorShape === 'mcp' ? challenge(refusal, refused) : refusal;
}

function callerOf(claims: Claims, operation: Operation, { environment: { tables } }: FoundCall): Caller {
  if (!Array.isArray(claims['scopes'])) throw unauthenticated('token is not an access token');
  if (isRevoked(tables, claims)) throw unauthenticated('token is revoked');
  const { resid } = claims;
  // Unverified: a token of a protected resource is good for the resource, and for the user's own profile.
  if (resid !== undefined && operation.errorShape !== 'oauth')
    throw unauthenticated('token is for a protected resource');
  const client = findClient(tables, String(claims['client_id']), resid);
  if (!client) throw unauthenticated('client of the token is gone');
  const { id: client_id, organization_id } = client;
  const isUser = claims['sub'] !== client_id;
  const { callers = ['client'] } = operation;
  if (!callers.includes(isUser ? 'user' : 'client'))
    throw new ApiError(
      'permission_denied',
      `${operation.base} is not for the token of a ${isUser ? 'user' : 'client'}`,
    );
  if (client.disallow_scalekit_api_access && callers.includes('client'))
    throw unauthenticated(`client ${client_id} is unauthorized to call this API`);
  if (isUser) return { client_id, ...userOf(claims, tables) };
  return { client_id, ...(organization_id && { organization_id }) };
}

/** The user of an MCP server's session token, which is good for the paths of its own server only. */
function agentOf(claims: Claims, { environment, call }: FoundCall): Caller {
  if (isRevoked(environment.tables, claims)) throw unauthenticated('token is revoked');
  return { client_id: environment.credentials.client_id, agent: grantOf(claims, call.path, environment) };
}

function userOf(claims: Claims, tables: Environment['tables']): Omit<Caller, 'client_id'> {
  const { oid, sid, scopes } = claims;
  const subject = String(claims['sub']);
  const isOurs = subject.startsWith('usr_');
  if (isOurs && !tables.users.find(subject)) throw unauthenticated('user of the token is gone');
  return {
    subject,
    scopes: scopes as string[],
    ...(isOurs && { user_id: subject }),
    ...(typeof oid === 'string' && { organization_id: oid }),
    ...(typeof sid === 'string' && { session_id: sid }),
  };
}

type RateLimit = NonNullable<Rows['settings']['rate_limit']>;

function throttle({ rateWindow, clock }: Environment, { requests, per, retry_after }: RateLimit): void {
  const wait = rateWindow.admit({ requests, length: parseDuration(per) ?? 0 }, clock.now());
  if (wait === undefined) return;
  const headers = retry_after ? { 'retry-after': String(Math.ceil(wait / 1000)) } : {};
  throw new ApiError('rate_limited', `more than ${requests} requests in ${per}`, { headers });
}
