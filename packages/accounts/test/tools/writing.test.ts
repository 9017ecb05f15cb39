import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent } from '../../../../test/support/boot.ts';

const { fresh } = bootOnce();

const definition = {
  name: 'gmail_count',
  provider: 'GMAIL',
  description: 'Counts.',
  input_schema: { type: 'object', properties: { query: { type: 'string', minLength: 3 } } },
};
const versioned = (schema_version: string, input_schema: object = {}) => ({
  ...definition,
  schema_version,
  tool_version: '1',
  input_schema,
});

const create = (api: Agent, tool: object) => api.post('/api/v1/tools').send({ definition: tool });
const list = async (api: Agent) =>
  (await api.get('/api/v1/tools?filter.tool_name=gmail_count').expect(200)).body.tools;
const run = (api: Agent, params: object = {}) =>
  api
    .post('/api/v1/execute_tool')
    .send({ tool_name: 'gmail_count', connector: 'gmail', identifier: 'default', params });
const choose = (api: Agent, schema_version: string) =>
  api.post('/api/v1/tools:set_default').send({ name: 'gmail_count', schema_version, tool_version: '1' });

describe('a tool that a client creates', () => {
  it('is listed, checks its params and runs', async () => {
    const { api } = await fresh();

    const { body } = await api
      .post('/api/v1/tools')
      .send({ definition, metadata: { team: 'mail' }, tags: ['read'] })
      .expect(200);

    expect(body.tool).toEqual({
      id: expect.stringMatching(/^tol_/),
      provider: 'GMAIL',
      definition,
      metadata: { team: 'mail' },
      tags: ['read'],
      is_default: true,
      updated_at: expect.any(String),
    });
    expect(await list(api)).toEqual([body.tool]);
    expect((await run(api, { query: 'bees' }).expect(200)).body.data).toEqual({});
    await run(api, { query: 'b' }).expect(400);
  });

  it('can be changed and deleted', async () => {
    const { api } = await fresh();
    const { body } = await api
      .post('/api/v1/tools')
      .send({ definition, tags: ['read'] })
      .expect(200);
    const changed = { ...definition, description: 'Counts all.', input_schema: { required: ['label'] } };

    const updated = await api.put('/api/v1/tools').send({ definition: changed }).expect(200);

    expect(updated.body.tool).toMatchObject({ id: body.tool.id, definition: changed, tags: ['read'] });
    await run(api, {}).expect(400);
    await run(api, { label: 'INBOX' }).expect(200);
    await api.delete(`/api/v1/tools/${body.tool.id}`).expect(200, {});
    expect(await list(api)).toEqual([]);
    await run(api, { label: 'INBOX' }).expect(404);
    await api.delete(`/api/v1/tools/${body.tool.id}`).expect(404);
    await api.put('/api/v1/tools').send({ definition }).expect(404);
  });

  it('runs its default version', async () => {
    const { api } = await fresh();
    const first = await create(api, versioned('1', { required: ['one'] })).expect(200);
    const second = await create(api, versioned('2', { required: ['two'] })).expect(200);
    expect([first.body.tool.is_default, second.body.tool.is_default]).toEqual([true, false]);
    await run(api, { one: 1 }).expect(200);
    await run(api, { two: 2 }).expect(400);

    const { body } = await choose(api, '2').expect(200);

    expect(body.tool).toMatchObject({ id: second.body.tool.id, is_default: true });
    await run(api, { one: 1 }).expect(400);
    await run(api, { two: 2 }).expect(200);
    expect((await list(api)).map(({ is_default }: { is_default: boolean }) => is_default)).toEqual([
      false,
      true,
    ]);
    await api.delete(`/api/v1/tools/${body.tool.id}`).expect(200);
    await run(api, { one: 1 }).expect(200);
    expect((await choose(api, '3').expect(404)).body.message).toBe('tool not found: gmail_count 3 1');
  });

  it('is refused twice in one version', async () => {
    const { api } = await fresh();
    await create(api, versioned('1')).expect(200);

    await create(api, versioned('1')).expect(409);
    await create(api, definition).expect(200);
    expect(await list(api)).toHaveLength(2);
  });

  it.each<[string, object, string]>([
    ['no name', { description: 'x' }, 'definition.name'],
    ['a name with capitals', { ...definition, name: 'Gmail' }, 'definition.name'],
    ['an unknown provider', { ...definition, provider: 'GMIAL' }, 'did you mean GMAIL?'],
    ['no schema', { ...definition, input_schema: 'none' }, 'definition.input_schema'],
    ['a wrong schema', { ...definition, input_schema: { type: 'thing' } }, 'definition.input_schema'],
    ['a number as version', { ...definition, tool_version: 2 }, 'definition.tool_version'],
  ])('is refused with %s', async (_, tool, reason) => {
    const { api } = await fresh();

    expect((await create(api, tool).expect(400)).body.message).toContain(reason);
    expect(await list(api)).toEqual([]);
  });
});
