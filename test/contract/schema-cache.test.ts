import { expect, it } from 'vitest';
import { SchemaCache } from '../../src/contract/validators.ts';
import { readContract } from '../../src/documents.ts';

const namesIn = (value: object) =>
  Array.from(JSON.stringify(value).matchAll(/"schema:([^"]+)"/g), ([, name]) => name!);

it.each(['openapi', 'control'] as const)(
  'each operation of %s finds every schema that it needs, whichever is called first',
  (document) => {
    const { operations, schemas } = readContract(document);
    for (const operation of operations) {
      const supplied: string[] = [];
      const needed = new Set(namesIn(operation));
      const shelf = new SchemaCache(schemas, [
        {
          addSchema(schema, name) {
            expect(schema).toBe(schemas[name.replace('schema:', '')]);
            supplied.push(name.replace('schema:', ''));
            for (const inner of namesIn(schema)) needed.add(inner);
          },
        },
      ]);

      shelf.supply(operation);
      shelf.supply(operation);

      expect([operation.id, supplied.toSorted()]).toEqual([operation.id, [...needed].toSorted()]);
    }
  },
);
