import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { OAuthError } from '../../errors.ts';
import { shortened } from '../../text/shortened.ts';
import { accessTokenLifetime, clientScopes, type Resource } from '../resources/resource-view.ts';
import { tokenClaims } from '../token-claims.ts';
import type { TokenForm } from './grant-types.ts';
import { audienceOf, refuseOtherTarget } from './resource-request.ts';

type Client = Rows['clients'];

/** An access token of a protected resource for the client itself. */
export function resourceClientGrant(env: Env, client: Client, resource: Resource, form: TokenForm) {
  refuseOtherTarget(env, resource, form.resource);
  const scopes = grantedScopes(env, client, resource, form.scope);
  const lifetime = client.expiry ?? accessTokenLifetime(resource);
  const custom = (client.custom_claims ?? []).map(({ key, value = '' }) => [key, value]);
  const access_token = env.token({
    ...tokenClaims(env, lifetime),
    sub: client.id,
    aud: [...new Set([...audienceOf(resource), ...(client.audience ?? [])])],
    resid: resource.id,
    client_id: client.id,
    scope: scopes.join(' '),
    scopes,
    ...(custom.length > 0 && { custom_claims: Object.fromEntries(custom) as object }),
  });
  return { access_token, token_type: 'Bearer' as const, expires_in: lifetime - 1, scope: scopes.join(' ') };
}

/** The requested scopes, or all that the client may have: those that it lists, else those of the resource. */
export function grantedScopes(env: Env, client: Client, resource: Resource, asked = ''): string[] {
  const offered = clientScopes(env, resource, client);
  const wanted = [...new Set(asked.split(' ').filter(Boolean))];
  const refused = wanted.find((each) => !offered.has(each));
  if (refused === undefined) return wanted.length > 0 ? wanted : [...offered];
  const names = shortened([...offered].join(', '));
  throw new OAuthError('invalid_scope', `scope ${shortened(refused)} is not one of ${names}`);
}
