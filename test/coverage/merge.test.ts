import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CoverageReport, CoverageRun, Promised } from '../../src/coverage/report.ts';
import { mergeReports, reportOf } from '../../src/coverage/tally.ts';

const BINDINGS = ['One', 'One2', 'Two'];

const PROMISED: Promised = {
  contract: { version: '1.0.0', digest: 'd' },
  tags: [{ name: 'All' }],
  operations: [operation('One', [200, 404], ['One', 'One2']), operation('Two', [201], ['Two'])],
  failures: [404, 429],
  events: ['user.login', 'user.logout'],
};

function operation(id: string, expected: number[], bindings: string[]) {
  return {
    id,
    tag: 'All',
    summary: '',
    calls: 0,
    declared: [...expected, 429],
    responses: expected.map((status) => ({ status, expected: true, seen: 0 })),
    bindings: bindings.map((binding) => ({ id: binding, method: 'GET', path: `/${binding}`, calls: 0 })),
  };
}

const count = fc.integer({ min: 1, max: 50 });
const counts = (names: string[]) =>
  fc.dictionary(fc.constantFrom(...names), fc.dictionary(fc.constantFrom('200', '201', '404', '429'), count));
const rules = fc.uniqueArray(
  fc.record({
    scenario: fc.constantFrom('a', 'b'),
    rule: fc.nat(2),
    on: fc.constant('*'),
    loaded: count,
    fired: fc.nat(9),
  }),
  { selector: ({ scenario, rule }) => `${scenario} ${rule}` },
);
const run: fc.Arbitrary<CoverageRun> = fc.record({
  id: fc.constantFrom('r1', 'r2', 'r3', 'r4'),
  environment: fc.constant('*'),
  answers: counts(BINDINGS),
  violations: fc.constant({}),
  strangers: counts(['GET /nowhere', 'PUT /x']),
  events: fc.dictionary(fc.constantFrom('user.login', 'user.logout'), count),
  rules,
});
const report = fc
  .uniqueArray(run, { selector: ({ id }) => id, minLength: 1 })
  .map((runs) => mergeReports([reportOf(PROMISED, runs)]));

/** Few runs, because each one merges several times. */
const RUNS = { numRuns: 30 };

const merge = (...reports: [CoverageReport, ...CoverageReport[]]) => JSON.stringify(mergeReports(reports));

describe('merging reports', () => {
  it('has the same result in any order', () => {
    fc.assert(
      fc.property(report, report, (a, b) => {
        expect(merge(a, b)).toBe(merge(b, a));
      }),
      RUNS,
    );
  });

  it('has the same result in any grouping', () => {
    fc.assert(
      fc.property(report, report, report, (a, b, c) => {
        expect(merge(mergeReports([a, b]), c)).toBe(merge(a, mergeReports([b, c])));
      }),
      RUNS,
    );
  });

  it('counts duplicate reports once', () => {
    fc.assert(
      fc.property(report, report, (a, b) => {
        expect(merge(a, a)).toBe(merge(a));
        expect(merge(mergeReports([a, b]), a, b)).toBe(merge(a, b));
      }),
      RUNS,
    );
  });

  it('adds up different runs, and uses the later of two reports of one run', () => {
    const seen = (id: string, times: number) =>
      reportOf(PROMISED, [
        {
          id,
          environment: '*',
          answers: { One: { 200: times } },
          violations: {},
          strangers: {},
          events: { 'user.login': times },
          rules: [],
        },
      ]);

    const { summary, operations, events } = mergeReports([seen('x', 2), seen('y', 3), seen('x', 5)]);

    expect(summary.calls).toBe(8);
    expect(events).toEqual([
      { type: 'user.login', seen: 8 },
      { type: 'user.logout', seen: 0 },
    ]);
    expect(summary.events).toEqual({ covered: 1, total: 2, percent: 50 });
    expect(operations[0]).toMatchObject({ calls: 8, responses: [{ seen: 8 }, { seen: 0 }] });
    expect(summary.responses).toEqual({ covered: 1, total: 3, percent: 33.3 });
  });

  it('never covers less than each report', () => {
    fc.assert(
      fc.property(report, report, (a, b) => {
        const { summary } = mergeReports([a, b]);
        expect(summary.operations.covered).toBeGreaterThanOrEqual(a.summary.operations.covered);
        expect(summary.responses.covered).toBeGreaterThanOrEqual(b.summary.responses.covered);
      }),
      RUNS,
    );
  });
});
