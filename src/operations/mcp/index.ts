import { authState } from './auth-state.ts';
import { configs } from './configs.ts';
import { instances } from './instances.ts';
import { mcps } from './mcps.ts';
import { sessionTokens } from './session-tokens.ts';

export const mcpService = { ...configs, ...instances, ...authState, ...sessionTokens, ...mcps };
