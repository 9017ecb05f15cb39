import { rowNamed, stateCause } from '../../contract/cause.ts';
import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { isPublic } from './client-authentication.ts';
import { membershipOf, type UserGrant } from './user-grant.ts';

type Client = Rows['clients'];

export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
type GrantType = (typeof GRANT_TYPES)[number] | typeof JWT_BEARER;

/**
 * Unverified (oauth/clients-without-grant-types): an environment client that lists no grant types may use all that suit
 * its type.
 */
export function mayUse(client: Client, grant: GrantType): boolean {
  if (client.organization_id) return grant === 'client_credentials';
  if (client.grant_types?.length) return client.grant_types.includes(grant);
  if (grant === JWT_BEARER) return client.resource_id !== undefined;
  // Unverified (oauth/registered-client-grants): a client that registered itself gets tokens for users only.
  return grant !== 'client_credentials' || !(isPublic(client) || client.is_dcr);
}

export function refuseDisallowedGrant(client: Client, grant: GrantType): void {
  if (mayUse(client, grant)) return;
  const refusal = new OAuthError('unauthorized_client', `client missing grant type ${grant}`);
  const isRegistered = client.is_dcr && grant === 'client_credentials';
  throw isRegistered ? refusal.decidedBy('oauth/registered-client-grants') : refusal;
}

/** Throws if the session has ended or the user is no longer a member. */
export function refuseEndedGrant(env: Env, grant: UserGrant): void {
  const { session_id, organization_id, user_id } = grant;
  const session = session_id ? env.sessions.find(session_id) : undefined;
  if (session && session.status !== 'active')
    throw new OAuthError('invalid_grant', `session ${session.id} is ${session.status}`, {
      why: stateCause(
        `session ${session.id} is ${session.status}, so its tokens are no longer good`,
        rowNamed('sessions', session),
      ),
    });
  if (!user_id || !organization_id) return;
  const status = membershipOf(env, grant)?.membership_status;
  // Unverified (oauth/former-members): the docs do not say what happens to tokens of former members.
  if (status === undefined || status === 'INACTIVE')
    throw new OAuthError('invalid_grant', `the user is not an active member of ${organization_id}`, {
      why: stateCause(
        `user ${user_id} is ${status === undefined ? 'no member' : 'an inactive member'} of ${organization_id}`,
        `users/${user_id}`,
      ),
    }).decidedBy('oauth/former-members');
}

/** The form of a token request, and the resource whose token endpoint got it. */
export type TokenForm = NonNullable<Input<'OAuth_Token'>['body']> & { at_resource: string | undefined };
