import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

const MINUTE = 60_000;

interface Ends {
  idle_expires_at: string;
  absolute_expires_at: string;
}

/**
 * When a session that began then ends by itself: of the application's limits and the organization's own the earlier
 * counts; idle time counts where either limits it (reference: login-and-tokens 6.3).
 */
export function endsOf(world: World, created_at: string, organizationId: string | undefined): Ends {
  const application = world.settings.get('settings');
  const policy = organizationId ? world.organizations.find(organizationId)?.session_policy : undefined;
  const { absolute_session_timeout } = application;
  const longest = Math.min(absolute_session_timeout, policy?.absolute_session_timeout ?? Infinity);
  const absolute = Date.parse(created_at) + longest * MINUTE;
  const idle = world.clock.ms + Math.min(idleMinutes(application), idleMinutes(policy)) * MINUTE;
  const absolute_expires_at = new Date(absolute).toISOString();
  return {
    absolute_expires_at,
    idle_expires_at: idle < absolute ? new Date(idle).toISOString() : absolute_expires_at,
  };
}

interface IdleLimit {
  idle_session_timeout_enabled: boolean;
  idle_session_timeout?: number;
}

const idleMinutes = (limit: IdleLimit | Rows['settings'] | undefined) =>
  limit?.idle_session_timeout_enabled ? (limit.idle_session_timeout ?? Infinity) : Infinity;
