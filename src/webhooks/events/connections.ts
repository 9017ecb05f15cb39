import type { Rows } from '../../environment/rows/schema.ts';
import type { NewEvent } from '../event-record.ts';
import type { ChangeOf, UnitChanges } from './unit.ts';

/** Only connections of an organization have events. */
export function connectionEvents({ before, after }: ChangeOf<'connections'>, unit: UnitChanges): NewEvent[] {
  const { id, organization_id } = (after ?? before)!;
  if (!organization_id || unit.removed('organizations', organization_id)) return [];
  const about = { organization_id, connection_id: id };
  if (!after) {
    const data = connectionData(before!, organization_id);
    return [{ type: 'organization.sso_deleted', ...about, data }];
  }
  const { enabled, status } = after;
  const data = connectionData(after, organization_id);
  const happenings: NewEvent[] = [];
  if (!before) happenings.push({ type: 'organization.sso_created', ...about, data });
  if (enabled !== (before?.enabled ?? false)) {
    const type = `organization.sso_${enabled ? 'enabled' : 'disabled'}` as const;
    happenings.push({ type, ...about, data: { ...data, enabled, status } });
  }
  return happenings;
}

const connectionData = ({ id, type, provider }: Rows['connections'], organization_id: string) => ({
  id,
  organization_id,
  connection_type: type,
  provider,
});
