import { apiTokensTables } from './tables/api-tokens.ts';
import { clientsTables } from './tables/clients.ts';
import { connectedAccountsTables } from './tables/connected-accounts.ts';
import { connectionsTables } from './tables/connections.ts';
import { directoriesTables } from './tables/directories.ts';
import { domainsTables } from './tables/domains.ts';
import { environmentTables } from './tables/environment.ts';
import { mcpTables } from './tables/mcp.ts';
import { organizationsTables } from './tables/organizations.ts';
import { rolesTables } from './tables/roles.ts';
import { passwordlessTables } from './tables/passwordless.ts';
import { eventsTables } from './tables/events.ts';
import { loginsTables } from './tables/logins.ts';
import { signInsTables } from './tables/sign-ins.ts';
import { outgoingTables } from './tables/outgoing.ts';
import { sessionsTables } from './tables/sessions.ts';
import { toolsTables } from './tables/tools.ts';
import { usersTables } from './tables/users.ts';
import { webhookPortalTables } from './tables/webhook-portal.ts';
import { webhooksTables } from './tables/webhooks.ts';
import type { Collection, Rows, Tables } from './tables/table-spec.ts';

export type { Collection, Rows };

/** Every collection, in the order in which files and /state show them. */
export const TABLES: Tables = {
  ...environmentTables,
  ...organizationsTables,
  ...usersTables,
  ...rolesTables,
  ...clientsTables,
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
  ...mcpTables,
  ...outgoingTables,
};

export const COLLECTIONS = Object.keys(TABLES) as Collection[];
