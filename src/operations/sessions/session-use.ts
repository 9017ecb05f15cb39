import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

/** The user is there: the session's idle time begins anew. It lasts as long as it did when the session was last used. */
export function useSession(world: World, id: string): Rows['sessions'] {
  const { last_active_at, idle_expires_at, absolute_expires_at } = world.sessions.get(id);
  const idle = Date.parse(idle_expires_at) - Date.parse(last_active_at);
  const end = Date.parse(world.clock.after(idle));
  const now = world.clock.iso();
  return world.sessions.update(id, {
    last_active_at: now,
    updated_at: now,
    idle_expires_at: end < Date.parse(absolute_expires_at) ? world.clock.after(idle) : absolute_expires_at,
  });
}
