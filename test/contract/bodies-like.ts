import fc from 'fast-check';
import type { Documented } from './bad-requests.ts';

/** Bodies like those of the operation, with random values in some members. */
export function bodiesLike({ body, broken }: Documented): fc.Arbitrary<unknown> {
  const bodies = [body, ...broken.map((each) => each.body)];
  const members = [
    ...new Set(bodies.flatMap((each) => (typeof each === 'object' && each ? Object.keys(each) : []))),
  ];
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '\u0000', '🦉', 'org_1', 'now-1d', '__proto__'),
  );
  const values = fc.oneof(texts, fc.integer(), fc.constant(null), fc.jsonValue({ maxDepth: 3 }));
  const changes = fc.dictionary(fc.constantFrom(...members, 'stranger'), values);
  return fc
    .tuple(fc.constantFrom(...bodies), changes)
    .map(([base, change]) =>
      typeof base === 'object' && base !== null && !Array.isArray(base) ? { ...base, ...change } : base,
    );
}
