import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { OAuthError } from '../../errors.ts';
import { ORGANIZATION_CLIENT_LIFETIME } from '../clients/client-view.ts';
import { tokenClaims } from '../token-claims.ts';
import { authenticated } from './client-authentication.ts';
import { refuseUnlisted, type TokenForm } from './grant-types.ts';
import { interceptedClaims, type ClientClaims } from './profile-claims.ts';

const MINUTE = 60;

/** A token of the client's own (RFC 6749 4.4), as far as interceptors allow it. */
export function clientCredentialsGrant(env: Env, form: TokenForm, userAgent: string) {
  const client = authenticated(env, form);
  refuseUnlisted(client, 'client_credentials');
  const wanted = { scopes: grantedScopes(client, form.scope), ...claimsOf(client) };
  const granted = interceptedClaims(env, client, wanted, userAgent);
  const lifetime = lifetimeOf(env, client);
  const access_token = env.token(claims(env, client, granted, lifetime));
  const scope = granted.scopes.join(' ');
  // The service answers what is left of the lifetime, which is a second less than all of it.
  return { access_token, token_type: 'Bearer' as const, expires_in: lifetime - 1, scope };
}

function claimsOf(client: Rows['clients']): Omit<ClientClaims, 'scopes'> {
  const custom = (client.custom_claims ?? []).map(({ key, value = '' }) => [key, value]);
  return {
    audience: client.organization_id ? (client.audience ?? []) : [client.id],
    custom: Object.fromEntries(custom) as Record<string, string>,
  };
}

/** All of the client's, or those that are asked for. A client of the environment that lists none may ask for any. */
function grantedScopes(client: Rows['clients'], asked: string | undefined): string[] {
  if (!asked) return client.scopes;
  const wanted = asked.split(' ').filter((scope) => scope !== '');
  const isLimited = client.organization_id !== undefined || client.scopes.length > 0;
  const refused = isLimited ? wanted.find((scope) => !client.scopes.includes(scope)) : undefined;
  if (refused !== undefined)
    throw new OAuthError('invalid_scope', `scope ${refused} is not one of the client's`);
  return wanted;
}

function lifetimeOf(env: Env, client: Rows['clients']): number {
  if (client.organization_id) return client.expiry ?? ORGANIZATION_CLIENT_LIFETIME;
  return client.access_token_expiry ?? env.settings.get('settings').client_access_token_expiry * MINUTE;
}

/** Go reads `scope` and wants `aud` as a list; Node and Python read `scopes` (reference: login-and-tokens 2.2 to 2.4). */
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
