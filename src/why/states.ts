import type { Cause } from '../contract/cause.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Entry } from '../journal/entry.ts';
import type { Collection } from '../state/env.ts';
import { anyTable, TABLES } from '../state/schema.ts';
import { sentence, type Fact, type Place, type Reasons, type Remedy } from './answer.ts';
import { rowReasons } from './rows.ts';

/** The state of rows forbade the call: which calls wrote them, what they would have to be, and what brings them there. */
export function stateReasons(cause: Cause, entry: Entry, place: Place, message: string): Reasons {
  const { rows = [], needs, leads = [], says = message } = cause;
  const [first] = rows;
  const written = rowReasons(rows, entry, place);
  const row =
    first === undefined
      ? undefined
      : anyTable(place.environment.tables, splitRow(first)[0]).find(splitRow(first)[1]);
  const found = leads.flatMap((id) => leadOf(place.contract.operation(id), row));
  return {
    summary: withRow(says, first),
    because: [
      ...(written.because ?? []),
      ...(first !== undefined && needs ? [needFact(first, needs)] : []),
      ...found.map(({ text }) => ({ text: `${text} leads there.` })),
    ],
    remedies: [
      ...found.flatMap(({ remedy }) => remedy ?? []),
      ...(first !== undefined && needs ? [needRemedy(first, needs)] : []),
      ...(written.remedies ?? []),
    ],
  };
}

/** The sentence, with the row that decided if it names none. */
function withRow(says: string, row: string | undefined): string {
  if (row === undefined) return sentence(says);
  const [collection, id] = splitRow(row);
  if (says.includes(id)) return sentence(says);
  return sentence(`${says.replace(/\.$/, '')} (${TABLES[collection].noun} ${id})`);
}

interface Lead {
  text: string;
  /** The call of the operation, if it takes no body and the row has each variable of its path. */
  remedy?: Remedy;
}

function leadOf(operation: Operation | undefined, row: object | undefined): Lead[] {
  if (!operation) return [];
  const { method, base, title = base, requestBody } = operation;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (variable, name: string) => {
    const value = (row as Readonly<Record<string, unknown>> | undefined)?.[name];
    return typeof value === 'string' ? encodeURIComponent(value) : variable;
  });
  const isWhole = !path.includes('{') && requestBody?.required !== true;
  return [
    {
      text: `${base} (${method} ${path})`,
      ...(isWhole && { remedy: { text: `${title}: ${method} ${path}.`, method, path } }),
    },
  ];
}

type Needs = NonNullable<Cause['needs']>;

const splitRow = (row: string) => row.split(/\/(.*)/s) as [collection: Collection, id: string];

const listed = (needs: Needs) =>
  Object.entries(needs)
    .map(([member, value]) => `${member} ${String(value)}`)
    .join(' and ');

function needFact(row: string, needs: Needs): Fact {
  const [collection, id] = splitRow(row);
  return { text: `The call needs ${TABLES[collection].noun} ${id} to have ${listed(needs)}.`, row };
}

function needRemedy(row: string, needs: Needs): Remedy {
  const [collection, id] = splitRow(row);
  return {
    text: `Change ${row} to ${listed(needs)}.`,
    method: 'PATCH',
    path: `/_control/v1/state/${collection}/${encodeURIComponent(id)}`,
    body: needs,
  };
}
