export { interceptors as interceptorService } from './interceptors.ts';
