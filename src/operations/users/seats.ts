import { failedPrecondition } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

export const findMembership = (
  world: World,
  organizationId: string,
  userId: string,
): Rows['memberships'] | undefined => world.memberships.findBy('seat', `${organizationId} ${userId}`);

/** Wherever someone is about to take a seat: none may be left (reference: tenancy-and-errors 1.7). */
export function refuseWithoutSeat(
  world: World,
  { id, max_allowed_users: seats = 0 }: Rows['organizations'],
): void {
  if (seats === 0 || world.memberships.count('seated_in', id) < seats) return;
  // Unverified: the service documents the limit, not the failure.
  throw failedPrecondition(`organization ${id} has all of its ${seats} allowed users`);
}
