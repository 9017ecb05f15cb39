import { describe, expect, it } from 'vitest';
import { bootOnce } from '../../../../test/support/boot.ts';
import { execute, withAccounts } from '../../../../test/support/tools.ts';

const { fresh } = bootOnce();

/** Runs tools as the user `tester`, who has an account of each application. */
async function agent() {
  const { api } = await fresh();
  await withAccounts(api);
  return async (tool_name: string, params: object) => {
    const { body } = await execute(api, { tool_name, identifier: 'tester', params }).expect(200);
    return body.data;
  };
}

describe('the tools of the catalogue', () => {
  it('add labels and take them away', async () => {
    const run = await agent();
    const issue = { owner: 'acme', repo: 'web', issue_number: 38 };
    const [mail] = (await run('gmail_fetch_mails', { max_results: 1 })).messages;

    await run('github_issue_labels_add', { ...issue, labels: ['bug'] });
    const added = await run('github_issue_labels_add', { ...issue, labels: ['bug', 'triage'] });
    const labels = { message_id: mail.id, add_label_ids: ['STARRED'], remove_label_ids: ['UNREAD'] };
    const modified = await run('gmail_modify_message_labels', labels);

    expect(added).toEqual({ array: ['bug', 'triage'] });
    expect((await run('github_issue_get', issue)).labels).toEqual(['bug', 'triage']);
    expect(modified).toEqual({ id: mail.id, threadId: mail.threadId, labelIds: ['INBOX', 'STARRED'] });
  });

  it('of an MCP server answer with texts', async () => {
    const run = await agent();

    const sent = await run('slackmcp_slack_send_message', { channel_id: 'C1', message: 'Hello' });

    expect(sent).toEqual({ content: [{ type: 'text', text: 'Hello' }] });
    const { content } = await run('slackmcp_slack_read_channel', { channel_id: 'C1' });
    expect(content).toContainEqual({ type: 'text', text: 'Hello' });
    const found = await run('notionmcp_notion-search', { query: 'plans', page_size: 1 });
    expect(found).toEqual({ content: [{ type: 'text', text: expect.any(String) }] });
  });

  it('of Freshdesk list tickets under `array`, and change them', async () => {
    const run = await agent();
    const { array } = await run('freshdesk_tickets_list', { per_page: 2 });
    const [{ id: ticket_id }] = array;

    await run('freshdesk_ticket_update', { ticket_id, status: 4 });
    const reply = await run('freshdesk_tickets_reply', { ticket_id, body: 'Done.' });

    expect(array).toHaveLength(2);
    expect(reply).toMatchObject({ ticket_id, body: 'Done.' });
    expect(await run('freshdesk_ticket_get', { ticket_id })).toMatchObject({ id: ticket_id, status: 4 });
  });
});
