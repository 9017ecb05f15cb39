import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent } from '../support/boot.ts';
import { addTool, execute } from '../support/tools.ts';

const { fresh } = bootOnce();

const ACCOUNT = { identifier: 'default' };
const own = (api: Agent, params: object = {}) => execute(api, { tool_name: 'gmail_own', params, ...ACCOUNT });
const add = (control: Agent, input_schema: object) => addTool(control, { input_schema });

describe('a tool with an invalid schema', () => {
  it.each<[string, object]>([
    ['a type that does not exist', { type: 'nope' }],
    ['a keyword with a wrong value', { properties: { a: { minLength: -1 } } }],
    ['the id of the dialect', { $id: 'https://json-schema.org/draft/2020-12/schema', type: 'nope' }],
    ['a reference to nothing', { $ref: '#/nowhere' }],
    [
      'a part with the id of the whole',
      { $id: 'https://a.example', properties: { a: { $id: 'https://a.example' } } },
    ],
    [
      'a part with the id of the dialect',
      { $defs: { a: { $id: 'https://json-schema.org/draft/2020-12/schema' } } },
    ],
    ['the keyword with which Ajv checks asynchronously', { $async: true, required: ['a'] }],
    ['that keyword in a part', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $async: true } } }],
  ])('breaks no other tool: %s', async (_, schema) => {
    const [mine, other] = [await fresh(), await fresh()];
    await add(mine.control, schema);
    await add(other.control, { type: 'object', required: ['a'] });

    const refused = await own(mine.api).expect(400);
    const again = await own(mine.api).expect(400);
    const { body } = await own(other.api, {}).expect(400);
    await own(other.api, { a: 1 }).expect(200);
    await execute(mine.api, { tool_name: 'gmail_fetch_mails', ...ACCOUNT }).expect(200);
    await add(mine.control, { type: 'object' });
    await own(mine.api).expect(200);

    expect(refused.body.message).toMatch(/^tool validation failed: the schema cannot be used: /);
    expect(again.body.message).toBe(refused.body.message);
    expect(body.message).toBe('missing or invalid a parameter');
  });

  it('says what is wrong and where', async () => {
    const { api, control } = await fresh();
    await add(control, { properties: { a: { type: 'nope' } } });

    const { body } = await own(api).expect(400);

    expect(body.message).toContain(
      'it is not a JSON Schema: schema/properties/a/type must be equal to one of the allowed values',
    );
  });
});

describe('the ids of schemas', () => {
  it('may be the same in several tools', async () => {
    const [mine, other] = [await fresh(), await fresh()];
    const schema = {
      $id: 'https://a.example/s',
      $defs: { a: { $id: 'https://a.example/a', type: 'string' } },
    };
    const refer = (type: string) => ({
      ...schema,
      $defs: { a: { $id: 'https://a.example/a', type } },
      properties: { a: { $ref: 'https://a.example/a' } },
    });
    await add(mine.control, refer('string'));
    await add(other.control, refer('number'));

    await own(mine.api, { a: 'text' }).expect(200);
    await own(other.api, { a: 1 }).expect(200);
    await own(mine.api, { a: 1 }).expect(400);
    await own(other.api, { a: 'text' }).expect(400);
  });

  it('name nothing in the schemas of other tools', async () => {
    const [mine, other] = [await fresh(), await fresh()];
    await add(mine.control, { $id: 'https://a.example/s', $defs: { a: { $anchor: 'a', type: 'string' } } });
    await add(other.control, { properties: { a: { $ref: 'https://a.example/s#a' } } });

    await own(mine.api).expect(200);
    const { body } = await own(other.api, { a: 1 }).expect(400);

    expect(body.message).toMatch(/the schema cannot be used: can't resolve reference/);
  });
});

const objects = (count: number, each: (index: number) => object) =>
  Array.from({ length: count }, (_, i) => each(i));

describe('uniqueItems', () => {
  const UNIQUE = { properties: { a: { type: 'array', uniqueItems: true } } };

  it('accepts 20 000 different objects, and says which two are equal', async () => {
    const { api, control } = await fresh();
    await add(control, UNIQUE);
    const list = objects(20_000, (i) => ({ b: i, c: { d: 'e' } }));

    await own(api, { a: list }).expect(200);
    const { body } = await own(api, { a: [...list, { c: { d: 'e' }, b: 7 }] }).expect(400);

    expect(body.message).toBe(
      'tool validation failed: params.a must NOT have duplicate items (items 7 and 20000 are equal)',
    );
  });

  it('compares values, whatever the order of their members', async () => {
    const { api, control } = await fresh();
    await add(control, UNIQUE);
    const item = fc.jsonValue({ maxDepth: 2 });

    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 4 }), async (items) => {
        const list = JSON.parse(JSON.stringify(items)) as unknown[];
        const isUnique = list.every(
          (one, at) => list.findIndex((each) => isDeepStrictEqual(each, one)) === at,
        );

        const { status } = await own(api, { a: list });

        expect(status).toBe(isUnique ? 200 : 400);
      }),
      { numRuns: 30 },
    );
  });

  it('false allows equal items', async () => {
    const { api, control } = await fresh();
    await add(control, { properties: { a: { uniqueItems: false } } });

    await own(api, { a: [1, 1] }).expect(200);
  });
});

