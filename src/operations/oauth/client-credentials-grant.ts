import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { OAuthError } from '../../errors.ts';
import { ORGANIZATION_CLIENT_LIFETIME } from '../clients/client-view.ts';
import { tokenClaims } from '../token-claims.ts';
import { authenticateClient } from './client-authentication.ts';
import { refuseDisallowedGrant, type TokenForm } from './grant-types.ts';
import { resourceClientGrant } from './resource-client-grant.ts';
import { interceptedClaims, type ClientClaims } from './profile-claims.ts';

const MINUTE = 60;

/** An access token for the client itself (RFC 6749 4.4), if interceptors allow it. */
export function clientCredentialsGrant(env: Env, form: TokenForm, userAgent: string) {
  const client = authenticateClient(env, form);
  refuseDisallowedGrant(client, 'client_credentials');
  if (client.resource_id)
    return resourceClientGrant(env, client, env.resources.get(client.resource_id), form);
  const wanted = { scopes: grantedScopes(client, form.scope), ...claimsOf(client) };
  const granted = interceptedClaims(env, client, wanted, userAgent);
  const lifetime = lifetimeOf(env, client);
  const access_token = env.token(claims(env, client, granted, lifetime));
  const scope = granted.scopes.join(' ');
  // The service returns the remaining lifetime, which is one second less than the full one.
  return { access_token, token_type: 'Bearer' as const, expires_in: lifetime - 1, scope };
}

function claimsOf(client: Rows['clients']): Omit<ClientClaims, 'scopes'> {
  const custom = (client.custom_claims ?? []).map(({ key, value = '' }) => [key, value]);
  return {
    audience: client.organization_id ? (client.audience ?? []) : [client.id],
    custom: Object.fromEntries(custom) as Record<string, string>,
  };
}

/**
 * The requested scopes, or all of the client's. An environment client without a list may request any scope.
 */
function grantedScopes(client: Rows['clients'], asked: string | undefined): string[] {
  if (!asked) return client.scopes;
  const wanted = asked.split(' ').filter((scope) => scope !== '');
  const isLimited = client.organization_id !== undefined || client.scopes.length > 0;
  const known = new Set(client.scopes);
  const refused = isLimited ? wanted.find((scope) => !known.has(scope)) : undefined;
  if (refused !== undefined)
    throw new OAuthError('invalid_scope', `scope ${refused} is not one of the client's`);
  return wanted;
}

function lifetimeOf(env: Env, client: Rows['clients']): number {
  if (client.organization_id) return client.expiry ?? ORGANIZATION_CLIENT_LIFETIME;
  return client.access_token_expiry ?? env.settings.get('settings').client_access_token_expiry * MINUTE;
}

/** Go's SDK reads `scope` and expects `aud` as a list; the SDKs for Node and Python read `scopes`. */
function claims(env: Env, client: Rows['clients'], granted: ClientClaims, lifetime: number) {
  const { scopes, audience, custom } = granted;
  return {
    ...tokenClaims(env, lifetime),
    sub: client.id,
    aud: audience,
    client_id: client.id,
    ...(client.organization_id && { oid: client.organization_id }),
    scope: scopes.join(' '),
    scopes,
    ...(Object.keys(custom).length > 0 && { custom_claims: custom }),
  };
}
