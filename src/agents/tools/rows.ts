import type { Collection } from '../../client/control.ts';
import { ToolError } from '../service-address.ts';
import { rowsWhere, USUAL_LIMIT, type FoundRows, type RowsWanted } from '../matching-rows.ts';
import { clipped, fitting } from '../size.ts';
import {
  COUNT,
  from,
  LIST,
  OBJECT,
  optional,
  REMOVES,
  SETS,
  TEXT,
  tool,
  READS,
  type Schema,
} from '../tool.ts';

const COLLECTION: Schema = {
  type: 'string',
  minLength: 1,
  description:
    'A collection, such as organizations, users, memberships, connections or connected_accounts. list_rows without arguments names all.',
};
const ID: Schema = { type: 'string', minLength: 1, description: 'The id of the row.' };
const EVENTS = from('Control_PatchRow', { default: false });
const ROW = { row: OBJECT };
interface ListArguments extends RowsWanted {
  collection?: Collection;
  id?: string;
}

interface EditArguments {
  collection: Collection;
  id: string;
  row: object;
  changes: object;
  events?: boolean;
}

export const rowTools = [
  tool<ListArguments>({
    name: 'list_rows',
    title: 'List rows',
    description:
      'Shows the stored rows. Without arguments: how many rows each collection has. With `collection`: its rows, filtered by `where`. With `id`: one row.',
    input: {
      collection: COLLECTION,
      id: ID,
      where: {
        type: 'object',
        description: 'Only rows whose members have these values, such as {"organization_id": "org_1"}.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        default: USUAL_LIMIT,
        description: 'The largest number of rows.',
      },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'How many rows to leave out first.' },
    },
    output: { rows: optional(LIST), total: optional(COUNT), counts: optional(OBJECT), more: optional(TEXT) },
    hints: READS,
    async run(args, { environment: { state } }) {
      const { collection, id } = args;
      if (collection === undefined && (id ?? args.where) !== undefined)
        throw new ToolError('collection: missing; id and where need a collection');
      if (collection === undefined) return viewOf(await state.counts());
      if (id === undefined) return pageView(await rowsWhere(state, collection, args), args);
      const row = await state.get(collection, id);
      return { text: JSON.stringify(row, null, 1), data: { rows: [row], total: 1 } };
    },
  }),

  tool<EditArguments>({
    name: 'put_row',
    title: 'Insert or replace a row',
    description:
      'Inserts a row, or replaces the row with this id. The row must be complete. The rules of the API do not apply, so that you can build a state that no call makes. Times may be written as now-1d. list_rows shows what rows of the collection look like.',
    input: {
      collection: COLLECTION,
      id: ID,
      row: { type: 'object', description: 'The members of the row.' },
      events: EVENTS,
    },
    required: ['collection', 'id', 'row'],
    output: ROW,
    hints: { ...REMOVES },
    async run({ collection, id, row, events = false }, { environment: { state } }) {
      const put = await state.put(collection, id, row, { events });
      return { text: `Stored in ${collection}:\n${JSON.stringify(put)}`, data: { row: put } };
    },
  }),

  tool<EditArguments>({
    name: 'patch_row',
    title: 'Change a row',
    description:
      'Changes members of a row without the rules of the API, such as {"membership_status": "INVITE_EXPIRED"}. null removes a member. Times may be written as now-1d.',
    input: {
      collection: COLLECTION,
      id: ID,
      changes: { type: 'object', description: 'The new values by member (JSON Merge Patch).' },
      events: EVENTS,
    },
    required: ['collection', 'id', 'changes'],
    output: ROW,
    hints: SETS,
    async run({ collection, id, changes, events = false }, { environment: { state } }) {
      const row = await state.patch(collection, id, changes, { events });
      return { text: `Changed in ${collection}:\n${JSON.stringify(row)}`, data: { row } };
    },
  }),

  tool<EditArguments>({
    name: 'delete_row',
    title: 'Delete a row',
    description: 'Deletes a row, and the rows that cannot exist without it.',
    input: { collection: COLLECTION, id: ID, events: EVENTS },
    required: ['collection', 'id'],
    output: { deleted: TEXT, dependents: OBJECT },
    hints: REMOVES,
    async run({ collection, id, events = false }, { environment: { state } }) {
      const dependents = await state.dependents(collection, id);
      await state.delete(collection, id, { events });
      const others = Object.values(dependents).flat().length;
      const text = `Deleted ${id} of ${collection}; ${others} other rows were deleted or changed with it.`;
      return { text, data: { deleted: id, dependents: clipped({ ...dependents }).value } };
    },
  }),
];

function viewOf(counts: Record<string, number>) {
  const filled = Object.entries(counts).filter(([, count]) => count > 0);
  const empty = Object.keys(counts).filter((name) => counts[name] === 0);
  const text = `${filled.map(([name, count]) => `${name}: ${count}`).join('\n')}\nWithout rows: ${empty.join(', ')}`;
  return { text, data: { counts } };
}

function pageView({ rows, total }: FoundRows, { collection, offset = 0 }: ListArguments) {
  const shown = fitting(rows.map((row) => clipped(row, 8000).value));
  const next = offset + shown.length;
  const more =
    next < total ? `${total - next} more: list_rows with offset ${next}, or narrow with where.` : undefined;
  const head = `${shown.length} of ${total} rows of ${collection}.`;
  return {
    text: [head, ...shown.map((row) => JSON.stringify(row)), ...(more === undefined ? [] : [more])].join(
      '\n',
    ),
    data: { rows: shown, total, ...(more !== undefined && { more }) },
  };
}
