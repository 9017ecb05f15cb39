import type { Collection, RowListOptions } from '@understudy/client/control';
import { ToolError } from '../service-address.ts';
import { clipped, fitting } from '../size.ts';
import { ADDS, from, OBJECT, READS, REMOVES, tool, type Schema } from '../tool.ts';

const COLLECTION: Schema = {
  type: 'string',
  minLength: 1,
  description: 'Such as organizations; list_rows alone names all',
};
const ID: Schema = { type: 'string', minLength: 1 };
const EVENTS = from('Control_PatchRow', { default: false, description: 'Emit events and webhooks' });
/** The control API gives as many in one call. */
const MOST = 1000;
const USUAL_LIMIT = 20;

interface ListArguments extends Pick<RowListOptions, 'where' | 'limit' | 'offset' | 'at'> {
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
    description: 'Shows stored rows. Without arguments: how many each collection has.',
    input: {
      collection: COLLECTION,
      id: ID,
      where: {
        type: 'object',
        description: 'Values of members: {"organization_id": "org_1"}',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        default: USUAL_LIMIT,
      },
      offset: { type: 'integer', minimum: 0, default: 0 },
      at: {
        type: 'string',
        minLength: 1,
        description: 'A moment instead of now: req_17, a time, or a number of commits',
      },
    },
    hints: READS,
    async run(args, { environment: { state } }) {
      const { collection, id, at } = args;
      if (collection === undefined && (id ?? args.where) !== undefined)
        throw new ToolError('collection: missing; id and where need a collection');
      if (collection === undefined) return viewOf(await state.counts({ at }));
      const { where, limit = USUAL_LIMIT, offset = 0 } = args;
      const wanted = { where, limit: Math.min(limit, MOST), offset, at };
      if (id === undefined) return pageView(await state.page(collection, wanted), args);
      const row = await state.get(collection, id, { at });
      return { text: JSON.stringify(row, null, 1), data: { rows: [row], total: 1 } };
    },
  }),

  tool<EditArguments>({
    name: 'put_row',
    description:
      'Inserts or replaces a row without the rules of the API, to build a state that no call makes. Times may be written as now-1d; times, empty lists and usual values may be left out.',
    input: {
      collection: COLLECTION,
      id: ID,
      row: OBJECT,
      events: EVENTS,
    },
    required: ['collection', 'id', 'row'],
    hints: REMOVES,
    async run({ collection, id, row, events = false }, { environment: { state } }) {
      const put = await state.put(collection, id, row, { events });
      return { text: `Stored in ${collection}:\n${JSON.stringify(put)}`, data: { row: put } };
    },
  }),

  tool<EditArguments>({
    name: 'patch_row',
    description:
      'Changes members of a row without the rules of the API: {"membership_status": "INVITE_EXPIRED"}. null removes one.',
    input: {
      collection: COLLECTION,
      id: ID,
      changes: OBJECT,
      events: EVENTS,
    },
    required: ['collection', 'id', 'changes'],
    hints: ADDS,
    async run({ collection, id, changes, events = false }, { environment: { state } }) {
      const row = await state.patch(collection, id, changes, { events });
      return { text: `Changed in ${collection}:\n${JSON.stringify(row)}`, data: { row } };
    },
  }),

  tool<EditArguments>({
    name: 'delete_row',
    description: 'Deletes a row, and the rows that cannot exist without it.',
    input: { collection: COLLECTION, id: ID, events: EVENTS },
    required: ['collection', 'id'],
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

function pageView(
  { rows, total }: { rows: object[]; total: number },
  { collection, offset = 0 }: ListArguments,
) {
  const shown = fitting(rows.map((row) => clipped(row, 8000).value));
  const next = offset + shown.length;
  const more =
    next < total ? `${total - next} more: list_rows with offset ${next}, or narrow with where.` : undefined;
  const head = `${shown.length} of ${total} rows of ${collection}.`;
  return {
    text: [head, ...shown.map((row) => JSON.stringify(row)), ...(more === undefined ? [] : [more])].join(
      '\n',
    ),
    data: { rows: shown, total, more },
  };
}
