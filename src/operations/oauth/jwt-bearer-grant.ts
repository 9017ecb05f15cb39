import type { Env } from '../../environment/env.ts';
import type { Claims } from '../../environment/keys.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { OAuthError } from '../../errors.ts';
import { issuerOf, type Resource } from '../resources/resource-view.ts';
import { identifyClient } from './client-authentication.ts';
import { JWT_BEARER, refuseDisallowedGrant, type TokenForm } from './grant-types.ts';
import { grantedScopes } from './resource-client-grant.ts';
import { refuseOtherTarget } from './resource-request.ts';
import { issueTokens } from './user-grant.ts';

/**
 * An access token for the user that an identity provider vouches for (RFC 7523, identity assertion grant). Unverified:
 * this server's key signs the assertion, because Understudy plays the identity provider too.
 */
export function jwtBearerGrant(env: Env, form: TokenForm) {
  const { client, proved } = identifyClient(env, form);
  refuseDisallowedGrant(client, JWT_BEARER);
  const resource = client.resource_id ? env.resources.get(client.resource_id) : undefined;
  if (!resource?.xaa_enabled)
    throw new OAuthError('unauthorized_client', 'the resource does not enable the JWT bearer grant');
  if (!proved) throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
  if (!form.assertion) throw new OAuthError('invalid_request', 'assertion missing');
  const claims = validClaims(env, resource, client, form.assertion);
  refuseOtherTarget(env, resource, form.resource);
  const user = userOf(env, claims);
  const scope = form.scope ?? (typeof claims['scope'] === 'string' ? claims['scope'] : '');
  const grant = {
    client_id: client.id,
    subject: user.id,
    user_id: user.id,
    connection_ids: [],
    resource_id: resource.id,
    scopes: grantedScopes(env, client, resource, scope),
  };
  // No refresh token: the client asks the identity provider for another assertion.
  return issueTokens(env, client, grant).answer;
}

function validClaims(env: Env, resource: Resource, client: Rows['clients'], assertion: string): Claims {
  const claims = env.claims(assertion);
  if (!claims) throw new OAuthError('invalid_grant', 'assertion is malformed or has another signature');
  const { aud, exp, client_id, resource: target } = claims;
  if (!(Number(exp) * 1000 > env.clock.ms)) throw new OAuthError('invalid_grant', 'assertion has expired');
  const issuer = issuerOf(env, resource);
  if (![aud].flat().includes(issuer))
    throw new OAuthError('invalid_grant', `aud of the assertion is not ${issuer}`);
  if (client_id !== client.id)
    throw new OAuthError('invalid_grant', 'client_id of the assertion is another client');
  if (typeof target === 'string') refuseOtherTarget(env, resource, target);
  return claims;
}

/** The subject is a user's id, or the application's own id for the user; or the e-mail address says who it is. */
function userOf(env: Env, { sub, email }: Claims): Rows['users'] {
  const subject = String(sub);
  const address = typeof email === 'string' ? email.toLowerCase() : '';
  const user =
    env.users.find(subject) ?? env.users.findBy('external_id', subject) ?? env.users.findBy('email', address);
  if (!user) throw new OAuthError('invalid_grant', `sub of the assertion is no user: ${subject}`);
  return user;
}
