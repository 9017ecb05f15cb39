import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findExpressionFault, readExpression, readPattern } from '../../src/text/expression.ts';

/** The same expression in JavaScript. */
const native = (source: string, flags: string) => new RegExp(source, flags);

const unit = fc.constantFrom(
  ...'abcxyzABZ019_-!.,/ ',
  ...'\u00a0\ufeff\u2028\u2029\u1680\u180e\u200b\u3000\t\n\r\v\f\0',
  ...'éÉßſKµÅåΣσςıİǅ',
  '\ud83d',
  '\ude00',
  '😀',
);
const text = fc.array(unit, { maxLength: 6 }).map((units) => units.join(''));

const literal = fc.constantFrom(
  ...'abcxyzABZ019_-!,/ é',
  '\u00a0',
  'ſ',
  'K',
  'Σ',
  '\\.',
  '\\/',
  '\\-',
  '\\u0041',
  '\\u{2}',
  '\\x41',
  '\\x4',
  '\\u00',
  '\\cA',
  '\\c1',
  '\\0',
  '\\7',
  '\\12',
  '\\8',
  '\\k',
  '\\t',
  '\\n',
  '\\v',
  '\\a',
  '\\e',
  '\\z',
  '\\A',
  '\\Q',
  '\\p{L}',
  ']',
  '}',
  '{',
  '{,3}',
  '😀',
  '\\ud83d',
);
const range = fc.constantFrom(
  'a-c',
  'A-z',
  '0-9',
  '\\x00-\\xff',
  '\\u0000-\\uffff',
  '\ud800-\udfff',
  ' --',
  '\\cA-\\cZ',
);
const escape = fc.constantFrom('\\d', '\\D', '\\w', '\\W', '\\s', '\\S');
const inClass = fc.oneof(
  fc.constantFrom(
    ...'abz09_é. $()*+?{}|/',
    'K',
    '\\]',
    '\\\\',
    '\\b',
    '\\B',
    '\\-',
    '\\c1',
    '\\c_',
    '\\c',
    '\\u0041',
    '\\e',
  ),
  range,
  escape,
  fc.constantFrom('\\w-z', 'a-\\d', '-', '^'),
);
const set = fc
  .tuple(fc.constantFrom('[', '[^'), fc.array(inClass, { maxLength: 4 }))
  .map(([open, members]) => `${open}${members.join('')}]`);
const assertion = fc.constantFrom('^', '$', '\\b', '\\B');
const quantifier = fc.constantFrom(
  '',
  '',
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0}',
  '{0,1}',
  '{1,}',
  '{1,3}',
  '{2,}?',
);

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
        literal,
        fc.constant('.'),
        escape,
        set,
        tie('expression').map((inner) => `(${inner})`),
        tie('expression').map((inner) => `(?:${inner})`),
      ),
      quantifier,
    )
    .map(([atom, times]) => atom + times),
}));

const isExpression = ([source, flags]: [string, string]) => {
  try {
    native(source, flags);
    return true;
  } catch {
    return false;
  }
};

describe('a regular expression of a rule', () => {
  it('matches as in JavaScript, for any text', () => {
    const flags = fc.constantFrom('', 'i', 's', 'is');
    fc.assert(
      fc.property(
        fc.tuple(expression, flags).filter(isExpression),
        fc.array(text, { minLength: 1, maxLength: 8 }),
        ([source, given], texts) => {
          const written = given === '' ? source : `(?${given})${source}`;
          fc.pre(findExpressionFault(written) === undefined && !/^\(\?[ims]+\)/.test(source));
          const { test } = readExpression(written);

          expect(texts.map((each) => [each, test(each)])).toEqual(
            texts.map((each) => [each, native(source, given).test(each)]),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['\\s', '\u00a0'],
    ['\\s', '\ufeff'],
    ['^\\S$', '\u180e'],
    ['\\u0041', 'A'],
    ['^\\u{3}$', 'uuu'],
    ['\\cA', '\u0001'],
    ['^[^]$', '\n'],
    ['^a$', 'a\n'],
    ['^.$', '\r'],
    ['^.$', '\u2028'],
    ['(?s)^.$', '\n'],
    ['(?i)^k$', '\u212a'],
    ['(?i)^s$', 'ſ'],
    ['(?i)^σ$', 'ς'],
    ['(?i)^ß$', 'ẞ'],
    ['^.$', '😀'],
    ['^..$', '😀'],
    ['^[😀]$', '\ud83d'],
    ['\\bé', 'aé'],
    ['\\z', 'z'],
    ['\\A', 'A'],
    ['\\pL', 'pL'],
    ['\\Qa', 'Qa'],
    ['[[:alpha:]]', 'a]'],
    ['^\\1$', '\u0001'],
    ['(?<name>a)b', 'ab'],
    ['a{,3}', 'a{,3}'],
    ['^(?:a{0})$', ''],
  ])('%s matches as in JavaScript for %j', (written, given) => {
    const [, flags = '', source = ''] = /^(?:\(\?([ims]+)\))?([^]*)$/.exec(written)!;

    expect(readExpression(written).test(given)).toBe(native(source, flags).test(given));
  });

  it.each([
    ['a(?=b)', 'has a look-ahead: (?=, at character 2'],
    ['a(?!b)', 'has a look-ahead: (?!, at character 2'],
    ['(?<=a)b', 'has a look-behind: (?<=, at character 1'],
    ['(?<!a)b', 'has a look-behind: (?<!, at character 1'],
    ['(?i)(a)\\1', 'has a back reference: \\1, at character 8'],
    ['(?<x>a)\\k<x>', 'has a back reference: \\k<x>, at character 8'],
    ['a{1001}', 'has a count over 1000: {1001}, at character 1'],
    ['(a{40}){40}', 'is too large after its counts are expanded: {40}, at character 1'],
    ['(?m)^a$', 'has the flag m, which lets ^ and $ stand inside the text, at character 1'],
  ])('%s is refused with its unsupported construct and position', (written, fault) => {
    expect(findExpressionFault(written)).toBe(`${fault}; expressions are matched in linear time, without it`);
  });

  it.each([
    ['(a|aa)+$', `${'a'.repeat(5000)}!`],
    ['^(.*a){25}$', `${'a'.repeat(5000)}!`],
    ['(?:.*){20}b$', 'a'.repeat(5000)],
    ['^(a+)+$', `${'a'.repeat(5000)}!`],
  ])('%s is fast on a text that almost matches', (written, given) => {
    expect(findExpressionFault(written)).toBeUndefined();
    expect(readExpression(written).test(given)).toBe(false);
  });
});

describe('a pattern of a JSON Schema', () => {
  it.each([
    ['^.$', '😀'],
    ['^.$', '\n'],
    ['^[^a]$', '😀'],
    ['^\\W$', '😀'],
    ['^\\u{1F600}+$', '😀😀'],
    ['^\\ud83d\\ude00$', '😀'],
    ['^[😀-😂]$', '😁'],
    ['^\\s$', '\u00a0'],
    ['^(a|aa)+$', `${'a'.repeat(60)}!`],
  ])('%s matches as in JavaScript for %j', (source, given) => {
    const isEvil = source === '^(a|aa)+$';

    expect(readPattern(source).test(given)).toBe(isEvil ? false : new RegExp(source, 'u').test(given));
  });

  it('is refused with its unsupported construct', () => {
    expect(() => readPattern('^(?!a)')).toThrow('has a look-ahead: (?!');
    expect(() => readPattern('\\p{L}')).toThrow('has a property: \\p{L}');
  });
});
