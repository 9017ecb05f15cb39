import type { World } from '../../world/world.ts';

/** Of users that the settings list for end-to-end tests (reference: login-and-tokens 4.7). */
const STATIC_CODE = '424242';

export function isTestUser(world: World, email: string): boolean {
  const { emails = [] } = world.settings.get('settings').test_users ?? {};
  return emails.some((each) => each.toLowerCase() === email.toLowerCase());
}

export const testCode = (world: World) => world.settings.get('settings').test_users?.code ?? STATIC_CODE;
