import type { Caller, Rows } from '../state/env.ts';
import { ApiError, unauthenticated } from '../errors.ts';
import type { SecuredCall } from './callers.ts';

/** Below this, identity providers push users and groups. The vendor's documents print both forms. */
export const DIRECTORY_PATH = /^\/(?:directory|api\/v1\/directoies)\/([^/]+)\/scim\/v2(?=\/|$)/;

/** The identity provider that has a secret of the directory in the path. Another directory's secret is not good. */
export function providerOf(token: string, { environment, call, entry }: SecuredCall): Caller {
  const { tables, credentials } = environment;
  const id = idIn(call.path);
  const directory = tables.directories.find(id);
  // Unverified (scim/unknown-directory): 404, as for other rows. The documents leave it open for the directory of a deleted organization.
  if (!directory)
    throw new ApiError('not_found', `directory ${id} not found`).decidedBy('scim/unknown-directory');
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
