export { domains as domainService } from './domains.ts';
