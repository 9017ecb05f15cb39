export { apiTokens as apiTokenService } from './api-tokens.ts';
