export { tools as toolService } from './tools.ts';
