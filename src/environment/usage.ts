import { machineTime, uptime } from './clock.ts';
import type { Environment } from './environment.ts';
import { anyTable } from './rows/cascade.ts';
import { COLLECTIONS } from './rows/schema.ts';

/** How old and how large an environment is, by the machine's clock. The cost does not depend on its rows and calls. */
export function usageOf({ created, lastUse, tables, journal }: Environment) {
  return {
    created_at: new Date(created).toISOString(),
    last_used_at: new Date(machineTime() - (uptime() - lastUse)).toISOString(),
    rows: COLLECTIONS.reduce((sum, collection) => sum + anyTable(tables, collection).count(), 0),
    requests: journal.count,
  };
}
