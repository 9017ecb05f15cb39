import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter, type Comparison, type Filter } from '../src/filter.ts';
import { resourceMatcher } from '../src/matching.ts';
import { ScimRefusal } from '../src/refusal.ts';
import { USER } from '../src/schemas.ts';

const PATHS = ['userName', 'title', 'name.familyName', 'emails.value', 'active', 'meta.created'];
const COMPARISONS: Comparison[] = ['eq', 'ne', 'co', 'sw', 'ew'];

const { filter } = fc.letrec<{ filter: Filter; leaf: Filter }>((tie) => ({
  leaf: fc.oneof(
    fc.record({ kind: fc.constant('present' as const), path: fc.constantFrom(...PATHS) }),
    fc.record({
      kind: fc.constant('compare' as const),
      path: fc.constantFrom(...PATHS),
      comparison: fc.constantFrom(...COMPARISONS),
      value: fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.constant(null)),
    }),
  ),
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fc.record({ kind: fc.constant('not' as const), part: tie('filter') }),
    fc.record({
      kind: fc.constant('some' as const),
      path: fc.constant('emails'),
      part: fc.constant(parseFilter('type eq "work"')),
    }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
    }),
  ),
}));

/** As a client writes it, with brackets around each part. */
function written(filter: Filter): string {
  switch (filter.kind) {
    case 'present':
      return `${filter.path} pr`;
    case 'compare':
      return `${filter.path} ${filter.comparison.toUpperCase()} ${JSON.stringify(filter.value)}`;
    case 'not':
      return `not (${written(filter.part)})`;
    case 'some':
      return `${filter.path}[${written(filter.part)}]`;
    default:
      return filter.parts.map((part) => `(${written(part)})`).join(` ${filter.kind} `);
  }
}

const value = fc.oneof(fc.string(), fc.constantFrom('work', 'Mia', 'x'));
const user = fc.record(
  {
    userName: value,
    title: value,
    active: fc.boolean(),
    name: fc.record({ familyName: value }),
    emails: fc.array(fc.record({ value, type: value })),
  },
  { requiredKeys: ['userName'] },
);

describe('a filter', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(filter, (each) => {
        expect(parseFilter(written(each))).toEqual(each);
      }),
    );
  });

  it('finds with `not` what it does not find without', () => {
    fc.assert(
      fc.property(filter, user, (each, resource) => {
        const [is, isNot] = [written(each), `not (${written(each)})`].map((text) =>
          resourceMatcher(USER, parseFilter(text)),
        );
        expect(isNot!(resource)).toBe(!is!(resource));
      }),
    );
  });

  it('finds without regard to the order of its parts, and to letter case', () => {
    fc.assert(
      fc.property(filter, filter, user, fc.constantFrom('and', 'or'), (one, two, resource, joined) => {
        const [forth, back] = [
          [one, two],
          [two, one],
        ].map((parts) =>
          resourceMatcher(USER, parseFilter(parts.map((part) => `(${written(part)})`).join(` ${joined} `))),
        );
        expect(forth!(resource)).toBe(back!(resource));
      }),
    );
  });

  it('is refused as a filter if it is none, and never breaks', () => {
    const pieces = fc.array(
      fc.constantFrom(
        'userName',
        ' ',
        'eq',
        '"a"',
        '(',
        ')',
        '[',
        ']',
        '"',
        '\\',
        'not',
        'and',
        'or',
        'pr',
        '.',
        '__proto__',
        'emails',
        '1e999',
        '\u0000',
        'constructor',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((all) => all.join('')),
          pieces.map((all) => all.join(' ')),
        ),
        (text) => {
          try {
            resourceMatcher(USER, parseFilter(text));
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(ScimRefusal);
            expect((thrown as ScimRefusal).scimType).toBe('invalidFilter');
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['long', `userName eq "${'a'.repeat(5000)}"`, 'at most 4000 are read'],
    ['deep', `${'('.repeat(500)}userName pr${')'.repeat(500)}`, 'more than 20 brackets inside each other'],
    ['deep with not', `${'not ('.repeat(500)}userName pr${')'.repeat(500)}`, 'more than 20 brackets'],
    ['wide', Array(150).fill('userName pr').join(' or '), 'more than 100 comparisons'],
  ])('is refused if it is too %s', (_, text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });
});
