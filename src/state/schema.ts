import { apiTokensTables, clientsTables, resourcesTables } from './tables/clients.ts';
import { connectedAccountsTables } from './tables/connected-accounts.ts';
import { connectionsTables, directoriesTables } from './tables/connection-tables.ts';
import { eventsTables, outgoingTables, webhookPortalTables, webhooksTables } from './tables/webhooks.ts';
import { idpTables } from './tables/idp-tables.ts';
import { loginsTables, passwordlessTables, sessionsTables, signInsTables } from './tables/sign-ins.ts';
import { domainsTables, environmentTables, organizationsTables } from './tables/organizations.ts';
import { rolesTables, usersTables } from './tables/users.ts';
import type { TableShape } from '../rows/table.ts';
import type { Indexes } from '../rows/fixture-table.ts';
import type { RowBase } from '../rows/positions.ts';
import type { Collection, Rows, Tables } from './tables/table-spec.ts';
import { mcpTables, recordsTables, toolsTables } from './tables/tools.ts';

const SPECS: Tables = {
  ...environmentTables,
  ...organizationsTables,
  ...usersTables,
  ...rolesTables,
  ...clientsTables,
  ...resourcesTables,
  ...apiTokensTables,
  ...domainsTables,
  ...directoriesTables,
  ...idpTables,
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

/** The tables of all collections, in the order of files and of /state. Each reference has an index of its name. */
export const TABLES = Object.fromEntries(
  Object.entries(SPECS).map(([name, spec]) => [name, { ...spec, name, indexes: withReferences(spec) }]),
) as unknown as { readonly [C in Collection]: Tables[C] & TableShape<Rows[C]> };

export const COLLECTIONS = Object.keys(TABLES) as Collection[];

function withReferences({ indexes, references = {} }: Tables[Collection]): Indexes<RowBase> {
  const byMember = Object.keys(references).map((member) => [
    member,
    (row: RowBase) => (row as RowBase & Record<string, string | undefined>)[member],
  ]);
  return { ...Object.fromEntries(byMember), ...(indexes as Indexes<RowBase> | undefined) };
}
