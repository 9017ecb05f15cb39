import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { page, type Page, type PageRequest } from '../../src/rows/page.ts';
import { FixtureTable } from '../../src/rows/fixture-table.ts';
import { Table } from '../../src/rows/table.ts';

interface Row {
  id: string;
  color: string;
}

type Direction = 'next_page_token' | 'prev_page_token';
type Edit = 'insert' | number;
type Step = { size: number; edits: Edit[] };
type Narrowing = Omit<PageRequest<Row>, 'size' | 'token'> & { order: 'newest' | 'oldest' };

const SHAPE = { name: 'rows', noun: 'row', indexes: { color: (row: Row) => row.color } };

/** A table whose rows are red and blue alternately; the first rows come from the fixture. */
class Rows {
  readonly table: Table<Row>;
  #made = 0;

  constructor(seeded: number) {
    const rows = Array.from({ length: seeded }, () => this.#make());
    this.table = new Table<Row>(SHAPE, new FixtureTable(rows, SHAPE.indexes), () => {});
  }

  /** Inserts a row, or deletes the row with this number if it exists. */
  edit(edits: readonly Edit[]): void {
    for (const edit of edits) {
      if (edit === 'insert') this.table.insert(this.#make());
      else if (this.table.find(`row_${edit}`)) this.table.remove(`row_${edit}`);
    }
  }

  /** All rows of the filtered list, in its order. */
  listed({ order, by, where }: Narrowing): string[] {
    const rows = this.table.list().filter((row) => (by || where ? row.color === 'red' : true));
    return (order === 'oldest' ? rows : rows.toReversed()).map((row) => row.id);
  }

  #make(): Row {
    const number = this.#made++;
    return { id: `row_${number}`, color: number % 2 === 0 ? 'red' : 'blue' };
  }
}

const idsOf = (shown: Page<Row>) => shown.rows.map((row) => row.id);

const size = fc.integer({ min: 1, max: 6 });
const edit = fc.oneof(fc.constant<Edit>('insert'), fc.nat({ max: 30 }));
const step = fc.record({ size, edits: fc.array(edit, { maxLength: 5 }) });
const seeded = fc.nat({ max: 20 });
const where = ({ color }: Row) => color === 'red';
const by = ['color', 'red'] as const;
const narrowing = fc.constantFrom<Narrowing>(
  { order: 'newest' },
  { order: 'oldest' },
  { order: 'newest', by },
  { order: 'oldest', by },
  { order: 'newest', where },
  { order: 'oldest', where },
);

/**
 * Walks in one direction to the end. Each step applies its edits before the next page; afterwards the list
 * does not change.
 */
function walk(rows: Rows, narrow: Narrowing, from: Page<Row>, direction: Direction, steps: readonly Step[]) {
  const before = rows.listed(narrow);
  const seen = idsOf(from);
  let at = from;
  for (let i = 0; at[direction] !== ''; i += 1) {
    const { size, edits } = steps[i] ?? { size: 3, edits: [] };
    rows.edit(edits);
    at = page(rows.table, { ...narrow, size, token: at[direction] });
    if (direction === 'next_page_token') seen.push(...idsOf(at));
    else seen.unshift(...idsOf(at));
  }
  return { at, seen, stayed: before.filter((id) => rows.table.find(id)) };
}

describe('paging through a list', () => {
  it('shows each remaining row once and in order, in both directions, while rows and page sizes change', () => {
    const steps = fc.array(step, { maxLength: 12 });

    fc.assert(
      fc.property(seeded, narrowing, size, steps, steps, (count, narrow, size, there, back) => {
        const rows = new Rows(count);

        const first = page(rows.table, { ...narrow, size });
        const forward = walk(rows, narrow, first, 'next_page_token', there);
        const backward = walk(rows, narrow, forward.at, 'prev_page_token', back);

        for (const { seen, stayed } of [forward, backward]) {
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => stayed.includes(id))).toEqual(stayed);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('may change direction at any page: pages continue exactly after or before the shown rows', () => {
    const turns = fc.array(fc.record({ step, forward: fc.boolean() }), { maxLength: 30 });

    fc.assert(
      fc.property(seeded, narrowing, size, turns, (count, narrow, size, moves) => {
        const rows = new Rows(count);
        let shown = page(rows.table, { ...narrow, size });
        let behind: string[] = [];
        let ahead = rows.listed(narrow).slice(size);

        for (const { step, forward } of moves) {
          const token = forward ? shown.next_page_token : shown.prev_page_token;
          if (token === '') continue;
          const left = idsOf(shown);
          rows.edit(step.edits);
          const now = rows.listed(narrow);
          const known = new Set([...behind, ...left, ...ahead]);
          const come = now.filter((id) => !known.has(id));
          const stays = (ids: string[]) => ids.filter((id) => now.includes(id));
          behind = stays([...(narrow.order === 'newest' ? come : []), ...behind, ...(forward ? left : [])]);
          ahead = stays([...(forward ? [] : left), ...ahead, ...(narrow.order === 'oldest' ? come : [])]);

          shown = page(rows.table, { ...narrow, size: step.size, token });
          const expected = forward ? ahead.splice(0, step.size) : behind.splice(-step.size);

          expect(shown).toEqual({
            rows: expected.map((id) => rows.table.get(id)),
            next_page_token: ahead.length > 0 ? expect.stringMatching(/^.{1,32}$/) : '',
            prev_page_token: behind.length > 0 ? expect.stringMatching(/^.{1,32}$/) : '',
            total_size: now.length,
          });
        }
      }),
      { numRuns: 1000 },
    );
  });
});
