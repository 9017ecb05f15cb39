import { apiTokensTables, clientsTables, resourcesTables } from './tables/clients.ts';
import { connectedAccountsTables } from './tables/connected-accounts.ts';
import { connectionsTables, directoriesTables } from './tables/connections.ts';
import { eventsTables, outgoingTables, webhookPortalTables, webhooksTables } from './tables/webhooks.ts';
import { loginsTables, passwordlessTables, sessionsTables, signInsTables } from './tables/sign-ins.ts';
import { domainsTables, environmentTables, organizationsTables } from './tables/organizations.ts';
import { rolesTables, usersTables } from './tables/users.ts';
import type { Collection, Rows, Tables } from './tables/table-spec.ts';
import { mcpTables, recordsTables, toolsTables } from './tables/tools.ts';

export type { Collection, Rows };

/** Every collection, in the order of files and of /state. */
export const TABLES: Tables = {
  ...environmentTables,
  ...organizationsTables,
  ...usersTables,
  ...rolesTables,
  ...clientsTables,
  ...resourcesTables,
  ...apiTokensTables,
  ...domainsTables,
  ...directoriesTables,
  ...sessionsTables,
  ...signInsTables,
  ...passwordlessTables,
  ...loginsTables,
  ...eventsTables,
  ...webhooksTables,
  ...webhookPortalTables,
  ...connectionsTables,
  ...toolsTables,
  ...connectedAccountsTables,
  ...recordsTables,
  ...mcpTables,
  ...outgoingTables,
};

export const COLLECTIONS = Object.keys(TABLES) as Collection[];
