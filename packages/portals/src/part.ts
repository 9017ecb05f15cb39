import type { PortalService, Services } from '@understudy/core/operations/index';
import type { Part } from '@understudy/core/parts';

const services: Pick<Services, PortalService> = {
  WebhookPortal: async () => ({
    ...(await import('./webhooks/visit.ts')).openLink,
    ...(await import('./webhooks/overview.ts')).overviewPages,
    ...(await import('./webhooks/endpoint-pages.ts')).endpointPages,
    ...(await import('./webhooks/delivery-pages.ts')).deliveryPages,
  }),
  Portal: async () => ({
    ...(await import('./admin/overview.ts')).overviewPages,
    ...(await import('./admin/connection-pages.ts')).connectionPages,
    ...(await import('./admin/overview.ts')).domainForms,
    ...(await import('./admin/directory-pages.ts')).directoryPages,
  }),
};

export const part: Part = {
  services,
  links: { _p: async () => (await import('./links.ts')).openPortalLink },
};
