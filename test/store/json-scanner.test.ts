import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDamage, findValue } from '../../src/store/stored-json.ts';

describe('the position of a JSON error', () => {
  const damaged = fc
    .tuple(fc.json(), fc.nat(), fc.nat(2), fc.constantFrom('"', '{', ']', ',', '\\', '0', 'e', '\n', ' '))
    .map(
      ([text, at, cut, put]) =>
        text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut),
    );

  it('exists exactly when JSON.parse fails', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        expect(findDamage(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('is found for any value by its path', () => {
    const text = '{ "a": [1, {"b\\u0021": "x", "c": null}], "d": 2 }';

    const starts = [['a'], ['a', 1, 'b!'], ['a', 1, 'c'], ['d'], ['a', 7]].map((path) =>
      text.slice(findValue(text, path)),
    );

    expect(starts.map((start) => start.slice(0, 4))).toEqual(['[1, ', '"x",', 'null', '2 }', '[1, ']);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
