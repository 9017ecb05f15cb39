export { openDatabase } from './postgres/postgres-store.ts';
export { Forwarding } from './forwarding/forwarding.ts';
