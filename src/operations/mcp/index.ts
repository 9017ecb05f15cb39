import { configs } from './configs.ts';
import { authState, instances } from './instances.ts';
import { mcps, sessionTokens } from './mcps.ts';

export const mcpService = { ...configs, ...instances, ...authState, ...sessionTokens, ...mcps };
