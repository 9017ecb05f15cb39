import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canMeet, globTest, pathTest } from '../src/glob.ts';

const escaped = (text: string) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&');
const expressionOf = (glob: string) => new RegExp(`^${glob.split('*').map(escaped).join('.*')}$`, 's');
const pathExpressionOf = (glob: string) =>
  new RegExp(
    `^${glob
      .split(/\{[^}]*\}/)
      .map((part) => part.split('*').map(escaped).join('.*'))
      .join('[^/]+')}$`,
    's',
  );

const letters = (...units: string[]) =>
  fc.array(fc.constantFrom(...units), { maxLength: 8 }).map((all) => all.join(''));

/** Follows the definition and tries all possibilities. */
function canMeetSlowly(glob: string, tokens: readonly string[]): boolean {
  const [token, ...rest] = tokens;
  const [letter, others] = [glob[0], glob.slice(1)];
  if (letter === '*')
    return canMeetSlowly(others, tokens) || (token !== undefined && canMeetSlowly(glob, rest));
  if (letter === undefined || token === undefined) return letter === token;
  if (token.length === 1) return letter === token && canMeetSlowly(others, rest);
  return (
    (letter !== '/' || token === '{**}') && (canMeetSlowly(others, rest) || canMeetSlowly(others, tokens))
  );
}

describe('a glob', () => {
  it('matches like a regular expression with .* for each *', () => {
    fc.assert(
      fc.property(
        letters('a', 'b', '.', '\n', '*', '(', '{'),
        letters('a', 'b', '.', '\n', '('),
        (glob, text) => {
          expect(globTest(glob)(text)).toBe(expressionOf(glob).test(text));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('of a path matches one segment, or a part of it, with each variable', () => {
    fc.assert(
      fc.property(letters('a', 'b', '/', '*', '{id}', '{}'), letters('a', 'b', '/', '{'), (glob, text) => {
        expect(pathTest(glob)(text)).toBe(pathExpressionOf(glob).test(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('can match a path template when some value of the template matches', () => {
    fc.assert(
      fc.property(letters('a', '/', 'b', '*'), letters('a', '/', '{x}', '{**}'), (glob, template) => {
        expect(canMeet(glob, template)).toBe(canMeetSlowly(glob, template.match(/\{[^}]*\}|./g) ?? []));
      }),
      { numRuns: 3000 },
    );
  });

  it('is fast on a text that almost matches', () => {
    const text = 'a'.repeat(20_000);

    expect(globTest(`${'*a'.repeat(90)}!`)(text)).toBe(false);
    expect(pathTest(`/${'{a}'.repeat(60)}!`)(`/${text}`)).toBe(false);
    expect(canMeet(`/${'*a'.repeat(90)}!`, `/${'a'.repeat(2000)}`)).toBe(false);
  });
});
