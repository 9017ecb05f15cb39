import { type Cause, rowNamed, stateCause, timeCause } from '../contract/cause.ts';
import type { Env, Rows } from '../state/env.ts';
import { page } from '../rows/page.ts';
import { ApiError, failedPrecondition, invalidArgument, notFound } from '../contract/errors.ts';
import { blocked } from './blocked.ts';
import type { Operations } from './handler.ts';
import { isFilled, listing } from './lists.ts';
import { findMembership } from './users/admission.ts';

type Token = Rows['api_tokens'];

const VALUE_LENGTH = 64;

export const apiTokens = {
  ApiTokenService_ListTokens({ query }, env) {
    const { id } = env.organizations.get(query.organization_id);
    // Unverified (api-tokens/list-order): newest first.
    const { rows, total_size, ...rest } = page(env.api_tokens, {
      ...listing(query, env),
      by: query.user_id ? ['active_of', `${id} ${query.user_id}`] : ['active_in', id],
    });
    if (rows.length > 1) env.decidedBy('api-tokens/list-order');
    return { ...rest, tokens: rows.map((token) => viewToken(env, token)), total_count: total_size };
  },

  ApiTokenService_CreateToken({ body }, env) {
    const { user_id, custom_claims = {}, expiry, description } = body;
    const organization = env.organizations.get(body.organization_id);
    const created = env.api_tokens.insert({
      id: env.draw.id('apit'),
      organization_id: organization.id,
      ...(user_id && { user_id, membership_id: activeMembership(env, organization.id, user_id).id }),
      token: env.draw.text(VALUE_LENGTH),
      status: 'ACTIVE',
      custom_claims,
      ...(description && { description }),
      ...(expiry && { expiry: futureTime(env, expiry) }),
      created_at: env.clock.iso(),
    });
    return { token: created.token, token_id: created.id, token_info: viewToken(env, created) };
  },

  ApiTokenService_ValidateToken({ body }, env) {
    const { id } = findActive(env, body.token);
    const used = env.trace(() => env.api_tokens.update(id, { last_used_at: env.clock.iso() }));
    return { token_info: viewToken(env, used) };
  },

  ApiTokenService_FetchToken: blocked,

  ApiTokenService_InvalidateToken({ body }, env) {
    const token = find(env, body.token);
    if (token.status !== 'INVALIDATED') env.api_tokens.update(token.id, { status: 'INVALIDATED' });
    return {};
  },

  ApiTokenService_UpdateToken({ body }, env) {
    const { custom_claims, description } = body;
    const updated = env.api_tokens.update(findActive(env, body.token).id, {
      ...(isFilled(custom_claims) && { custom_claims }),
      ...(description !== undefined && { description: description || undefined }),
    });
    return { token_info: viewToken(env, updated) };
  },
} satisfies Partial<Operations>;

/** Finds a token by value or id. The error does not repeat the value, which may be another secret. */
function find(env: Env, reference: string): Token {
  const token = env.api_tokens.findBy('token', reference) ?? env.api_tokens.find(reference);
  if (!token)
    throw invalidToken({ kind: 'unknown', says: 'no API token has the value or the id that was sent' });
  return token;
}

function findActive(env: Env, reference: string): Token {
  const token = find(env, reference);
  if (token.status === 'EXPIRED')
    throw invalidToken(timeCause(token.expiry ?? '', `API token ${token.id} has expired`));
  if (token.status !== 'ACTIVE')
    throw invalidToken(stateCause(`API token ${token.id} is ${token.status}`, rowNamed('api_tokens', token)));
  return token;
}

/** Not `unauthenticated`: clients would blame their own access token and fetch a new one. */
const invalidToken = (why: Cause) =>
  new ApiError('not_found', 'token not found, expired or invalidated', { why });

/**
 * Also rejects texts that pass the format but are no usable time: leap seconds, and zones that lead beyond
 * the year 9999.
 */
function futureTime(env: Env, text: string): string {
  const time = new Date(text);
  const isTime = time.getUTCFullYear() <= 9999;
  // Unverified (api-tokens/past-expiry): a token that would never be valid is rejected.
  if (!isTime || env.clock.isPast(text))
    throw invalidArgument(`expiry ${text} is not a time in the future`).decidedBy('api-tokens/past-expiry');
  return time.toISOString();
}

function activeMembership(env: Env, organizationId: string, userId: string): Rows['memberships'] {
  if (!env.users.find(userId)) throw notFound('user', userId);
  const membership = findMembership(env, organizationId, userId);
  if (membership?.membership_status === 'ACTIVE') return membership;
  // Unverified (api-tokens/inactive-member): the docs state the rule but not the error.
  throw failedPrecondition(
    `user ${userId} is not an active member of organization ${organizationId}`,
    membership
      ? { rows: [rowNamed('memberships', membership)], needs: { membership_status: 'ACTIVE' } }
      : { rows: [rowNamed('users', { id: userId })], leads: ['UserService_CreateMembership'] },
  ).decidedBy('api-tokens/inactive-member');
}

/** A token without its value, with its user and organization. */
function viewToken(env: Env, token: Token) {
  const { id, organization_id, custom_claims, created_at, description, expiry } = token;
  return {
    token_id: id,
    organization_id,
    organization_external_id: env.organizations.get(organization_id).external_id ?? '',
    custom_claims,
    created_at,
    token_suffix: token.token.slice(-4),
    ...(description && { description }),
    ...(expiry && { expiry }),
    ...viewUser(env, token),
  };
}

function viewUser(env: Env, { organization_id, user_id }: Token) {
  const user = user_id ? env.users.find(user_id) : undefined;
  if (!user) return { roles: [] };
  const membership = findMembership(env, organization_id, user.id);
  return {
    user_id: user.id,
    ...(user.external_id && { user_external_id: user.external_id }),
    email: user.email,
    roles: (membership?.role_ids ?? []).map((id) => env.roles.get(id).name),
  };
}
