import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNTS,
  connect,
  create,
  missing,
  NOW,
  oauth,
  violated,
} from '../../../../test/support/accounts.ts';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { ACME, NINA, NORDWIND } from '../../../../test/support/fixture-ids.ts';

const TOOLS = '/api/v1/tools';
const SLACK = [
  'slack_send_message',
  'slack_list_channels',
  'slack_fetch_conversation_history',
  'slack_get_user_info',
  'slack_create_channel',
];
const EXA = ['exa_search', 'exa_answer', 'exa_find_similar'];
const APIFY = ['apifymcp_fetch_apify_docs', 'apifymcp_search_actors'];
const DISCOVERED = 'c-apifymcp_fetch-apify-docs';

interface Tool {
  definition: { name: string };
}
type Scoped = { tool: Tool; identifier: string; connected_account_id: string };

const catalogue = JSON.parse(readFileSync('fixtures/catalogue.json', 'utf8')) as { tools: Tool[] };
const builtIn = catalogue.tools
  .map(({ definition }) => definition.name)
  .filter((name) => name !== DISCOVERED);

/** More tools than fit on the largest page. */
const MANY = Array.from({ length: 1001 }, (_, index) => ({
  id: `tol_9${String(index).padStart(16, '0')}`,
  provider: 'GMAIL',
  definition: { name: `gmail_many_${index}`, description: '', input_schema: { type: 'object' } },
  tags: [],
  updated_at: NOW,
}));

const get = async (api: Agent, path: string) => (await api.get(path).expect(200)).body;
const names = (tools: Tool[]) => tools.map(({ definition }) => definition.name);

/** Pages forwards to the end and then backwards to the first page. */
async function walk(api: Agent, path: string, read: (body: never) => unknown[]) {
  const at = (token: string) => get(api, `${path}&page_size=3&page_token=${token}`);
  const forward: unknown[] = [];
  let body = await at('');
  for (; body.next_page_token; body = await at(body.next_page_token)) forward.push(...read(body as never));
  forward.push(...read(body as never));
  const back: unknown[] = read(body as never);
  for (; body.prev_page_token;) {
    body = await at(body.prev_page_token);
    back.unshift(...read(body as never));
  }
  return { forward, back };
}

