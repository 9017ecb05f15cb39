import { deliveryPages } from './deliveries.ts';
import { endpointPages } from './endpoints.ts';
import { openLink } from './open-link.ts';
import { overviewPages } from './overview.ts';

export const webhookPortalService = { ...openLink, ...overviewPages, ...endpointPages, ...deliveryPages };
