import type { Happening } from './record.ts';
import type { ChangeOf, Unit } from './unit.ts';

/**
 * Unverified: nothing but its switch is told of a directory. One that is created is switched on, and there is no other
 * event to hear of it by; one that goes while it is on is off.
 */
export function directoryEvents({ before, after }: ChangeOf<'directories'>, unit: Unit): Happening[] {
  const { id, organization_id, directory_type, directory_provider } = (after ?? before)!;
  const enabled = after?.enabled ?? false;
  const wasEnabled = before?.enabled ?? false;
  if (enabled === wasEnabled || unit.removed('organizations', organization_id)) return [];
  const data = {
    id,
    directory_type,
    enabled,
    organization_id,
    provider: directory_provider ?? ('DIRECTORY_PROVIDER_UNSPECIFIED' as const),
    updated_at: unit.world.clock.iso(),
  };
  return [{ type: `organization.directory_${enabled ? 'enabled' : 'disabled'}`, organization_id, data }];
}
