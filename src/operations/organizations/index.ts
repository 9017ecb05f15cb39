import { organizations } from './organizations.ts';
import { portalLinks } from './portal-links.ts';
import { sessionPolicies } from './session-policies.ts';
import { userManagement } from './user-management.ts';

export const organizationService = {
  ...organizations,
  ...portalLinks,
  ...sessionPolicies,
  ...userManagement,
};
