import { describe, expect, it } from 'vitest';
import { boot, bootOnce, type Agent } from '../support/boot.ts';
import { addTool, execute } from '../support/tools.ts';

const { fresh } = bootOnce();

/** Rules apply before the contract, which allows no such long names. */
const VALUE = '${body.display_name}';
const RECORD = {
  id: 'rec_1',
  connected_account_id: 'ca_10000000000000301',
  kind: 'message',
  group: '',
  key: 'k',
};
const members = (text: string) => Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`m${i}`, text]));
const TOO_MUCH = 'the values that are filled in make more than 10000000 characters';
const LARGE = 'x'.repeat(900_000);

const load = (control: Agent, rule: object) =>
  control
    .post('/scenarios')
    .send({ name: 'grows', rules: [{ on: 'OrganizationService_CreateOrganization', ...rule }] })
    .expect(201);
const create = (api: Agent, display_name: string) => api.post('/api/v1/organizations').send({ display_name });

describe('the values of a call in a rule', () => {
  it.each<[string, string, object]>([
    ['message', 'reply.message', { reply: { error: 'unavailable', message: VALUE.repeat(500) } }],
    ['headers', 'reply.headers.m', { reply: { error: 'unavailable', headers: members(`x${VALUE}`) } }],
    ['body', 'reply.body.m', { reply: { status: 400, contract: 'violated', body: members(`x${VALUE}`) } }],
    ['whole values', 'reply.body.m', { reply: { status: 400, contract: 'violated', body: members(VALUE) } }],
    ['patch', 'patch.organization.m', { patch: { organization: members(VALUE) }, contract: 'violated' }],
    ['do', 'insert.data.m', { do: { account_records: [{ insert: { ...RECORD, data: members(VALUE) } }] } }],
  ])('fail with the place when they grow too large: %s', async (_, place, rule) => {
    const { api, control, environment } = await boot({ brokenContract: true });
    const other = await environment('other');
    await load(control, rule);

    const { headers, text, body } = await create(api, LARGE).expect(500);
    await create(other.api, 'x').expect(201);

    expect(body.message).toMatch(/^scenario grows, rules\[0\]: /);
    expect(body.message).toContain(place);
    expect(body.message).toContain(TOO_MUCH);
    expect(headers['understudy-scenario']).toBe('failed');
    expect(text.length).toBeLessThan(1000);
    await control.get('/state/account_records/rec_1').expect(404);
  });

  it('have one budget for the changes and the reply', async () => {
    const { api, control } = await boot({ brokenContract: true });
    const data = Object.fromEntries(Object.entries(members(VALUE)).slice(0, 6));
    const reply = { status: 400, contract: 'violated', body: data };
    await load(control, { do: { account_records: [{ insert: { ...RECORD, data } }] }, reply });

    const { body } = await create(api, LARGE).expect(500);

    expect(body.message).toContain(TOO_MUCH);
    await control.get('/state/account_records/rec_1').expect(404);
  });

  it('fail when they are looked up too often, even if they are empty', async () => {
    const { api, control } = await boot({ brokenContract: true });
    const headers = Object.fromEntries(
      Array.from({ length: 6 }, (_, i) => [`h${i}`, '${headers.a}'.repeat(10_000)]),
    );
    await load(control, { reply: { error: 'unavailable', headers } });

    const { body } = await create(api, 'x').set('a', '').expect(500);

    expect(body.message).toMatch(/^scenario grows, rules\[0\]: reply\.headers\.h\d: /);
    expect(body.message).toContain(TOO_MUCH);
  });

  it('fill many members, leave out those without a value, and keep the others', async () => {
    const { api, control } = await boot({ brokenContract: true });
    const texts = Array.from({ length: 9000 }, (_, i) => [
      `m${i}`,
      `\${body.${i % 2 ? 'display_name' : 'external_id'}}`,
    ]);
    const lists = { list: ['${body.external_id}', 'kept', VALUE], $kept: '$${x}' };
    const body = { ...(Object.fromEntries(texts) as object), ...lists };
    await load(control, { reply: { status: 400, contract: 'violated', body } });

    const { body: answer } = await create(api, 'x').expect(400);

    expect(Object.keys(answer as object)).toHaveLength(4502);
    expect(answer).toMatchObject({ m1: 'x', m8999: 'x', list: [null, 'kept', 'x'], $kept: '${x}' });
  });

  it('may fill a usual answer', async () => {
    const { api, control } = await fresh();
    await load(control, { reply: { error: 'unavailable', message: VALUE.repeat(10) } });

    const { body } = await create(api, 'x'.repeat(1000)).expect(503);

    expect(body.message).toBe('x'.repeat(10_000));
  });
});

