export { providers as providerService } from './providers.ts';
