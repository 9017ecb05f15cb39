import type { Services, SsoService } from '@understudy/core/operations/index';
import type { Part } from '@understudy/core/parts';

const services: Pick<Services, SsoService> = {
  IdentityProvider: async () => ({
    ...(await import('./sign-in/sign-on.ts')).signOn,
    ...(await import('./sign-in/custom-login.ts')).customReturn,
    ...(await import('./sign-in/initiate.ts')).initiate,
    ...(await import('./sign-in/connection-test.ts')).connectionTest,
  }),
  Saml: async () => ({
    ...(await import('./saml/metadata.ts')).metadata,
    ...(await import('./saml/provider-pages.ts')).providerPages,
    ...(await import('./saml/logout.ts')).logout,
    ...(await import('./saml/logout-return.ts')).logoutReturn,
    ...(await import('./saml/provider-logout.ts')).providerLogout,
  }),
};

export const part: Part = { services };
