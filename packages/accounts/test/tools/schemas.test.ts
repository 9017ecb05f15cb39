import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent } from '../../../../test/support/boot.ts';
import { KEYWORDS } from '../../../../src/contract/json-schema/dialect.ts';
import { HOSTILE, many } from '../../../../test/support/hostile-schemas.ts';
import { addTool, execute } from '../../../../test/support/tools.ts';

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
    ['a reference that goes round in circles', { $ref: '#' }],
    ['two anchors of one name', { $defs: { a: { $anchor: 'a' }, b: { $anchor: 'a' } } }],
    ['a pattern in another syntax', { properties: { a: { pattern: '(?<!a)b' } } }],
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

    expect(refused.body.message).toMatch(/^tool validation failed: the schema of gmail_own cannot be used: /);
    expect(again.body.message).toBe(refused.body.message);
    expect(body.message).toBe('missing or invalid a parameter');
  });

  it('says what is wrong and where', async () => {
    const { api, control } = await fresh();
    await add(control, { properties: { a: { type: 'nope' }, b: { items: { minLength: -1 } } } });

    const { body } = await own(api).expect(400);

    expect(body.message).toContain(
      'it is not a JSON Schema: schema/properties/a/type must be one of null, boolean, object, array, number, integer, ' +
        'string, or a list of several, schema/properties/b/items/minLength must be an integer >= 0',
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

    expect(body.message).toMatch(/the schema of gmail_own cannot be used: can't resolve reference/);
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

describe('a hostile schema with a hostile value', () => {
  const rows = Object.entries(HOSTILE).flatMap(([keyword, each]) =>
    each.map((row, index) => [`${keyword} ${index + 1}`, row] as const),
  );

  it('is in the table for each keyword of the dialect', () => {
    expect([...KEYWORDS.keys()].filter((keyword) => !(keyword in HOSTILE))).toEqual([]);
  });

  it.each(rows)('costs little: %s', async (_, row) => {
    const { api, control } = await fresh();
    const { schema, a } = row();
    await add(control, placed(schema));

    const before = process.cpuUsage();
    const { status, body } = await own(api, { a });
    const { user, system } = process.cpuUsage(before);

    // Both budgets of steps take a tenth of a second. Other threads and a busy machine need more.
    expect((user + system) / 1000).toBeLessThan(2000);
    expect(status).toBe(body.message === undefined ? 200 : 400);
    if (status === 400)
      expect(body.message).toMatch(/^tool validation failed: (params\.a|the schema of gmail_own )/);
  });

  it.each<[string, number, string]>([
    ['pattern', 0, 'schema/$defs/a/allOf/321/pattern'],
    ['pattern', 1, 'pattern of params.a'],
    ['uniqueItems', 1, 'uniqueItems of params.a'],
    ['enum', 0, 'enum of params.a.11'],
    ['contains', 0, 'minimum of params.a.124998'],
    ['$dynamicRef', 0, '$dynamicRef of params.a.0.0.0'],
    ['$ref', 0, 'properties of params.a.n677'],
  ])('is refused with tool, place and limit: %s %i', async (keyword, index, place) => {
    const { api, control } = await fresh();
    const { schema, a } = HOSTILE[keyword]![index]!();
    await add(control, placed(schema));

    const { body } = await own(api, { a }).expect(400);

    expect(body.message).toContain(
      `the schema of gmail_own cannot be used: it takes more than 1000000 steps, at ${place}`,
    );
  });

  it('is checked where its keywords cost little', async () => {
    const { api, control } = await fresh();
    const lengths = { allOf: many(2000, () => ({ maxLength: 219_999 })) };
    await add(control, placed(lengths));

    await own(api, { a: '😀'.repeat(219_999) }).expect(200);
    const { body } = await own(api, { a: '😀'.repeat(220_000) }).expect(400);

    expect(body.message).toContain('params.a must NOT have more than 219999 characters; ');
  });
});

/** References in the schema are relative to itself. */
const placed = (schema: object) => ({
  properties: { a: { $ref: '#/$defs/a' } },
  $defs: { a: { $id: 'https://a.example', ...schema } },
});

describe('unevaluatedItems', () => {
  it('allows the items that a branch has checked, and names the others', async () => {
    const { api, control } = await fresh();
    const branches = [{ items: { type: 'string' } }, { prefixItems: [{ type: 'integer' }] }];
    await add(control, placed({ anyOf: branches, unevaluatedItems: false }));

    await own(api, { a: ['a', 'b', 'c'] }).expect(200);
    await own(api, { a: [1] }).expect(200);
    const { body } = await own(api, { a: [1, 'b'] }).expect(400);

    expect(body.message).toBe(
      'tool validation failed: params.a.1 is an item that no part of the schema allows',
    );
  });

  it('allows the items that contains has found', async () => {
    const { api, control } = await fresh();
    await add(control, placed({ contains: { type: 'integer' }, unevaluatedItems: false }));

    await own(api, { a: [1, 2] }).expect(200);
    const { body } = await own(api, { a: [1, 'b'] }).expect(400);

    expect(body.message).toBe(
      'tool validation failed: params.a.1 is an item that no part of the schema allows',
    );
  });
});

describe('a large schema', () => {
  it('is refused with a short reason', async () => {
    const { api, control } = await fresh();
    await add(control, { $ref: `#/${'a/'.repeat(20_000)}` });

    const { body } = await own(api).expect(400);

    expect(body.message).toContain("can't resolve reference #/a/a/");
    expect(body.message.length).toBeLessThan(1200);
  });

  it('is refused if it is too large', async () => {
    const { api, control } = await fresh();
    await add(control, { properties: Object.fromEntries(many(5000, (i) => [`p${i}`, { type: 'string' }])) });

    const { body } = await own(api).expect(400);

    expect(body.message).toMatch(
      /the schema of gmail_own cannot be used: it has \d+ characters, at most 100000/,
    );
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
