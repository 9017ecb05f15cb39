import type { World } from '../../world/world.ts';
import { recordEvent } from '../../events/record.ts';
import type { Connection } from './connection-lookup.ts';

type Verb = 'created' | 'deleted' | 'enabled' | 'disabled';

/** Keeps what became of an organization's way to sign in; those of the environment are not told of. */
export function tell(world: World, verb: Verb, connection: Connection): void {
  const { id, organization_id, type: connection_type, provider, enabled, status } = connection;
  if (!organization_id) return;
  const isSwitch = verb === 'enabled' || verb === 'disabled';
  recordEvent(world, {
    type: `organization.sso_${verb}`,
    organization_id,
    connection_id: id,
    data: { id, organization_id, connection_type, provider, ...(isSwitch && { enabled, status }) },
  });
}