describe('ToolService_ListTools', () => {
  it('lists tools in the order of the catalogue without their response templates', async () => {
    const { api } = await boot();

    const list = await get(api, `${TOOLS}?page_size=1`);

    expect(list).toEqual({
      tools: [
        {
          id: 'tol_20000000000000101',
          provider: 'GMAIL',
          definition: expect.objectContaining({
            name: 'gmail_fetch_mails',
            input_schema: expect.any(Object),
          }),
          tags: ['read'],
          is_default: true,
          updated_at: expect.any(String),
        },
      ],
      tool_names: [],
      total_size: builtIn.length,
      next_page_token: expect.stringMatching(/./),
      prev_page_token: '',
    });
  });

  it('lists only names with filter.summary=true', async () => {
    const { api } = await boot();

    const list = await get(api, `${TOOLS}?filter.summary=true&page_size=1000`);

    expect(list).toMatchObject({ tools: [], tool_names: builtIn, total_size: builtIn.length });
  });

  it.each<[string, string[]]>([
    ['filter.provider=SLACK', SLACK],
    ['filter.provider=exa', EXA],
    ['filter.provider=SLAC', []],
    ['filter.tool_name=exa_answer', ['exa_answer']],
    [
      'filter.tool_name=exa_answer&filter.tool_name=slack_get_user_info',
      ['slack_get_user_info', 'exa_answer'],
    ],
    ['filter.toolName=exa_answer', ['exa_answer']],
    ['filter.tool_name=gmail_send_email', ['gmail_send_email']],
    ['filter.tool_name=exa_answer&filter.provider=SLACK', []],
    [`filter.tool_name=${DISCOVERED}`, []],
    ['filter.query=APIFY', APIFY],
    ['filter.query=zzz', []],
    [
      'filter.query=Channel%20SLACK',
      [
        'slack_list_channels',
        'slack_create_channel',
        'slackmcp_slack_read_channel',
        'slackmcp_slack_search_channels',
      ],
    ],
    ['filter.query=channels_slack', ['slack_list_channels', 'slackmcp_slack_search_channels']],
    ['filter.query=slack%20%20create_', ['slack_create_channel']],
    ['filter.query=slack%20label', []],
    ['filter.query=resemble', []],
    ['filter.query=actor', [APIFY[1]!]],
    ['filter.query=apify&filter.connector=apifymcp', APIFY],
    [
      `filter.connected_account_id=ca_10000000000000310&filter.tool_name=${DISCOVERED}&filter.summary=false`,
      [DISCOVERED],
    ],
    ['filter.connector=exa&filter.provider=SLACK', SLACK],
  ])('filters by %s', async (filter, expected) => {
    const { api } = await boot();

    const list = await get(api, `${TOOLS}?page_size=100&${filter}`);

    expect(names(list.tools)).toEqual(expected);
    expect(list).toMatchObject({ tool_names: [], total_size: expected.length });
  });

  it.each([
    ['filter.connector=apifymcp', [DISCOVERED]],
    ['filter.connector=apifymcp&filter.identifier=research-bot', [DISCOVERED]],
    ['filter.identifier=research-bot', [DISCOVERED]],
    ['filter.connected_account_id=ca_10000000000000310', [DISCOVERED]],
    ['filter.connected_account_id=ca_10000000000000309&filter.identifier=nobody', []],
    ['filter.connector=exa', []],
    [`filter.organization_id=${NORDWIND}&filter.user_id=${NINA}`, []],
    [`filter.organization_id=org_1&filter.user_id=${NINA}`, []],
  ])('adds only the tools of the MCP server with %s', async (filter, added) => {
    const { api } = await boot();

    const list = await get(api, `${TOOLS}?page_size=1000&${filter}`);

    expect(names(list.tools).toSorted()).toEqual([...builtIn, ...added].toSorted());
  });

  it('lists discovered tools of an MCP server only for its connection', async () => {
    const { api, control } = await boot();
    await connect(control, 'apify-two', { provider_key: 'APIFYMCP' });

    const list = await get(api, `${TOOLS}?filter.connector=apify-two`);

    expect(names(list.tools)).toEqual(builtIn);
  });

  it('pages forwards and backwards', async () => {
    const { api } = await boot();

    const { forward, back } = await walk(
      api,
      `${TOOLS}?filter.summary=true`,
      (body: { tool_names: string[] }) => body.tool_names,
    );

    expect([forward, back]).toEqual([builtIn, builtIn]);
  });

  it.each<[string, number]>([
    ['', 300],
    ['page_size=0', 300],
    ['page_size=999', 999],
    ['page_size=1000', 1000],
    ['page_size=4000000000', 1000],
    ['filter.query=gmail_many', 100],
    ['filter.query=gmail_many&page_size=101', 100],
    ['filter.query=gmail_many&page_size=99', 99],
  ])('with the query "%s" a page has %i tools', async (query, size) => {
    const { api, control } = await boot();
    await control
      .put('/state')
      .send({ include: ['empty'], tools: MANY })
      .expect(204);
    await control.patch('/state/settings/settings').send({ default_page_size: 3 }).expect(200);

    const list = await get(api, `${TOOLS}?filter.summary=true&${query}`);

    expect(list.tool_names).toHaveLength(size);
    expect(list.total_size).toBeGreaterThanOrEqual(MANY.length);
  });

  it('answers 404 for an unknown connector', async () => {
    const { api } = await boot();

    const refused = await api.get(`${TOOLS}?filter.connector=nope`);

    expect(refused).toMatchObject(missing('connection not found for key: nope'));
  });

  it.each([
    ['filter.connected_account_id=ca_1', 'ca_1'],
    ['filter.identifier=nobody', 'identifier nobody'],
    ['filter.connector=apifymcp&filter.identifier=nobody', 'connector apifymcp, identifier nobody'],
    ['filter.connector=slack&filter.identifier=research-bot', 'connector slack, identifier research-bot'],
    ['filter.identifier=research-bot&filter.user_id=usr_1', 'identifier research-bot, user_id usr_1'],
  ])('answers 404 if no account matches %s', async (filter, account) => {
    const { api } = await boot();

    const refused = await api.get(`${TOOLS}?${filter}`);

    expect(refused).toMatchObject(missing(`connected account ${account} not found`));
  });

  it('names the filter that breaks a rule', async () => {
    const { api } = await boot();

    expect(await api.get(`${TOOLS}?filter.query=ab`)).toMatchObject(
      violated('filter.query', 'string.min_len'),
    );
  });
});

