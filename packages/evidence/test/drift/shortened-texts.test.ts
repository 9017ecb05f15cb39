import { expect, it } from 'vitest';
import { Contract } from '../../../../src/contract/contract.ts';
import { readContract } from '../../../../src/contract/documents.ts';
import { Pairs } from '../../src/drift/pairs.ts';
import { SchemaPlaces } from '../../src/drift/schema-place.ts';
import { ValueComparison } from '../../src/drift/value-comparison.ts';

const compare = (theirs: unknown, ours: unknown) => {
  const comparison = new ValueComparison({
    pairs: new Pairs('https://acme.example', 'http://localhost:8080'),
    places: new SchemaPlaces(new Contract(() => readContract('openapi'))),
    hasRows: false,
    began: 0,
    hasVariant: false,
  });
  comparison.compare({ at: 'body.image' }, { theirs, ours });
  return { kinds: comparison.found.all.map(({ kind }) => kind), noise: [...comparison.found.noise.keys()] };
};

it('bytes that a recording does not keep are no difference', () => {
  const text = '(40000 characters of bytes)';

  expect(compare(text, 'iVBORw0KGgo')).toEqual({
    kinds: [],
    noise: ['bytes that the recording does not keep'],
  });
  expect(compare('(40000 letters)', 'iVBORw0KGgo').kinds).toEqual(['value']);
  expect(compare(text, 5).kinds).toEqual(['type']);
});
