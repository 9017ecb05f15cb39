import { ApiError } from '../errors.ts';
import type { World } from '../world/world.ts';

/** A user sees and changes what is their own; a client's token, all. */
export function refuseStranger({ caller }: World, user_id: string): void {
  if (caller?.subject === undefined || caller.user_id === user_id) return;
  throw new ApiError('permission_denied', `the token's user ${caller.subject} is not ${user_id}`);
}

/** As `refuseStranger`, of the organization that the user has signed in to. */
export function refuseOutsider({ caller }: World, organization_id: string): void {
  if (caller?.subject === undefined || caller.organization_id === organization_id) return;
  throw new ApiError('permission_denied', `the token's user has not signed in to ${organization_id}`);
}