describe('ToolService_ListScopedTools', () => {
  const SCOPED = `${TOOLS}/scoped`;
  const pairs = ({ tools }: { tools: Scoped[] }) =>
    tools.map(({ tool, connected_account_id }) => [
      tool.definition.name,
      Number(connected_account_id.slice(-3)),
    ]);

  it('lists each tool with the account that can run it', async () => {
    const { api } = await boot();

    const list = await get(api, `${SCOPED}?identifier=research-bot&filter.tool_names=exa_answer`);

    expect(list).toEqual({
      tools: [
        {
          tool: expect.objectContaining({ id: 'tol_20000000000001102', provider: 'EXA' }),
          identifier: 'research-bot',
          connected_account_id: 'ca_10000000000000309',
        },
      ],
      total_size: 1,
      next_page_token: '',
      prev_page_token: '',
    });
    expect(list.tools[0].tool).not.toHaveProperty('response');
  });

  it.each<[string, [string, number][]]>([
    [
      'identifier=research-bot&filter.providers=',
      [
        ...EXA.map((name): [string, number] => [name, 309]),
        ...[...APIFY, DISCOVERED].map((name): [string, number] => [name, 310]),
      ],
    ],
    ['identifier=research-bot&filter.providers=exa', EXA.map((name) => [name, 309])],
    ['identifier=research-bot&filter.connection_names=exa', EXA.map((name) => [name, 309])],
    ['identifier=research-bot&filter.connection_names=slack', []],
    [
      `identifier=research-bot&filter.tool_names=${DISCOVERED}&filter.tool_names=exa_search`,
      [
        ['exa_search', 309],
        [DISCOVERED, 310],
      ],
    ],
    [
      'identifier=nina@nordwind.example&filter.tool_names=slack_send_message',
      [
        ['slack_send_message', 302],
        ['slack_send_message', 303],
      ],
    ],
  ])('filters by %s', async (filter, expected) => {
    const { api } = await boot();

    const list = await get(api, `${SCOPED}?page_size=100&${filter}`);

    expect(pairs(list)).toEqual(expected);
    expect(list.total_size).toBe(expected.length);
  });

  it('pages forwards and backwards', async () => {
    const { api } = await boot();
    const path = `${SCOPED}?identifier=nina@nordwind.example&filter.providers=SLACK`;
    const whole = pairs(await get(api, path));

    const { forward, back } = await walk(api, path, pairs);

    expect(whole).toHaveLength(10);
    expect([forward, back]).toEqual([whole, whole]);
  });

  it('leaves out tools of an account that is not active', async () => {
    const { api } = await boot();

    const list = await get(api, `${SCOPED}?identifier=ravi@acme.example&filter.providers=GITHUB`);

    expect(list).toMatchObject({ tools: [], total_size: 0 });
  });

  it('requires a filter', async () => {
    const { api } = await boot();

    expect(await api.get(`${SCOPED}?identifier=research-bot`)).toMatchObject(violated('filter', 'required'));
  });

  it('answers 404 for an identifier without accounts', async () => {
    const { api } = await boot();

    const refused = await api.get(`${SCOPED}?identifier=nobody&filter.providers=EXA`);

    expect(refused).toMatchObject(missing('connected account identifier nobody not found'));
  });

  it('answers 404 for an unknown connection', async () => {
    const { api } = await boot();

    const refused = await api.get(`${SCOPED}?identifier=research-bot&filter.connection_names=nope`);

    expect(refused).toMatchObject(missing('connection not found for key: nope'));
  });

  it('refuses an invalid page token', async () => {
    const { api } = await boot();

    await api.get(`${SCOPED}?identifier=research-bot&filter.providers=EXA&page_token=garbage`).expect(400);
  });
});

describe('ToolService_ListAvailableTools', () => {
  const AVAILABLE = `${TOOLS}/available`;

  it('lists each tool of the active accounts of the identifier once', async () => {
    const { api } = await boot();

    const bot = await get(api, `${AVAILABLE}?identifier=research-bot`);
    const nina = await get(api, `${AVAILABLE}?identifier=nina@nordwind.example`);

    expect(names(bot.tools)).toEqual([...EXA, ...APIFY, DISCOVERED]);
    expect(names(nina.tools)).toEqual(SLACK);
    expect(nina).toMatchObject({ total_size: 5, next_page_token: '', prev_page_token: '' });
  });

  it('lists the tools of an account after it becomes active', async () => {
    const { api } = await boot();
    const path = `${AVAILABLE}?identifier=lea`;
    const { id } = await create(api, { connector: 'exa', identifier: 'lea', organization_id: ACME });
    const before = await get(api, path);

    await api.put(ACCOUNTS).send({ id, connected_account: oauth() }).expect(200);

    expect([names(before.tools), names((await get(api, path)).tools)]).toEqual([[], EXA]);
  });

  it('answers 404 for an identifier without accounts', async () => {
    const { api } = await boot();

    const refused = await api.get(`${AVAILABLE}?identifier=nobody`);

    expect(refused).toMatchObject(missing('connected account identifier nobody not found'));
  });

  it('pages forwards and backwards', async () => {
    const { api } = await boot();
    const path = `${AVAILABLE}?identifier=research-bot`;

    const { forward, back } = await walk(api, path, ({ tools }: { tools: Tool[] }) => names(tools));

    const all = [...EXA, ...APIFY, DISCOVERED];
    expect([forward, back]).toEqual([all, all]);
  });
});
