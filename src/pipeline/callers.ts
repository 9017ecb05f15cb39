import type { Operation } from '../contract/compiled.ts';
import type { Caller, Rows } from '../state/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../journal/entry.ts';
import { refuseForeign, unverified, type Claims, type Keys } from '../state/keys.ts';
import { verifyingKeys } from '../state/signing-keys.ts';
import { ApiError, notFound, unauthenticated } from '../contract/errors.ts';
import { addressRefusal, allowsAddress } from '../operations/clients/ip-allowlist.ts';
import { findClient } from '../operations/oauth/client-authentication.ts';
import { refuseRevoked } from '../operations/oauth/revoked-tokens.ts';
import type { Call } from './call.ts';

/** A call of an operation that needs a token. */
export interface SecuredCall {
  call: Call;
  operation: Operation;
  environment: Environment;
  /** The journal's entry. Its time is that of the call on the environment's clock. */
  entry: Pick<Entry, 'time'>;
  keys: Keys;
}

/** Reads bearer tokens that are signed: `read` says who has the claims, or throws `unauthenticated`. */
export const byClaims =
  (read: (claims: Claims, found: SecuredCall) => Caller) =>
  async (token: string, found: SecuredCall): Promise<Caller> => {
    const { keys, environment, entry } = found;
    const good = verifyingKeys(environment.tables.signing_keys, entry.time);
    const claims = await keys.verify(token, good);
    if (!claims) throw unverified(token, good, environment);
    refuseForeign(claims, environment, entry.time);
    return read(claims, found);
  };

/** The client or the user that an access token names. `ofResource`: tokens of protected resources are good, too. */
export function callerOf(
  claims: Claims,
  { operation, environment: { tables }, call: { address } }: SecuredCall,
  { ofResource = false } = {},
): Caller {
  if (!Array.isArray(claims['scopes'])) throw unauthenticated('token is not an access token');
  refuseRevoked(tables, claims);
  const { resid } = claims;
  // Unverified (oauth/token-of-resource): a token of a protected resource is good for the resource, and for the user's
  // own profile.
  if (resid !== undefined && !ofResource)
    throw unauthenticated('token is for a protected resource').decidedBy('oauth/token-of-resource');
  const client = findClient(tables, String(claims['client_id']), resid);
  if (!client) throw unauthenticated('client of the token is gone');
  const { id: client_id, organization_id } = client;
  const isUser = claims['sub'] !== client_id;
  if (!isUser && !allowsAddress(client, address))
    throw new ApiError('permission_denied', addressRefusal(client, address));
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

/** An administrator in the admin portal, whose browser has a cookie instead of a token. */
export function portalVisitor(
  { environment: { tables, credentials }, entry }: Pick<SecuredCall, 'environment' | 'entry'>,
  { callers }: Operation,
  { understudy_portal }: { understudy_portal?: string | undefined } = {},
): Caller | undefined {
  if (!understudy_portal || !callers?.includes('portal')) return undefined;
  const session = tables.portal_sessions.findBy('token', understudy_portal);
  if (!session || Date.parse(session.expires_at) <= entry.time) return undefined;
  const { id, organization_id } = session;
  return { client_id: credentials.client_id, subject: id, organization_id };
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

/** Below this, identity providers push users and groups. The vendor's documents print both forms. */
export const DIRECTORY_PATH = /^\/(?:directory|api\/v1\/directoies)\/([^/]+)\/scim\/v2(?=\/|$)/;

/** The identity provider that has a secret of the directory in the path. Another directory's secret is not good. */
export function providerOf(token: string, { environment, call, entry }: SecuredCall): Caller {
  const { tables, credentials } = environment;
  const id = idIn(call.path);
  const directory = tables.directories.find(id);
  // Unverified (scim/unknown-directory): 404, as for other rows. The documents leave it open for the directory of a deleted organization.
  if (!directory) throw notFound('directory', id).decidedBy('scim/unknown-directory');
  const secret = directory.secrets.find((each) => each.secret === token && isGood(each, entry.time));
  if (!secret) throw unauthenticated(refusalOf(directory, token));
  // Unverified (scim/disabled-directory): the documents say that changes have no effect while the directory is disabled.
  if (!directory.enabled)
    throw new ApiError('permission_denied', `directory ${id} is disabled; enable it`).decidedBy(
      'scim/disabled-directory',
    );
  return { client_id: credentials.client_id, directory: { id, secret_id: secret.id } };
}

function idIn(path: string): string {
  const [, written = ''] = DIRECTORY_PATH.exec(path) ?? [];
  try {
    return decodeURIComponent(written);
  } catch {
    return written; // a URIError; no directory has such an id
  }
}

type Secret = Rows['directories']['secrets'][number];

const isGood = ({ status, expire_time }: Secret, now: number): boolean =>
  status === 'ACTIVE' && (expire_time === undefined || Date.parse(expire_time) > now);

function refusalOf({ id, secrets }: Rows['directories'], token: string): string {
  if (secrets.some(({ secret }) => secret === token))
    return `the secret of directory ${id} has ended; send a newer one`;
  if (token.split('.').length === 3) return `send a secret of directory ${id} instead of an access token`;
  return `the secret is not one of directory ${id}`;
}
