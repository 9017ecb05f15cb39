import type { Env, Rows } from '../../state/env.ts';
import { userData, userName, userTimes } from './ask.ts';

/** Whose token it is. */
export interface TokenOwner {
  user_id?: string | undefined;
  organization_id?: string | undefined;
  m2m_token_claims?: Readonly<Record<string, unknown>>;
}

/** The names with which paths begin. */
export const ROOTS = ['user', 'organization', 'm2m_token_claims'];

const PROFILE = [
  'given_name',
  'family_name',
  'preferred_username',
  'phone_number',
  'phone_number_verified',
  'picture',
  'gender',
  'locale',
  'groups',
  'custom_attributes',
] as const;

/**
 * The members of users and organizations are those of the Scalekit docs, Customize JWT template. Unverified
 * (interceptors/template-variables): the members of m2m_token_claims.
 */
export function variablesOf(env: Env, { user_id, organization_id, m2m_token_claims }: TokenOwner) {
  const user = user_id ? env.users.find(user_id) : undefined;
  const organization = organization_id ? env.organizations.find(organization_id) : undefined;
  const membership =
    user && env.memberships.list('user_id', user.id).find((each) => each.organization_id === organization_id);
  return {
    user: user && {
      ...userData(user),
      ...userTimes(user),
      name: userName(user) || undefined,
      external_id: user.external_id,
      metadata: user.metadata,
      last_login_time: user.last_login_time,
      ...Object.fromEntries(PROFILE.map((name) => [name, user.user_profile[name]])),
      current_membership: membership && membershipView(env, membership),
    },
    organization: organization && organizationView(organization),
    m2m_token_claims,
  };
}

function membershipView(env: Env, membership: Rows['memberships']) {
  const { organization_id, membership_status, metadata, role_ids } = membership;
  return {
    organization_id,
    organization_name: env.organizations.get(organization_id).display_name,
    status: membership_status.toLowerCase(),
    metadata,
    roles: role_ids.map((id) => env.roles.get(id).name),
  };
}

const organizationView = ({ id, display_name, external_id, metadata }: Rows['organizations']) => ({
  id,
  name: display_name,
  external_id,
  metadata,
});

/** The paths below each name, for editors of templates. */
export const PATHS = {
  user: [
    'id',
    'email',
    'email_verified',
    'created_at',
    'updated_at',
    'last_login_time',
    'name',
    'external_id',
    'metadata',
    ...PROFILE,
    'current_membership.organization_id',
    'current_membership.organization_name',
    'current_membership.status',
    'current_membership.metadata',
    'current_membership.roles',
  ],
  organization: ['id', 'name', 'external_id', 'metadata'],
  m2m_token_claims: ['client_id', 'oid', 'scope', 'scopes', 'custom_claims'],
};

type Category = 'standard' | 'scalekit';

const claim = (type: string, category: Category, description: string, source?: string) => ({
  type,
  category,
  description,
  ...(source !== undefined && { source }),
});

/** Claims that a template may not set. Tokens do not have all of them. */
export const RESERVED_CLAIMS = {
  iss: claim('string', 'standard', 'The issuer'),
  sub: claim('string', 'standard', 'The user or the client', 'user.id'),
  aud: claim('string[]', 'standard', 'Whom the token is for'),
  exp: claim('number', 'standard', 'When the token ends'),
  iat: claim('number', 'standard', 'When the token was issued'),
  nbf: claim('number', 'standard', 'When the token begins'),
  jti: claim('string', 'standard', 'The id of the token'),
  azp: claim('string', 'standard', 'The client'),
  nonce: claim('string', 'standard', 'What the client sent'),
  amr: claim('string[]', 'standard', 'How the user signed in'),
  auth_time: claim('number', 'standard', 'When the user signed in'),
  client_id: claim('string', 'standard', 'The client'),
  scope: claim('string', 'standard', 'The scopes, in one text'),
  scopes: claim('string[]', 'scalekit', 'The scopes'),
  sid: claim('string', 'scalekit', 'The session'),
  oid: claim('string', 'scalekit', 'The organization', 'organization.id'),
  org_id: claim('string', 'scalekit', 'The organization', 'organization.id'),
  xoid: claim('string', 'scalekit', 'The external id of the organization', 'organization.external_id'),
  xuid: claim('string', 'scalekit', 'The external id of the user', 'user.external_id'),
  resid: claim('string', 'scalekit', 'The protected resource'),
  roles: claim('string[]', 'scalekit', 'The roles of the user', 'user.current_membership.roles'),
  permissions: claim('string[]', 'scalekit', 'The permissions of the user'),
  custom_claims: claim('object', 'scalekit', 'Claims of the client and of interceptors'),
  understudy_environment: claim('string', 'scalekit', 'The environment of Understudy'),
};
