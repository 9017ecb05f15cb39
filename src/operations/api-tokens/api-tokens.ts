import { ApiError, failedPrecondition, invalidArgument, notFound } from '../../errors.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { isFilled } from '../is-filled.ts';
import { pageSize } from '../page-size.ts';
import { findMembership } from '../users/seats.ts';
import { viewToken } from './token-view.ts';

type Token = Rows['api_tokens'];

const VALUE_LENGTH = 64;

export const apiTokens = {
  ApiTokenService_ListTokens({ query }, world) {
    const { id } = world.organizations.get(query.organization_id);
    // Unverified: newest first.
    const { rows, total_size, ...rest } = page(world.api_tokens, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: query.user_id ? ['active_of', `${id} ${query.user_id}`] : ['active_in', id],
    });
    return { ...rest, tokens: rows.map((token) => viewToken(world, token)), total_count: total_size };
  },

  ApiTokenService_CreateToken({ body }, world) {
    const { user_id, custom_claims = {}, expiry, description } = body;
    const organization = world.organizations.get(body.organization_id);
    const created = world.api_tokens.insert({
      id: world.draw.id('apit'),
      organization_id: organization.id,
      ...(user_id && { user_id, membership_id: activeMembership(world, organization.id, user_id).id }),
      token: world.draw.text(VALUE_LENGTH),
      status: 'ACTIVE',
      custom_claims,
      ...(description && { description }),
      ...(expiry && { expiry: futureTime(world, expiry) }),
      created_at: world.clock.iso(),
    });
    return { token: created.token, token_id: created.id, token_info: viewToken(world, created) };
  },

  ApiTokenService_ValidateToken({ body }, world) {
    const { id } = findActive(world, body.token);
    const used = world.trace(() => world.api_tokens.update(id, { last_used_at: world.clock.iso() }));
    return { token_info: viewToken(world, used) };
  },

  ApiTokenService_InvalidateToken({ body }, world) {
    const token = find(world, body.token);
    if (token.status !== 'INVALIDATED') world.api_tokens.update(token.id, { status: 'INVALIDATED' });
    return {};
  },

  ApiTokenService_UpdateToken({ body }, world) {
    const { custom_claims, description } = body;
    const updated = world.api_tokens.update(findActive(world, body.token).id, {
      ...(isFilled(custom_claims) && { custom_claims }),
      ...(description !== undefined && { description: description || undefined }),
    });
    return { token_info: viewToken(world, updated) };
  },
} satisfies Partial<Operations>;

/** By value or by id. What is missing is not repeated: it may be a secret of something else. */
function find(world: World, reference: string): Token {
  const token = world.api_tokens.findBy('token', reference) ?? world.api_tokens.find(reference);
  if (!token) throw invalidToken();
  return token;
}

function findActive(world: World, reference: string): Token {
  const token = find(world, reference);
  if (token.status !== 'ACTIVE') throw invalidToken();
  return token;
}

/** Not `unauthenticated`: clients would take that for their own token's fault and get another. */
const invalidToken = () => new ApiError('not_found', 'token not found, expired or invalidated');

/** Of the format's texts a leap second, and a zone that leads out of the year 9999, are no times. */
function futureTime(world: World, text: string): string {
  const time = new Date(text);
  const isTime = time.getUTCFullYear() <= 9999;
  // Unverified: a token that would never be valid is refused.
  if (!isTime || world.clock.isPast(text))
    throw invalidArgument(`expiry ${text} is not a time in the future`);
  return time.toISOString();
}

function activeMembership(world: World, organizationId: string, userId: string): Rows['memberships'] {
  if (!world.users.find(userId)) throw notFound('user', userId);
  const membership = findMembership(world, organizationId, userId);
  if (membership?.membership_status === 'ACTIVE') return membership;
  // Unverified: the rule is documented, the failure is not.
  throw failedPrecondition(`user ${userId} is not an active member of organization ${organizationId}`);
}
