import { organizations } from './organizations.ts';
import { portalLinks } from './portal-links.ts';

export const organizationService = { ...organizations, ...portalLinks };
