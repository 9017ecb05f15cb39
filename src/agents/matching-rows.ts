import type { Collection, StateControl } from '../client/control.ts';

export const USUAL_LIMIT = 20;
/** Rows in one call. */
const PAGE = 1000;

/** Which rows of a collection an agent wants. */
export interface RowsWanted {
  /** Values of members, compared as JSON. */
  where?: Record<string, unknown>;
  limit?: number;
  offset?: number;
}

export interface FoundRows {
  rows: object[];
  /** All rows that match. */
  total: number;
}

/** Reads the wanted page alone, or with `where` the rows that may match. */
export async function rowsWhere(
  state: StateControl,
  collection: Collection,
  { where = {}, limit = USUAL_LIMIT, offset = 0 }: RowsWanted,
): Promise<FoundRows> {
  const wanted = Object.entries(where).map(([name, value]) => [name, JSON.stringify(value)] as const);
  if (wanted.length === 0) return state.page(collection, { limit: Math.min(limit, PAGE), offset });
  const contains = textOf(where);
  const rows: object[] = [];
  let total = 0;
  for (let read = 0, left = true; left; read += PAGE) {
    const page = await state.page(collection, { ...(contains && { contains }), limit: PAGE, offset: read });
    for (const row of page.rows) {
      const members = row as unknown as Record<string, unknown>;
      if (!wanted.every(([name, json]) => JSON.stringify(members[name]) === json)) continue;
      if (total >= offset && rows.length < limit) rows.push(row);
      total += 1;
    }
    left = read + PAGE < page.total;
  }
  return { rows, total };
}

/** A text that the JSON of each matching row has: the service leaves out most others. */
function textOf(where: Record<string, unknown>): string | undefined {
  const text = Object.values(where).find((value) => typeof value === 'string' && value.length <= 200);
  return text === undefined ? undefined : JSON.stringify(text).slice(1, -1);
}
