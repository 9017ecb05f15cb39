import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExpressionError, readExpression } from '../src/expression.ts';

function faultOf(source: string): string | undefined {
  try {
    readExpression(source);
    return undefined;
  } catch (thrown) {
    return (thrown as ExpressionError).message;
  }
}

const text = fc.string({ unit: fc.constantFrom(...'abcxyzABZ019_-!,/ .\n'), maxLength: 6 });

const atom = fc.constantFrom(
  ...'abcxyzABZ019_-!,/ ',
  '.',
  '\\.',
  '\\d',
  '\\W',
  '[a-c]',
  '[^a-c1]',
  '\\u0041',
  '\\x41',
  '\\t',
);
const assertion = fc.constantFrom('^', '$', '\\b', '\\B');
const quantifier = fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '{2}', '{0,1}', '{1,}', '{1,3}');

const { expression } = fc.letrec<{ expression: string; term: string }>((tie) => ({
  expression: fc
    .array(fc.array(fc.oneof({ depthSize: 'small' }, tie('term'), assertion), { maxLength: 4 }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.map((each) => each.join('')).join('|')),
  term: fc
    .tuple(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        tie('expression').map((inner) => `(${inner})`),
        tie('expression').map((inner) => `(?:${inner})`),
      ),
      quantifier,
    )
    // V8 itself can answer wrongly about a repeated group that may be empty: `(((|a){2}|)+|){2}^$|` and the like.
    .map(([each, times]) => (new RegExp(`^(?:${each})$`).test('') ? each : each + times)),
}));

describe('a regular expression of a rule', () => {
  it('means what it means in JavaScript, where the syntax is the same', () => {
    fc.assert(
      fc.property(
        expression,
        fc.boolean(),
        fc.array(text, { minLength: 1, maxLength: 8 }),
        (source, any, texts) => {
          fc.pre(faultOf(source) === undefined); // counts in counts can be too large
          const { test } = readExpression(any ? `(?i)${source}` : source);
          const native = new RegExp(source, any ? 'i' : '');

          expect(texts.map((each) => [each, test(each)])).toEqual(
            texts.map((each) => [each, native.test(each)]),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['\\u0041', 'A'],
    ['\\cA', '\u0001'],
    ['^[^]$', '\n'],
    ['(?<name>a)b', 'ab'],
    ['(?s)^.$', '\n'],
    ['(?m)^b$', 'a\nb'],
    ['^\\p{L}$', 'é'],
    ['^.$', '😀'],
    ['\\\\1', '\\1'],
  ])('%s matches %j', (written, given) => {
    expect(readExpression(written).test(given)).toBe(true);
  });

  it.each([
    ['a(?=b)', 'has a look-ahead or look-behind: (?=; the syntax of RE2 has none'],
    ['a(?!b)', 'has a look-ahead or look-behind: (?!; the syntax of RE2 has none'],
    ['(?<=a)b', 'has a look-ahead or look-behind: (?<=; the syntax of RE2 has none'],
    ['(?<!a)b', 'has a look-ahead or look-behind: (?<!; the syntax of RE2 has none'],
    ['(a)\\1', 'has a back reference: \\1; the syntax of RE2 has none'],
    ['(?<x>a)\\k<x>', 'has a back reference: \\k<x>; the syntax of RE2 has none'],
    ['a{1001}', 'is not a regular expression of RE2: invalid repeat count: `{1001}`'],
    ['(a{40}){40}', 'is not a regular expression of RE2: invalid repeat count: `{40}`'],
    ['x{0,1000}y{0,1000}', 'is too large after its counts are expanded'],
    ['[a', 'is not a regular expression of RE2: missing closing ]: `[a`'],
  ])('%s is refused with the reason', (written, fault) => {
    expect(faultOf(written)).toBe(fault);
  });

  it.each([
    ['(a|aa)+$', `${'a'.repeat(5000)}!`],
    ['^(.*a){25}$', `${'a'.repeat(5000)}!`],
    ['(?:.*){20}b$', 'a'.repeat(5000)],
    ['^(a+)+$', `${'a'.repeat(5000)}!`],
  ])('%s is fast on a text that almost matches', (written, given) => {
    expect(faultOf(written)).toBeUndefined();
    expect(readExpression(written).test(given)).toBe(false);
  });
});

describe('a pattern of a JSON Schema', () => {
  it.each([
    ['^.$', '😀'],
    ['^[^a]$', '😀'],
    ['^\\u{1F600}+$', '😀😀'],
    ['^[😀-😂]$', '😁'],
    ['^\\p{L}$', 'é'],
  ])('%s matches %j, as in JavaScript', (source, given) => {
    expect([readExpression(source).test(given), new RegExp(source, 'u').test(given)]).toEqual([true, true]);
  });

  it('is refused with its unsupported construct', () => {
    expect(() => readExpression('^(?!a)')).toThrow('has a look-ahead or look-behind: (?!');
  });
});