describe('the template of a tool', () => {
  const run = (api: Agent, params: object) =>
    execute(api, { tool_name: 'gmail_own', identifier: 'default', params });

  it.each<[string, unknown]>([
    ['$repeat', { $repeat: 100, of: { $param: 'a' } }],
    ['$repeat in $repeat', { $repeat: 100, of: { $repeat: 100, of: { $repeat: 100, of: 1 } } }],
    ['a text', '{{param.a}}'.repeat(100)],
    ['a list', Array.from({ length: 100 }, () => ({ $param: 'a' }))],
    ['$insert', { $repeat: 100, of: { $insert: 'message', with: { large: { $param: 'a' } } } }],
  ])('fails when its values grow too large: %s', async (_, response) => {
    const [mine, other] = [await fresh(), await fresh()];
    await addTool(mine.control, { input_schema: {}, response });

    const { body } = await run(mine.api, { a: LARGE }).expect(400);
    await execute(other.api, { tool_name: 'gmail_fetch_mails', identifier: 'default' }).expect(200);

    expect(body.message).toBe(`the template of the reply: ${TOO_MUCH}`);
  });

  it('fails when a list of records grows too large', async () => {
    const { api, control } = await fresh();
    await addTool(control, {
      input_schema: {},
      response: { $insert: 'message', with: { large: { $param: 'a' } } },
    });
    for (let made = 0; made < 12; made += 1) await run(api, { a: LARGE }).expect(200);
    await addTool(control, { input_schema: {}, response: { $list: 'message' } });

    const { body } = await run(api, {}).expect(400);

    expect(body.message).toBe(`the template of the reply: ${TOO_MUCH}`);
  });
});

describe('the records of an account', () => {
  const insert = { $insert: 'message', with: { snippet: 'x' }, member: 'id' };
  const call = { tool_name: 'gmail_own', identifier: 'default' };
  const nested = (count: number, of: object) => ({ $length: { $repeat: 100, of: { $repeat: count, of } } });

  it.each<[string, object]>([
    ['$list', { $list: 'message', where: { snippet: 'y' } }],
    ['search', { $list: 'message', search: 'nowhere' }],
  ])('are looked at a limited number of times: %s', async (_, look) => {
    const { api, control } = await fresh();
    await addTool(control, { input_schema: {}, response: nested(2, insert) });
    for (let i = 0; i < 10; i += 1) await execute(api, call).expect(200);
    await addTool(control, { input_schema: {}, response: nested(40, look) });

    const { body } = await execute(api, call).expect(400);
    await addTool(control, { input_schema: {}, response: { found: look } });
    const one = await execute(api, call).expect(200);

    expect(body.message).toBe(`the template of the reply: ${TOO_MUCH}`);
    expect(one.body.data).toEqual({ found: [] });
  });

  it('are looked at one by one until enough are found', async () => {
    const { api, control } = await fresh();
    await addTool(control, { input_schema: {}, response: nested(2, insert) });
    for (let i = 0; i < 10; i += 1) await execute(api, call).expect(200);
    const latest = { $latest: 'message', member: 'snippet' };
    await addTool(control, { input_schema: {}, response: nested(40, latest) });

    await execute(api, call).expect(200);
  });
});

describe('the values of a call in headers', () => {
  const ECHO = {
    reply: { error: 'unavailable', message: 'down', headers: { 'x-echo': `a ${VALUE}` } },
  };

  it('are percent-encoded where no header may have their characters', async () => {
    const { api, control } = await fresh();
    await load(control, ECHO);

    const { headers } = await create(api, 'Zo\u00eb\r\nx-evil: 1').expect(503);

    expect(headers['x-echo']).toBe('a Zo%C3%AB%0D%0Ax-evil: 1');
    expect(headers).not.toHaveProperty('x-evil');
  });

  it('fail when they are too long for a header', async () => {
    const { api, control } = await boot({ brokenContract: true });
    await load(control, ECHO);

    const { headers, body } = await create(api, LARGE).expect(500);

    expect(headers['understudy-scenario']).toBe('failed');
    expect(body.message).toBe(
      'scenario grows, rules[0]: reply.headers.x-echo: has more than 8192 characters',
    );
  });
});
