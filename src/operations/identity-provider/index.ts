import { connectionTest } from './connection-test.ts';
import { customReturn } from './custom-login.ts';
import { initiate } from './initiate.ts';
import { signOn } from './sign-on.ts';

export const identityProviderService = { ...signOn, ...customReturn, ...initiate, ...connectionTest };
