export { connections as connectionService } from './connections.ts';
