import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Contract } from '../../../../src/contract/contract.ts';
import { readContract } from '../../../../src/contract/documents.ts';
import type { Exchange } from '../../src/recordings/exchange.ts';
import { shapeOf } from '../../src/recordings/shape-of.ts';
import {
  emptyShape,
  mergeShapes,
  parentOf,
  presenceOf,
  readShape,
  writeShape,
} from '../../src/recordings/shape.ts';
import { exchange } from './exchanges.ts';

const contract = new Contract(() => readContract('openapi'));
const LIST = 'OrganizationService_ListOrganization';

const listing = (...organizations: object[]): Exchange =>
  exchange({ response: { json: { organizations, total_size: organizations.length } } });

const shapeIn = (...exchanges: Exchange[]) => shapeOf(exchanges, contract).operations[LIST]!['200']!;

test('a shape says in how many parents a field was, and its types and formats', () => {
  const shape = shapeIn(
    listing(
      { id: 'org_123456', create_time: '2026-03-01T09:00:00Z', region_code: 'US' },
      { id: 'org_123457', create_time: '2026-03-01T08:00:00Z', external_id: null },
    ),
    listing({ id: 'org_99', external_id: 'Äpfel' }),
  );

  expect(shape.examples).toBe(2);
  expect(shape.headers).toEqual({ 'content-type': 2 });
  expect(shape.fields['organizations[].id']).toEqual({
    present: 3,
    types: ['string'],
    formats: ['id org_', 'text'],
  });
  expect(shape.fields['organizations[].region_code']).toMatchObject({ values: ['US'] });
  expect(shape.fields['organizations[].external_id']).toMatchObject({
    types: ['null', 'string'],
    formats: ['text'],
  });
  expect(presenceOf(shape, 'organizations[].external_id')).toEqual({ in: 2, of: 3 });
  expect(presenceOf(shape, 'organizations[].create_time')).toEqual({ in: 2, of: 3 });
  expect(shape.fields['organizations']).toMatchObject({
    lists: 1,
    order: { 'id asc': 1, 'create_time desc': 1 },
    lengths: { '2': [1, 2] },
  });
});

test('a shape names statuses and error codes of REST, OAuth and RPCs', () => {
  const failed = (
    parts: Partial<Exchange>,
    status: number,
    json: object,
    trailers?: Record<string, string>,
  ) => exchange({ ...parts, response: { status, json, ...(trailers && { trailers }) } });
  const body = { code: 5, details: [{ error_code: 'RESOURCE_NOT_FOUND' }] };
  const { operations } = shapeOf(
    [
      failed({}, 404, body),
      failed({ protocol: 'grpc' }, 200, body, { 'grpc-status': '5' }),
      failed({ protocol: 'connect' }, 404, { ...body, code: 'not_found' }),
      failed({ protocol: 'oauth', operation: 'OAuth_Token' }, 400, { error: 'invalid_grant' }),
    ],
    contract,
  );

  const counts = Object.entries(operations[LIST]!).map(([status, { examples, errors }]) => [
    status,
    examples,
    errors,
  ]);
  expect(counts).toEqual([
    ['404', 1, { RESOURCE_NOT_FOUND: 1 }],
    ['grpc 5', 2, { RESOURCE_NOT_FOUND: 2 }],
  ]);
  expect(operations['OAuth_Token']!['400']!.errors).toEqual({ invalid_grant: 1 });
});

test('a shape holds no value', () => {
  const values = [
    'secretname',
    'Zaphod',
    'org_424242424242',
    'b5d0a3',
    'zaphod@nordwind.example',
    'k3yOfMap',
  ];
  const [word, name, id, path, email, key] = values as [string, string, string, string, string, string];
  const exchanges = [
    listing({ id, display_name: name, metadata: { [key]: word, [email]: word }, settings: { [email]: 1 } }),
    exchange({
      operation: undefined as never,
      request: { path: `/v9/things/${path}${id}/${email}?q=${name}` },
      response: { json: { [email]: name, [id]: word } },
    }),
    exchange({
      protocol: 'webhook',
      request: {
        method: 'POST',
        path: '/hooks',
        json: { type: 'organization.created', data: { [id]: email } },
      },
    }),
  ];

  const text = JSON.stringify(shapeOf(exchanges, contract));

  for (const value of values) expect(text).not.toContain(value);
  expect(Object.keys(shapeOf(exchanges, contract).events)).toEqual(['organization.created']);
  expect(Object.keys(shapeOf(exchanges, contract).operations)).toContain('GET /v9/things/{value}/{value}');
});

test('broken answers and HEAD show nothing', () => {
  const exchanges = [
    exchange({ response: { failed: 'the service has closed the connection' } }),
    exchange({ request: { method: 'HEAD' } }),
  ];
  expect(shapeOf(exchanges, contract)).toEqual(emptyShape());
});

const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom('US', 'org_1234', ''));
const { item } = fc.letrec<{ item: unknown }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie('item'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('id', 'name', 'a.b', '__proto__', 'region_code'), tie('item')),
  ),
}));
const someExchange = fc
  .record({
    status: fc.constantFrom(200, 404),
    json: fc.record({ organizations: fc.array(item) }),
    size: fc.nat(3),
  })
  .map(({ size, ...response }) => exchange({ request: { path: `/?page_size=${size}` }, response }));
const someShape = fc.array(someExchange, { maxLength: 4 }).map((list) => shapeOf(list, contract));

test('neither the order of merges nor their grouping matters', () => {
  fc.assert(
    fc.property(someShape, someShape, someShape, (a, b, c) => {
      expect(mergeShapes(a, b)).toEqual(mergeShapes(b, a));
      expect(mergeShapes(mergeShapes(a, b), c)).toEqual(mergeShapes(a, mergeShapes(b, c)));
      expect(mergeShapes(a, emptyShape())).toEqual(a);
    }),
    { numRuns: 200 },
  );
});

test('the shape of a whole recording is that of its parts', () => {
  fc.assert(
    fc.property(fc.array(someExchange, { maxLength: 6 }), fc.nat(6), (list, at) => {
      const [before, after] = [list.slice(0, at), list.slice(at)].map((part) => shapeOf(part, contract));
      expect(shapeOf(list, contract)).toEqual(mergeShapes(before!, after!));
    }),
  );
});

test('a field knows its parent', () => {
  const parents = ['.', 'a', 'a.b', 'a[].b', 'a[]', '[]', '[].a', 'a["x.y"]', 'a["x.y"].b'].map(parentOf);
  expect(parents).toEqual(['.', '.', 'a', 'a[]', 'a', '.', '[]', 'a', 'a["x.y"]']);
});

test('equal shapes have equal bytes, and are read as they were written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shape-'));
  const files = ['one.yaml', 'other.yaml'].map((name) => join(folder, name)) as [string, string];
  const exchanges = [listing({ id: 'org_1' }, { id: 'org_2', a: { __proto: 1 } }), exchange()];
  const shape = shapeOf(exchanges, contract);

  writeShape(files[0], shape);
  writeShape(files[1], shapeOf(exchanges.toReversed(), contract));

  expect(readFileSync(files[0], 'utf8')).toBe(readFileSync(files[1], 'utf8'));
  expect(readShape(files[0])).toEqual(shape);
});
