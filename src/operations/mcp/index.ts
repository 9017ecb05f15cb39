export { configs as mcpService } from './configs.ts';
