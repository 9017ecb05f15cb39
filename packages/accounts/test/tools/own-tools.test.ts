import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent } from '../../../../test/support/boot.ts';
import { NOW } from '../../../../test/support/tools.ts';

const { fresh } = bootOnce();

const INPUT = {
  type: 'object',
  properties: { query: { type: 'string', minLength: 3 } },
  required: ['query'],
};

/** Adds the tool `gmail_count` with these members. */
async function add(control: Agent, row: object, input_schema: object = INPUT) {
  const definition = { name: 'gmail_count', description: 'Counts.', input_schema };
  const tool = { provider: 'GMAIL', definition, tags: ['read'], updated_at: NOW, ...row };
  await control.put('/state/tools/tol_20000000000000999').send(tool).expect(200);
}

const run = (api: Agent, params: object) =>
  api
    .post('/api/v1/execute_tool')
    .send({ tool_name: 'gmail_count', connector: 'gmail', identifier: 'default', params });

describe('a tool that a tester adds', () => {
  it('is listed, checks its params, and answers by its template', async () => {
    const { api, control } = await fresh();
    await add(control, { response: { count: 3, query: { $param: 'query' } } });

    const { body } = await api.get('/api/v1/tools?filter.tool_name=gmail_count').expect(200);
    const answer = await run(api, { query: 'bees' }).expect(200);
    const refused = await run(api, { query: 'b' }).expect(400);

    expect(body.tools).toMatchObject([{ definition: { name: 'gmail_count' } }]);
    expect(body.tools[0]).not.toHaveProperty('response');
    expect(answer.body.data).toEqual({ count: 3, query: 'bees' });
    expect(refused.body.message).toContain('params.query must NOT have fewer than 3 characters');
  });

  it('answers by its input if it has a list of answers', async () => {
    const { api, control } = await fresh();
    const answers = [
      { when: { query: 'bees' }, response: { count: 7 } },
      { when: { query: 'wasps' }, error: { code: 'QUOTA', message: 'too many wasps' } },
      { when: { where: { label: 'INBOX' } }, response: { count: 1 } },
    ];
    const input = { type: 'object' };
    await add(control, { answers, response: { count: 0 } }, input);

    const counts = [];
    for (const params of [
      { query: 'bees' },
      { where: { label: 'INBOX', more: true } },
      { query: 'ants' },
      { query: ['bees'] },
    ])
      counts.push((await run(api, params).expect(200)).body.data.count);
    const failed = await run(api, { query: 'wasps' }).expect(500);

    expect(counts).toEqual([7, 1, 0, 0]);
    expect(failed.body.details[0].tool_error_info).toMatchObject({
      tool_error_code: 'QUOTA',
      tool_error_message: 'too many wasps',
    });
    const { body } = await api.get('/api/v1/tools?filter.tool_name=gmail_count').expect(200);
    expect(body.tools[0]).not.toHaveProperty('answers');
  });

  it.each<[string, object]>([
    ['#', { properties: { name: { type: 'string' }, children: { items: { $ref: '#' } } } }],
    [
      'its own id',
      {
        $id: 'https://app.example/tree',
        properties: { name: { type: 'string' }, children: { items: { $ref: 'https://app.example/tree' } } },
      },
    ],
    [
      'a part of it',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: { properties: { name: { type: 'string' }, children: { items: { $ref: '#/$defs/node' } } } },
        },
      },
    ],
  ])('may have a schema that refers to %s', async (_, schema) => {
    const { api, control } = await fresh();
    await add(control, { response: {} }, { type: 'object', ...schema });

    await run(api, { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] }).expect(200);
    const refused = await run(api, { children: [{ children: [{ name: 5 }] }] }).expect(400);

    expect(refused.body.message).toContain('params.children.0.children.0.name must be string');
  });

  it('is refused if its schema refers to itself without end, or too often', async () => {
    const { api, control } = await fresh();
    const again = { $ref: '#' };
    const nested = (levels: number): object => (levels === 0 ? {} : { next: nested(levels - 1) });

    await add(control, {}, { type: 'object', allOf: [again] });
    const endless = await run(api, {}).expect(400);
    await add(control, {}, { type: 'object', properties: { next: { allOf: [again, again] } } });
    const often = await run(api, nested(60)).expect(400);
    await run(api, nested(5)).expect(200);

    expect(endless.body.message).toMatch(
      /the schema of \w+ cannot be used: \$ref of params is deeper than 400 levels/,
    );
    expect(often.body.message).toMatch(
      /the schema of \w+ cannot be used: it takes more than 1000000 steps, at \S+ of params\.next\./,
    );
  });

  it('says why its schema cannot be used', async () => {
    const { api, control } = await fresh();
    await add(control, {}, { type: 'object', properties: { query: { $ref: '#/nowhere' } } });

    const refused = await run(api, { query: 'bees' }).expect(400);

    expect(refused.body.message).toMatch(/the schema of \w+ cannot be used: .*#\/nowhere/);
  });
});
