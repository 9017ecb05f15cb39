import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

/** The user has left: the session is over for every application that shares it. */
export function signOut(world: World, { id }: Rows['sessions']): void {
  const now = world.clock.iso();
  world.sessions.update(id, { status: 'logout', logout_at: now, updated_at: now });
}
