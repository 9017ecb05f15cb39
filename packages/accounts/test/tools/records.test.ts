import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { execute, withAccounts } from '../../../../test/support/tools.ts';

const run = async (api: Agent, tool_name: string, params: object = {}) =>
  (await execute(api, { tool_name, identifier: 'tester', params }).expect(200)).body.data;

const REPO = { owner: 'acme', repo: 'website' };
const EVENT = { summary: 'Tasting', start_datetime: '2030-01-01T10:00:00Z' };

describe('what a tool has made', () => {
  it.each([
    [
      'gmail_send_message',
      { to: 'a@x.example', subject: 'S', body: 'Bees!' },
      'gmail_fetch_mails',
      {},
      'Bees!',
    ],
    ['slack_create_channel', { name: 'bees' }, 'slack_list_channels', {}, 'bees'],
    [
      'slack_send_message',
      { channel: 'C1', text: 'Bees!' },
      'slack_fetch_conversation_history',
      { channel: 'C1' },
      'Bees!',
    ],
    ['github_issue_create', { ...REPO, title: 'Bees' }, 'github_issues_list', REPO, 'Bees'],
    ['hubspot_contact_create', { email: 'b@x.example' }, 'hubspot_contacts_list', {}, 'b@x.example'],
    ['salesforce_account_create', { Name: 'Bees Ltd' }, 'salesforce_accounts_list', { limit: 9 }, 'Bees Ltd'],
    [
      'salesforce_account_create',
      { Name: 'Bees Ltd' },
      'salesforce_soql_execute',
      { soql_query: 'SELECT Id, Name FROM Account' },
      'Bees Ltd',
    ],
    ['googlecalendar_create_event', EVENT, 'googlecalendar_list_events', {}, 'Tasting'],
    ['linear_issue_create', { teamId: 't', title: 'Bees' }, 'linear_issues_list', {}, 'Bees'],
    [
      'jira_issue_create',
      { issue_type: 'Bug', project_key: 'BEE', summary: 'Bees' },
      'jira_issues_search',
      { jql: 'project = BEE' },
      'Bees',
    ],
    ['googledrive_create_file', { name: 'bees.txt' }, 'googledrive_search_files', {}, 'bees.txt'],
    ['googledrive_create_folder', { name: 'Hives' }, 'googledrive_search_files', { query: 'hives' }, 'Hives'],
    [
      'gong_calls_create',
      { actual_start: '2030-01-01T10:00:00Z', title: 'Bees' },
      'gong_calls_list',
      {},
      'Bees',
    ],
    [
      'attention_conversation_import',
      { media_url: 'https://x.example/1.mp4', user_id: 'u1', conversation_title: 'Bees' },
      'attention_conversations_list',
      { title: 'bees' },
      'Bees',
    ],
    ['githubpat_issue_create', { ...REPO, title: 'Bees' }, 'githubpat_issues_list', REPO, 'Bees'],
    [
      'bigqueryserviceaccount_insert_query_job',
      { query: 'SELECT bees' },
      'bigqueryserviceaccount_list_jobs',
      {},
      'SELECT bees',
    ],
    [
      'google_ads_campaign_create',
      { customer_id: '4830019275', name: 'Bees' },
      'google_ads_campaigns_list',
      { customer_id: '4830019275' },
      'Bees',
    ],
  ])('is listed: %s', async (make, params, list, listed, text) => {
    const { api } = await boot();
    await withAccounts(api);
    expect(JSON.stringify(await run(api, list, listed))).not.toContain(text);

    await run(api, make, params);

    expect(JSON.stringify(await run(api, list, listed))).toContain(text);
  });

  it('is listed to calls through the proxy, and they make what tools list', async () => {
    const { api } = await boot();
    await withAccounts(api);
    const drive = { connection_name: 'googledrive', identifier: 'tester' };
    const { id } = await run(api, 'googledrive_create_file', { name: 'bees.txt' });

    const { body } = await api.get('/proxy/drive/v3/files').set(drive).expect(200);
    const renamed = await api.patch(`/proxy/drive/v3/files/${id}`).set(drive).send({ name: 'wasps.txt' });
    await api.post('/proxy/drive/v3/files').set(drive).send({ name: 'ants.txt' }).expect(200);
    await run(api, 'googledrive_delete_file', { file_id: body.files[1].id });

    expect(body.files[0]).toMatchObject({ kind: 'drive#file', id, name: 'bees.txt' });
    expect(renamed.body).toMatchObject({ id, name: 'wasps.txt' });
    const { files } = await run(api, 'googledrive_search_files');
    expect(files.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual(['ants.txt', 'wasps.txt']);
    expect(files).toHaveLength(5);
  });

  it.each([
    ['gong', '/v2/calls'],
    ['fathom', '/external/v1/meetings'],
    ['attention', '/v2/conversations'],
    ['githubpat', '/user/repos'],
    ['bigqueryserviceaccount', '/bigquery/v2/projects/understudy-demo/datasets'],
  ])('is like what %s answers to %s', async (connection_name, path) => {
    const { api } = await boot();
    await withAccounts(api);
    const call = () => api.get(`/proxy${path}`).set({ connection_name, identifier: 'tester' }).expect(200);

    const first = await call();

    const stable = ({ body }: { body: object }) => ({ ...body, requestId: undefined });
    expect(stable(await call())).toEqual(stable(first));
  });

  it('is found by its id, and by nobody else', async () => {
    const { api } = await boot();
    await withAccounts(api);
    const { id } = await run(api, 'gmail_send_message', { to: 'a@x.example', subject: 'S', body: 'Bees!' });

    const own = await run(api, 'gmail_get_message_by_id', { message_id: id });
    const call = { tool_name: 'gmail_fetch_mails', connector: 'gmail', identifier: 'default' };
    const others = await execute(api, call).expect(200);

    expect(own).toMatchObject({ id, snippet: 'Bees!', labelIds: ['SENT'] });
    expect(JSON.stringify(others.body)).not.toContain('Bees!');
  });

  it.each(['{{number.int}}', '{{bogus.method}}', '{{param.message_id}}', '{{a'.repeat(30_000)])(
    'is not made from a placeholder that a caller sends as its id: %.20s',
    async (message_id) => {
      const { api } = await boot();
      await withAccounts(api);
      const before = process.cpuUsage();

      const { id } = await run(api, 'gmail_get_message_by_id', { message_id });

      const { user, system } = process.cpuUsage(before);
      expect(id).toBe(message_id);
      expect((user + system) / 1000).toBeLessThan(1000);
    },
  );

  it('is changed and deleted by tools', async () => {
    const { api } = await boot();
    await withAccounts(api);
    const { issueCreate } = await run(api, 'linear_issue_create', { teamId: 't', title: 'Bees' });
    const event = await run(api, 'googlecalendar_create_event', EVENT);
    const remove = {
      tool_name: 'googlecalendar_delete_event',
      identifier: 'tester',
      params: { event_id: event.id },
    };

    await run(api, 'linear_issue_update', { issueId: issueCreate.issue.id, title: 'Wasps' });
    await execute(api, remove).expect(200);

    expect(JSON.stringify(await run(api, 'linear_issues_list'))).toContain('Wasps');
    expect(JSON.stringify(await run(api, 'googlecalendar_list_events'))).not.toContain(event.id);
    const again = await execute(api, remove).expect(404);
    expect(again.body.details[0].tool_error_info.tool_error_code).toBe('NOT_FOUND');
  });

  it('is a row of account_records, and goes with its account', async () => {
    const { api, control } = await boot();
    await withAccounts(api);
    await run(api, 'slack_create_channel', { name: 'bees' });
    const rows = async () => (await control.get('/state/account_records').expect(200)).body.rows;
    const [made] = (await rows()).filter(({ data }: { data: { name: string } }) => data.name === 'bees');
    expect(made).toMatchObject({ kind: 'channel', group: '' });

    await control.delete(`/state/connected_accounts/${made.connected_account_id}`).expect(204);

    expect(await rows()).toEqual([]);
  });

  it('is searched by the words of the query', async () => {
    const { api } = await boot();
    await withAccounts(api);
    await run(api, 'gmail_send_message', { to: 'ada@x.example', subject: 'Honey', body: 'Fresh.' });

    const found = await run(api, 'gmail_fetch_mails', { query: 'to:ada@x.example subject:honey' });
    const sent = await run(api, 'gmail_fetch_mails', { label_ids: ['SENT'] });

    expect([found.messages.length, sent.messages.length]).toEqual([1, 1]);
  });

  it('needs a kind of records that the provider has', async () => {
    const { api, control } = await boot();
    await withAccounts(api);
    const { body } = await control.get('/state/tools').expect(200);
    const tool = body.rows.find(
      ({ definition }: { definition: { name: string } }) => definition.name === 'exa_search',
    );
    await control
      .patch(`/state/tools/${tool.id}`)
      .send({ response: { all: { $list: 'bees' } } })
      .expect(200);

    const refused = await execute(api, {
      tool_name: 'exa_search',
      identifier: 'tester',
      params: { query: 'x' },
    });

    expect(refused.status).toBe(400);
    expect(refused.body.message).toBe(
      'provider EXA has no records bees: describe them in the row of the provider',
    );
  });

  it('is numbered on after --history has removed old records', async () => {
    const { api } = await boot({ history: 3 });
    await withAccounts(api);
    const numbers = [];
    for (let made = 0; made < 5; made += 1)
      numbers.push((await run(api, 'github_issue_create', { ...REPO, title: 'Bees' })).number);

    expect(new Set(numbers).size).toBe(5);
  });
});
