import { OAuthError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import { isPublic } from './client-authentication.ts';

type Client = Rows['clients'];

export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

/** Unverified: a client of the environment that lists no grant types has all that its type can make use of. */
export function mayUse(client: Client, grant: GrantType): boolean {
  if (client.organization_id) return grant === 'client_credentials';
  if (client.grant_types?.length) return client.grant_types.includes(grant);
  return grant !== 'client_credentials' || !isPublic(client);
}

export function refuseUnlisted(client: Client, grant: GrantType): void {
  if (!mayUse(client, grant))
    throw new OAuthError('unauthorized_client', `client missing grant type ${grant}`);
}
