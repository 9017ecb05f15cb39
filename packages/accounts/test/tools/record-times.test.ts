import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { ACCOUNTS, execute, NOW, withAccounts } from '../../../../test/support/tools.ts';

const fresh = () => boot({ now: NOW });

/** Runs a tool with an account of the tool's application. */
async function connected(api: Agent, connector: string) {
  const authorization_details = { static_auth: { details: { token: 't' } } };
  const account = { connector, identifier: 'poller', connected_account: { authorization_details } };
  await api.post(ACCOUNTS).send(account).expect(201);
  return async (tool: string, params: object) => {
    const call = { tool_name: `${connector}_${tool}`, identifier: 'poller', params };
    return (await execute(api, call).expect(200)).body.data;
  };
}

const OLD = '2000-01-01T00:00:00Z';
const NEW = '2100-01-01T00:00:00Z';
const AFTER = new Date(Date.parse(NOW) + 60_000).toISOString();
const SECONDS = Date.parse(NOW) / 1000;
const advance = (control: Agent) => control.post('/clock/advance').send({ by: '10m' }).expect(200);

describe('the times of messages in Slack', () => {
  it('are those of the environment, unique and ascending, while its clock stands still', async () => {
    const { api } = await fresh();
    const run = await connected(api, 'slack');

    const sent: string[] = [];
    for (const text of ['one', 'two', 'three'])
      sent.push((await run('send_message', { channel: 'C1', text })).ts);

    expect(new Set(sent).size).toBe(3);
    expect(sent.toSorted()).toEqual(sent);
    for (const ts of sent) expect(Math.floor(Number(ts))).toBe(SECONDS);
  });

  it('are what oldest and latest exclude, as pollers expect', async () => {
    const { api, control } = await fresh();
    const run = await connected(api, 'slack');
    const { ts: first } = await run('send_message', { channel: 'C1', text: 'first' });
    await advance(control);
    const { ts: second } = await run('send_message', { channel: 'C1', text: 'second' });
    const texts = async (params: object) =>
      (await run('fetch_conversation_history', { channel: 'C1', ...params })).messages.map(
        ({ text }: { text: string }) => text,
      );

    expect(await texts({ oldest: first })).toEqual(['second']);
    expect(await texts({ oldest: second })).toEqual([]);
    expect(await texts({ oldest: first, latest: second })).toEqual([]);
    expect((await texts({ latest: second }))[0]).toBe('first');
    expect(await texts({ oldest: 'yesterday' })).toEqual([]);
  });
});

describe('time params of lists', () => {
  it('select events of a calendar', async () => {
    const { api } = await fresh();
    const run = await connected(api, 'googlecalendar');
    const start_datetime = '2031-05-05T10:00:00Z';
    await run('create_event', { summary: 'Far', start_datetime });
    const count = async (params: object) => (await run('list_events', params)).events.length;

    expect(await count({ time_min: '2031-05-05T00:00:00Z', time_max: '2031-05-06T00:00:00+02:00' })).toBe(1);
    expect(await count({ time_max: start_datetime })).toBe(3);
    expect(await count({ time_min: '2031-05-05T12:30:00+02:00' })).toBe(0);
  });

  it('select issues of GitHub', async () => {
    const { api, control } = await fresh();
    const run = await connected(api, 'github');
    const repo = { owner: 'acme', repo: 'bees' };
    await run('issues_list', repo);
    await advance(control);
    const { created_at: since } = await run('issue_create', { ...repo, title: 'New' });
    const { issues } = await run('issues_list', { ...repo, since });

    expect(issues).toMatchObject([{ title: 'New' }]);
  });

  it.each([
    ['fathom', 'list_meetings', 'items', { created_before: NOW }, { created_after: '2029-01-01T00:00:00Z' }],
    ['gong', 'calls_list', 'calls', { to_date_time: NOW }, { from_date_time: NOW }],
    ['attention', 'conversations_list', 'data', { to_date_time: NOW }, { from_date_time: NOW }],
  ])('select records of %s', async (connector, tool, member, none, all) => {
    const { api } = await fresh();
    const run = await connected(api, connector);

    const [empty, full] = [await run(tool, none), await run(tool, all)];

    expect([empty[member].length, full[member].length]).toEqual([0, 3]);
  });

  it.each([
    ['github_commits_list', { owner: 'acme', repo: 'web' }, { until: OLD }, { since: OLD, until: NEW }],
    ['pagerduty_incidents_list', {}, { until: OLD }, { since: OLD, until: NEW }],
    ['youtube_search', { q: 'bees' }, { published_before: OLD }, { published_after: OLD }],
    ['gong_calls_transcript_get', { call_ids: ['1'] }, { to_date_time: OLD }, { from_date_time: OLD }],
    ['slackmcp_slack_read_thread', { channel_id: 'C1', message_ts: '1' }, { latest: '1' }, { oldest: '1' }],
  ])('select what %s lists', async (tool_name, params, none, all) => {
    const { api } = await fresh();
    await withAccounts(api);
    const count = async (times: object) => {
      const call = { tool_name, identifier: 'tester', params: { ...params, ...times } };
      const { body } = await execute(api, call).expect(200);
      const { callTranscripts, ...data } = body.data;
      const lists = callTranscripts ? [callTranscripts[0].transcript[0].sentences] : Object.values(data);
      return lists.find(Array.isArray)!.length;
    };

    const [empty, full, whole] = [await count(none), await count(all), await count({})];

    expect(empty).toBe(0);
    expect(full).toBe(whole);
    expect(whole).toBeGreaterThan(0);
  });

  it.each([
    ['github', 'issue_labels_add', { owner: 'acme', repo: 'web', issue_number: 38, labels: ['bug'] }],
    ['freshdesk', 'ticket_update', { ticket_id: 1040, status: 4 }],
  ])('select what was changed in %s', async (connector, change, params) => {
    const { api, control } = await fresh();
    await withAccounts(api);
    const run = async (tool: string, given: object) => {
      const call = { tool_name: `${connector}_${tool}`, identifier: 'tester', params: given };
      return (await execute(api, call).expect(200)).body.data;
    };
    const changed = async () =>
      connector === 'github'
        ? (await run('issues_list', { owner: 'acme', repo: 'web', since: AFTER })).issues
        : (await run('tickets_list', { updated_since: AFTER })).array;
    expect(await changed()).toEqual([]);
    await advance(control);

    await run(change, params);

    expect(await changed()).toHaveLength(1);
  });

  it('select messages that the proxy lists', async () => {
    const { api } = await fresh();
    const run = await connected(api, 'slack');
    const { ts } = await run('send_message', { channel: 'C1', text: 'first' });
    await run('send_message', { channel: 'C1', text: 'second' });

    const { body } = await api
      .get(`/proxy/conversations.history?channel=C1&oldest=${ts}`)
      .set({ connection_name: 'slack', identifier: 'poller' })
      .expect(200);

    expect(body.messages).toMatchObject([{ text: 'second' }]);
  });
});
