import type { ProvisioningService, Services } from '@understudy/core/operations/index';
import type { Part } from '@understudy/core/parts';

const services: Pick<Services, ProvisioningService> = {
  Scim: async () =>
    (await import('./scim/refusals.ts')).answering({
      ...(await import('./scim/users.ts')).users,
      ...(await import('./scim/groups.ts')).groups,
      ...(await import('./scim/search.ts')).search,
      ...(await import('./scim/discovery.ts')).discovery,
    }),
};

export const part: Part = {
  services,
  control: {
    Control_ListIdps: async (input, context) =>
      (await import('./idp/control.ts')).idp.Control_ListIdps(input, context),
    Control_ActAsIdp: async (input, context) =>
      (await import('./idp/control.ts')).idp.Control_ActAsIdp(input, context),
  },
  calls: async () => ({ idp_pushes: (await import('./idp/pushes.ts')).idpPushes }),
};
