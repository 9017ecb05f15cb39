import { nextTurn } from '../scenarios/steps.ts';
import type { Tables } from '../state/env.ts';
import { anyTable, COLLECTIONS, countRows } from '../state/schema.ts';
import type { Collections } from '../store/change-log.ts';
import { StreamReply } from './handler.ts';

export type Row = Record<string, unknown> & { id: string };

/** A large state is written piece by piece. Nothing may be written to the tables meanwhile. */
export const stateReply = (tables: Tables): Collections | StreamReply =>
  countRows(tables) > PIECE
    ? new StreamReply('application/json', stateInPieces(tables))
    : Object.fromEntries(COLLECTIONS.map((name) => [name, anyTable(tables, name).list()]));

/** How many rows are written at once. */
export const PIECE = 250;

/** A large state, written piece by piece as the caller reads it, with other calls in between. */
export async function* stateInPieces(
  tables: Tables,
  shown: (collection: string, row: Row) => object = (_, row) => row,
): AsyncGenerator<string> {
  let before = '{';
  for (const name of COLLECTIONS) {
    yield `${before}${JSON.stringify(name)}:[`;
    yield* rowsInPieces(anyTable(tables, name).list(), (row) => shown(name, row));
    before = '],';
  }
  yield ']}';
}

export async function* rowsInPieces<T>(
  rows: readonly T[],
  shown: (row: T) => object,
): AsyncGenerator<string> {
  for (let at = 0; at < rows.length; at += PIECE) {
    await nextTurn();
    const piece = rows.slice(at, at + PIECE).map(shown);
    yield (at === 0 ? '' : ',') + JSON.stringify(piece).slice(1, -1);
  }
}