const TOO_MANY = /the schema cannot be used: checking takes more than 1000000 steps/;
const many = <T>(count: number, each: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => each(i));

describe('a schema whose keywords cost much', () => {
  it.each<[string, object, unknown]>([
    [
      'anyOf',
      { items: { anyOf: [...many(900, (i) => ({ minLength: i + 100 })), {}] } },
      many(100_000, () => 'a'),
    ],
    ['enum', { items: { enum: many(5000, (e) => ({ e })) } }, many(50_000, (i) => ({ e: `${i}` }))],
    ['const', { allOf: many(3000, (i) => ({ const: [i] })) }, many(100_000, () => 1)],
    ['pattern', { allOf: many(50, (i) => ({ pattern: `(a|b|c)*d${i}` })) }, 'ab'.repeat(20_000)],
    ['maxLength', { allOf: many(3000, (maxLength) => ({ maxLength })) }, 'ab'.repeat(300_000)],
    [
      'propertyNames',
      { propertyNames: { anyOf: [...many(900, (i) => ({ const: `e${i}` })), {}] } },
      Object.fromEntries(many(9000, (i) => [`n${i}`, 1])),
    ],
    [
      'patternProperties',
      { patternProperties: Object.fromEntries(many(500, (i) => [`k${i}$`, false])) },
      Object.fromEntries(many(9000, (i) => [`n${i}`, 1])),
    ],
    [
      'minProperties',
      { allOf: many(2000, () => ({ minProperties: 1 })) },
      Object.fromEntries(many(9000, (i) => [`n${i}`, 1])),
    ],
    ['dependentRequired', { dependentRequired: { a: many(6000, (i) => `n${i}`) } }, {}],
    ['dependencies', { dependencies: { a: many(6000, (i) => `n${i}`) } }, {}],
    ['required', { allOf: many(60, () => ({ required: many(190, (i) => `n${i}`) })) }, {}],
    [
      'additionalProperties',
      {
        patternProperties: Object.fromEntries(many(1500, (i) => [`k${i}$`, true])),
        additionalProperties: false,
      },
      {},
    ],
    ['uniqueItems', { allOf: many(60, () => ({ uniqueItems: true })) }, many(60_000, (b) => ({ b }))],
    [
      '$dynamicRef',
      { $dynamicAnchor: 'n', items: { anyOf: [{ $dynamicRef: '#n' }, { $dynamicRef: '#n' }] } },
      many(40, () => 1).reduce<unknown>((inner) => [inner], 'a'),
    ],
  ])('is refused before it has cost much: %s', async (_, schema, a) => {
    const [mine, other] = [await fresh(), await fresh()];
    const isDynamic = '$dynamicAnchor' in schema;
    await add(
      mine.control,
      isDynamic
        ? { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $id: 'https://a.example', ...schema } } }
        : { properties: { a: schema } },
    );
    await add(other.control, { properties: { a: { minLength: 3 } } });

    const { body } = await own(mine.api, { a }).expect(400);
    await own(other.api, { a: 'text' }).expect(200);

    expect(body.message).toMatch(TOO_MANY);
  });

  it('is refused with a short reason', async () => {
    const { api, control } = await fresh();
    await add(control, { $ref: `#/${'a/'.repeat(20_000)}` });

    const { body } = await own(api).expect(400);

    expect(body.message).toContain("can't resolve reference #/a/a/");
    expect(body.message.length).toBeLessThan(1200);
  });

  it('is refused if it is too large to be compiled', async () => {
    const { api, control } = await fresh();
    await add(control, { properties: Object.fromEntries(many(5000, (i) => [`p${i}`, { type: 'string' }])) });

    const { body } = await own(api).expect(400);

    expect(body.message).toMatch(/the schema cannot be used: it has \d+ characters, at most 100000/);
  });

  it('grows no faster than its size where a large part is used in many places', async () => {
    const { api, control } = await fresh();
    const $defs = {
      large: { properties: Object.fromEntries(many(1000, (i) => [`p${i}`, { type: 'string' }])) },
    };
    await add(control, {
      $defs,
      properties: Object.fromEntries(many(1000, (i) => [`a${i}`, { $ref: '#/$defs/large' }])),
    });

    await own(api, { a1: { p1: 'text' } }).expect(200);
    const { body } = await own(api, { a1: { p1: 1 } }).expect(400);

    expect(body.message).toBe('tool validation failed: params.a1.p1 must be string');
  });

  it('accepts a large list of usual objects', async () => {
    const { api, control } = await fresh();
    const properties = Object.fromEntries(
      many(10, (i) => [`p${i}`, { type: 'string', maxLength: 9, pattern: '^a' }]),
    );
    await add(control, {
      properties: { a: { items: { properties, required: ['p0'], additionalProperties: false } } },
    });

    await own(api, { a: objects(5000, () => ({ p0: 'a', p1: 'ab', p2: 'abc' })) }).expect(200);
  });
});
