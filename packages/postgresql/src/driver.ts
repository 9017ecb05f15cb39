import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

// A bundle of its own: it is loaded only with --store.
export const { Pool } = pg;
export type Pool = pg.Pool;
export const readAddress = parseIntoClientConfig;
