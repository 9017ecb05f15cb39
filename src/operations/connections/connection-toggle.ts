import { ApiError, failedPrecondition } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import type { Connection } from './connection-lookup.ts';
import { withSettings } from './initial-settings.ts';
import { missingSettings } from './settings.ts';

interface Switched {
  enabled: boolean;
  error_message?: string;
}

/** Switching to where it is already is no failure, and answered with a remark (reference: tenancy-and-errors 8.5). */
export function toggle(world: World, connection: Connection, enabled: boolean): Switched {
  if (connection.enabled === enabled) {
    return { enabled, error_message: `connection is already ${enabled ? 'enabled' : 'disabled'}` };
  }
  if (enabled && connection.status !== 'COMPLETED') throw incomplete(withSettings(world, connection));
  world.connections.update(connection.id, { enabled, updated_at: world.clock.iso() });
  return { enabled };
}

/** Unverified: the service may also answer 200 with an error_message. */
function incomplete(connection: Connection): ApiError {
  const missing = missingSettings(connection);
  const hint = missing.length > 0 ? `: ${missing.join(', ')} missing` : '';
  const message = `connection ${connection.id} is ${connection.status}, not COMPLETED${hint}`;
  return failedPrecondition(message);
}
