import { apiTokensTables, clientsTables } from '../tables/clients.ts';
import { connectedAccountsTables } from '../tables/connected-accounts.ts';
import { connectionsTables } from '../tables/connections.ts';
import { directoriesTables } from '../tables/directories.ts';
import { eventsTables } from '../tables/events.ts';
import { loginsTables, passwordlessTables } from '../tables/logins.ts';
import { domainsTables, environmentTables, organizationsTables } from '../tables/organizations.ts';
import { resourcesTables } from '../tables/resources.ts';
import { rolesTables } from '../tables/roles.ts';
import { sessionsTables } from '../tables/sessions.ts';
import { signInsTables } from '../tables/sign-ins.ts';
import type { Collection, Rows, Tables } from '../tables/table-spec.ts';
import { mcpTables, recordsTables, toolsTables } from '../tables/tools.ts';
import { usersTables } from '../tables/users.ts';
import { outgoingTables, webhookPortalTables, webhooksTables } from '../tables/webhooks.ts';

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
