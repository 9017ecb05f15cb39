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
import type { Tables as TableSpecs } from './tables/table-spec.ts';
import { mcpTables, recordsTables, toolsTables } from './tables/tools.ts';
import { References, type AnyTables, type DanglingReference } from '../rows/references.ts';
import type { Collection, Rows, Tables } from './env.ts';

const SPECS: TableSpecs = {
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
) as unknown as { readonly [C in Collection]: TableSpecs[C] & TableShape<Rows[C]> };

export const COLLECTIONS = Object.keys(TABLES) as Collection[];

function withReferences({ indexes, references = {} }: TableSpecs[Collection]): Indexes<RowBase> {
  const byMember = Object.keys(references).map((member) => [
    member,
    (row: RowBase) => (row as RowBase & Record<string, string | undefined>)[member],
  ]);
  return { ...Object.fromEntries(byMember), ...(indexes as Indexes<RowBase> | undefined) };
}

const references = new References<Collection>(TABLES);

const anyTables = (tables: Tables) => tables as unknown as AnyTables<Collection>;

/** The table of any collection, for code that works with rows of every type. */
export const anyTable = (tables: Tables, collection: Collection) => anyTables(tables)[collection];

export const countRows = (tables: Tables): number =>
  COLLECTIONS.reduce((sum, collection) => sum + anyTable(tables, collection).count(), 0);

/** So many rows hang on a row that its removal would keep other calls waiting. */
export class LongRemoval extends Error {}

/** About two for each row. */
const STEPS_AT_ONCE = 600;

/**
 * Removes a row. Rows that refer to it are removed or lose the reference, as their table spec says. Throws LongRemoval if they
 * are many and the caller can wait.
 */
export function removeRow(tables: Tables, collection: Collection, id: string, canWait = false): void {
  const steps = removing(tables, collection, id);
  for (let taken = 0; !steps.next().done; taken += 1)
    if (canWait && taken >= STEPS_AT_ONCE) throw new LongRemoval();
}

/** `removeRow` in small steps, for a copy of the tables. The first step removes the row itself. */
export const removing = (tables: Tables, collection: Collection, id: string) =>
  references.remove(anyTables(tables), collection, id);

/** The row without its references to removed rows, as `removeRow` leaves it. */
export const withoutReferences = (
  collection: Collection,
  row: RowBase,
  isGone: (collection: Collection, id: string) => boolean,
): object => references.without(collection, row, isGone);

export const danglingReferences = (
  tables: Tables,
  collection: Collection,
  row: Record<string, unknown>,
): DanglingReference[] => references.dangling(anyTables(tables), collection, row);
