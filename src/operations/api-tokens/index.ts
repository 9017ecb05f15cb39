import { apiTokens } from './api-tokens.ts';

export const apiTokenService = { ...apiTokens };
