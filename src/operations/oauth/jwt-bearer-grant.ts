import { stateCause } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { shortened } from '@understudy/text/suggestion';
import { issuerOf, type Resource, refuseOtherTarget } from '../resources/resource.ts';
import { identifyClient } from './client-authentication.ts';
import { membershipOf, issueTokens } from './user-grant.ts';
import { JWT_BEARER, refuseDisallowedGrant, refuseEndedGrant, type TokenForm } from './grant-types.ts';
import { type UncheckedToken, trustedAssertion, type TrustedAssertion } from './trusted-assertion.ts';
import { useAssertion } from './revoked-tokens.ts';
import { grantedResourceScopes } from './client-credentials-grant.ts';

/** An access token for the user that an identity provider vouches for (RFC 7523, identity assertion grant). */
export function jwtBearerGrant(env: Env, form: TokenForm) {
  const { client, proved } = identifyClient(env, form);
  refuseDisallowedGrant(client, JWT_BEARER);
  const resource = client.resource_id ? env.resources.get(client.resource_id) : undefined;
  if (!resource?.xaa_enabled)
    throw new OAuthError('unauthorized_client', 'the resource does not enable the JWT bearer grant');
  if (!proved) throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
  if (!form.assertion) throw new OAuthError('invalid_request', 'assertion missing');
  const assertion = trustedAssertion(env, form.assertion);
  checkClaims(env, resource, client, assertion);
  refuseOtherTarget(env, resource, form.resource);
  const user = userOf(env, assertion);
  refuseReplay(env, assertion, client.id);
  const { organization_id } = assertion.connection;
  const grant = {
    client_id: client.id,
    subject: user.id,
    user_id: user.id,
    connection_ids: [assertion.connection.id],
    resource_id: resource.id,
    ...(organization_id && { organization_id }),
    scopes: scopesOf(env, { client, resource, assertion, asked: form.scope }),
  };
  refuseEndedGrant(env, grant);
  // No refresh token: the client asks the identity provider for another assertion.
  return issueTokens(env, client, grant).answer;
}

interface WantedScopes {
  client: Rows['clients'];
  resource: Resource;
  assertion: TrustedAssertion;
  asked: string | undefined;
}

/** The assertion may limit the scopes; the request may ask for fewer. */
function scopesOf(env: Env, { client, resource, assertion, asked }: WantedScopes): string[] {
  const { scope } = assertion.claims;
  const allowed = grantedResourceScopes(env, client, resource, typeof scope === 'string' ? scope : '');
  const wanted = [...new Set((asked ?? '').split(' ').filter(Boolean))];
  const known = new Set(allowed);
  const wider = wanted.find((each) => !known.has(each));
  if (wider === undefined) return wanted.length > 0 ? wanted : allowed;
  throw new OAuthError('invalid_scope', `the assertion does not allow the scope ${shortened(wider)}`);
}

/** The type of identity assertions (draft-ietf-oauth-identity-assertion-authz-grant). */
const ASSERTION_TYPE = 'oauth-id-jag+jwt';

/** Milliseconds. Unverified (oauth/assertion-times): clocks of two machines may differ by this much. */
const LEEWAY = 60_000;
/** How long an assertion may be valid, in milliseconds. RFC 7523 3 lets a server refuse an unreasonably late `exp`. */
const LONGEST_LIFE = 24 * 3_600_000;

function checkClaims(
  env: Env,
  resource: Resource,
  client: Rows['clients'],
  { header, claims }: UncheckedToken,
): void {
  const refuse = (text: string): never => {
    throw new OAuthError('invalid_grant', `${text} of the assertion`, { why: { kind: 'protocol' } });
  };
  const { aud, exp, nbf, iat, client_id, resource: target } = claims;
  if (header['typ'] !== ASSERTION_TYPE) refuse(`${ASSERTION_TYPE} is not the typ`);
  const issuer = issuerOf(env, resource);
  if (![aud].flat().includes(issuer)) refuse(`${issuer} is not in aud`);
  for (const [name, value] of Object.entries({ exp, nbf, iat }))
    if (value !== undefined && typeof value !== 'number') refuse(`${name} is not a number in the claims`);
  if (!(Number(exp) * 1000 > env.clock.ms)) refuse('the clock is past exp');
  if (nbf !== undefined && !(Number(nbf) * 1000 <= env.clock.ms)) refuse('the clock is before nbf');
  if (iat !== undefined && !(Number(iat) * 1000 <= env.clock.ms + LEEWAY)) refuse('the clock is before iat');
  if (Number(exp) * 1000 > env.clock.ms + LONGEST_LIFE) refuse('the clock is more than 24 hours before exp');
  if (client_id !== client.id) refuse(`${client.id} is not the client_id`);
  if (typeof target === 'string') refuseOtherTarget(env, resource, target);
}

/**
 * Unverified (oauth/assertion-without-id): an assertion without `jti` may be used again, because RFC 7523 3 does not
 * demand one.
 */
function refuseReplay(env: Env, { claims }: UncheckedToken, clientId: string): void {
  if (claims['jti'] === undefined) return env.decidedBy('oauth/assertion-without-id');
  if (useAssertion(env, claims, clientId)) return;
  throw new OAuthError('invalid_grant', 'the assertion was used before: its jti is that of an earlier one', {
    why: { kind: 'state' },
  });
}

/**
 * The subject is a user's id, or the application's own id for the user; or the e-mail address says who it is. The
 * identity provider of an organization vouches for its members only.
 */
function userOf(env: Env, { claims, connection }: TrustedAssertion): Rows['users'] {
  const { sub, email } = claims;
  const subject = String(sub);
  const address = typeof email === 'string' ? email.toLowerCase() : '';
  const user =
    env.users.find(subject) ?? env.users.findBy('external_id', subject) ?? env.users.findBy('email', address);
  if (!user)
    throw new OAuthError('invalid_grant', `sub of the assertion is not a user: ${shortened(subject)}`, {
      why: { kind: 'unknown', noun: 'user', wanted: shortened(subject) },
    });
  const { organization_id } = connection;
  if (organization_id && !membershipOf(env, { user_id: user.id, organization_id }))
    throw new OAuthError(
      'invalid_grant',
      `sub of the assertion is not a member of ${organization_id}, which the connection ${connection.id} belongs to`,
      { why: stateCause(`user ${user.id} is no member of ${organization_id}`, `users/${user.id}`) },
    );
  return user;
}
