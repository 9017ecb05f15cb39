import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadlines, type Deadline } from '../../src/state/deadlines.ts';

const due = (id: string, at: number): Deadline => ({ at, collection: 'sessions', id });

describe('the deadlines of an environment', () => {
  it('drop outdated entries and nothing else', () => {
    const step = fc.record({ id: fc.integer({ min: 0, max: 40 }), at: fc.integer({ min: 0, max: 500 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 2500, maxLength: 4000 }), (steps) => {
        const rows = new Map<string, number>();
        const isLive = ({ id, at }: Deadline) => rows.get(id) === at;
        const deadlines = new Deadlines([]);
        for (const { id, at } of steps) {
          rows.set(`ses_${id}`, at);
          deadlines.add(due(`ses_${id}`, at), isLive);
        }

        const taken: Deadline[] = [];
        for (let next = deadlines.takeDue(1000); next; next = deadlines.takeDue(1000)) taken.push(next);

        const live = new Set(taken.filter(isLive).map(({ id }) => id));
        expect(live).toEqual(new Set(rows.keys()));
        expect(taken.map(({ at }) => at)).toEqual(taken.map(({ at }) => at).toSorted((a, b) => a - b));
        expect(taken.length).toBeLessThanOrEqual(1001);
      }),
      { numRuns: 20 },
    );
  });
});
