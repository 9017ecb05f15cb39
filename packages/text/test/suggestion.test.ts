import { describe, expect, it } from 'vitest';
import { nearest } from '../src/suggestion.ts';

const idsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `org_${30_000_000_000_000_000n + BigInt(n * 37)}`);

describe('The most similar of very many names', () => {
  const names = idsOf(20_000);

  it.each([
    ['a changed letter', 'org_3000000000000037x'],
    ['a missing digit', 'org_3000000000000037'],
    ['two digits in the other order', 'org_30000000000000307'],
    ['another case', 'ORG_30000000000000370'],
  ])('has one slip: %s', (_slip, word) => {
    expect(nearest(word, names)).toMatch(
      /^org_30000000000000(370|407)$|^org_3000000000000(0370|0037|03\d\d)$/,
    );
  });

  it('is none if each differs in several places', () => {
    expect(nearest('usr_10000000000000101', names)).toBeUndefined();
  });
});
