import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { execute } from '../../../../test/support/tools.ts';
import { GMAIL } from '../../../../test/support/fixture-ids.ts';

const NOW = '2030-06-15T12:00:00.000Z';

interface Message {
  id: string;
  labelIds: string[];
  day: string;
  size?: number;
  headers?: Record<string, string>;
  filename?: string;
}

const MESSAGES: Message[] = [
  { id: 'm1', labelIds: ['INBOX', 'UNREAD'], day: '2030-06-15', headers: { From: 'Ada <ada@x.example>' } },
  { id: 'm2', labelIds: ['INBOX', 'STARRED'], day: '2030-06-10', headers: { Subject: 'Lunch on Friday' } },
  { id: 'm3', labelIds: ['CATEGORY_PERSONAL'], day: '2030-05-01', filename: 'Plan.pdf', size: 3_000_000 },
  { id: 'm4', labelIds: ['SENT', 'Label_1'], day: '2028-01-02', headers: { Cc: 'me@example.com' } },
];

/** A mailbox with these messages alone. */
async function bootMailbox() {
  const { api, control } = await boot({ now: NOW });
  for (const { id, labelIds, day, size = 2000, headers = {}, filename } of MESSAGES) {
    const data = {
      id,
      labelIds,
      threadId: id,
      snippet: `Text of ${id}`,
      sizeEstimate: size,
      internalDate: String(Date.parse(`${day}T08:00:00.000Z`)),
      payload: {
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        ...(filename && { parts: [{ filename }] }),
      },
    };
    const row = { connected_account_id: GMAIL, kind: 'message', group: '', key: id, data };
    await control.put(`/state/account_records/rec_${id}`).send(row).expect(200);
  }
  return api;
}

const fetch = (api: Agent, params: object) =>
  execute(api, { tool_name: 'gmail_fetch_mails', connector: 'gmail', identifier: 'default', params });

describe('gmail_fetch_mails with a query', () => {
  it.each([
    ['', 'm4 m3 m2 m1'],
    ['is:unread', 'm1'],
    ['is:read', 'm4 m3 m2'],
    ['-is:unread', 'm4 m3 m2'],
    ['is:starred', 'm2'],
    ['in:sent', 'm4'],
    ['in:archive', 'm3'],
    ['in:anywhere', 'm4 m3 m2 m1'],
    ['label:INBOX', 'm2 m1'],
    ['category:primary', 'm3'],
    ['has:userlabels', 'm4'],
    ['has:attachment', 'm3'],
    ['filename:pdf', 'm3'],
    ['from:ada', 'm1'],
    ['from: ADA', 'm1'],
    ['cc:me', 'm4'],
    ['subject:lunch', 'm2'],
    ['subject:"lunch on"', 'm2'],
    ['subject:(friday lunch)', 'm2'],
    ['subject:ada', ''],
    ['after:2030/06/10', 'm2 m1'],
    ['after:06/10/2030 before:2030-06-15', 'm2'],
    [`older:${Date.parse('2029-01-01') / 1000}`, 'm4'],
    ['newer_than:1d', 'm1'],
    ['newer_than:2m', 'm3 m2 m1'],
    ['older_than:1y', 'm4'],
    ['larger:2M', 'm3'],
    ['smaller:10K', 'm4 m2 m1'],
    ['from:ada OR is:starred', 'm2 m1'],
    ['{from:ada is:starred}', 'm2 m1'],
    ['in:inbox from:ada OR subject:lunch', 'm2 m1'],
    ['in:inbox AND -(from:ada OR subject:lunch)', ''],
    ['"text of m3"', 'm3'],
    ['+text m4', 'm4'],
    ['after:soon', ''],
    ['nonsense:m1', ''],
  ])('finds what Gmail documents: %s', async (query, found) => {
    const api = await bootMailbox();

    const { body } = await fetch(api, { query }).expect(200);

    const ids = found === '' ? [] : found.split(' ');
    expect(body.data.messages.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(body.data.resultSizeEstimate).toBe(ids.length);
  });

  it('finds the same through the proxy', async () => {
    const api = await bootMailbox();

    const { body } = await api
      .get('/proxy/gmail/v1/users/me/messages?q=is:read%20newer_than:7d')
      .set({ connection_name: 'gmail', identifier: 'default' })
      .expect(200);

    expect(body.messages).toEqual([{ id: 'm2', threadId: 'm2' }]);
  });

  it('has new mail in a mailbox that nobody has used', async () => {
    const { api } = await boot();

    const { body } = await fetch(api, { query: 'is:unread newer_than:1d' }).expect(200);

    expect(body.data.messages).toHaveLength(6);
  });

  it('answers every query that is short enough', async () => {
    const api = await bootMailbox();
    const word = fc.constantFrom(
      '(',
      ')',
      '{',
      '}',
      '-',
      '"',
      ' OR ',
      '|',
      'is:',
      'read',
      'after:',
      '1d',
      '+',
    );

    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 200 }), async (words) => {
        await fetch(api, { query: words.join('') }).expect(200);
      }),
    );
  });

  it('refuses a query of more than 1000 characters, and reads one of 1000', async () => {
    const api = await bootMailbox();

    await fetch(api, { query: '('.repeat(1000) }).expect(200);
    const { body } = await fetch(api, { query: '('.repeat(1001) }).expect(400);

    expect(body.message).toBe('query has 1001 characters: at most 1000');
  });
});
