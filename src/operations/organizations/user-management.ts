import type { Rows } from '../../world/schema.ts';
import type { Operations } from '../handler.ts';

export const userManagement = {
  OrganizationService_GetOrganizationUserManagementSetting({ path }, world) {
    return { settings: viewSettings(world.organizations.get(path.organization_id)) };
  },

  OrganizationService_UpsertUserManagementSettings({ path, body }, world) {
    const { id } = world.organizations.get(path.organization_id);
    const { max_allowed_users } = body.settings;
    // Unverified: the settings are replaced as a whole, so that the limit can be taken away again.
    return { settings: viewSettings(world.organizations.update(id, { max_allowed_users })) };
  },
} satisfies Partial<Operations>;

/** A limit that was never set is absent, one of 0 is shown. */
const viewSettings = ({ max_allowed_users }: Rows['organizations']) =>
  max_allowed_users === undefined ? {} : { max_allowed_users };
