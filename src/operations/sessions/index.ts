export { sessions as sessionService } from './sessions.ts';
