import { organizations } from './organizations.ts';
import { portalLinks } from './portal-links.ts';
import { sessionPolicies } from './session-policies.ts';
import { userManagement } from './features.ts';

export const organizationService = {
  ...organizations,
  ...portalLinks,
  ...sessionPolicies,
  ...userManagement,
};
