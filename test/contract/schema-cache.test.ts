import { expect, it } from 'vitest';
import { SchemaCache } from '../../src/contract/validation-library.ts';
import { readContract } from '../../src/contract/documents.ts';

const namesIn = (value: object) =>
  Array.from(JSON.stringify(value).matchAll(/"schema:([^"]+)"/g), ([, name]) => name!);

it.each(['openapi', 'control'] as const)(
  'the schema cache supplies each operation of %s with all schemas that it needs',
  (document) => {
    const { operations, schemas } = readContract(document);
    for (const operation of operations) {
      const supplied: string[] = [];
      const needed = new Set(namesIn(operation));
      const cache = new SchemaCache(schemas, [
        {
          addSchema(schema, name) {
            expect(schema).toBe(schemas[name.replace('schema:', '')]);
            supplied.push(name.replace('schema:', ''));
            for (const inner of namesIn(schema)) needed.add(inner);
          },
        },
      ]);

      cache.supply(operation);
      cache.supply(operation);

      expect([operation.id, supplied.toSorted()]).toEqual([operation.id, [...needed].toSorted()]);
    }
  },
);
