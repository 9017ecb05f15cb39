import type { ControlOperations } from './handler.ts';

/** Authenticator apps are loaded at their first use. */
const apps = () => import('../operations/totp/registrations.ts');

export const totp = {
  async Control_GetTotp({ query: { user, drift } }, { environment, baseUrl }) {
    const { findAuthenticator, viewAuthenticator } = await apps();
    return environment.transact({ baseUrl }, (env) =>
      viewAuthenticator(env, findAuthenticator(env, user), drift),
    ).result;
  },

  async Control_EnrolTotp({ body: { user } }, { environment, baseUrl }) {
    const { enrol } = await apps();
    return environment.transact({ baseUrl }, (env) => enrol(env, user)).result;
  },
} satisfies Partial<ControlOperations>;
