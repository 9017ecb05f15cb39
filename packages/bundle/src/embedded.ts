import type { Config } from '@understudy/core/config';

/** A service for a bundle: nothing of it calls the addresses that the bundle names, and it logs nothing. */
export const SETTINGS: Partial<Config> = {
  fixture: 'empty',
  logLevel: 'error',
  webhookAllow: ['nothing.invalid'],
  environmentTtl: Infinity,
};
