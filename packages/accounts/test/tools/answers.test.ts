import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { NOW, addTool, execute } from '../../../../test/support/tools.ts';
import { SLACK_OF_ACME } from '../../../../test/support/fixture-ids.ts';

describe('the response of a tool', () => {
  it('contains values of its params', async () => {
    const { api } = await boot({ now: NOW });

    const { body } = await execute(api, {
      tool_name: 'slack_send_message',
      connected_account_id: SLACK_OF_ACME,
      params: { channel: 'C1', text: 'Hello {{person.firstName}}' },
    }).expect(200);

    expect(body.data).toEqual({
      ok: true,
      channel: 'C1',
      ts: expect.stringMatching(/^\d{10}\.\d{6}$/),
      message: {
        type: 'message',
        user: 'U0TESTER001',
        bot_id: 'B0TESTER001',
        ts: body.data.ts,
        text: 'Hello {{person.firstName}}',
      },
    });
  });

  it.each([
    [undefined, 6],
    [5, 5],
    [0, 0],
    [-4, 0],
    [5000, 6],
  ])('has at most as many rows as requested: %s', async (max_results, length) => {
    const { api } = await boot({ now: NOW });
    const params = max_results === undefined ? {} : { max_results };

    const { body } = await execute(api, {
      tool_name: 'gmail_fetch_mails',
      identifier: 'default',
      params,
    }).expect(200);

    expect(body.data.messages).toHaveLength(length);
    expect(body.data.resultSizeEstimate).toBe(6);
  });

  it('lists the same again', async () => {
    const { api } = await boot({ now: NOW });
    const call = { tool_name: 'gmail_fetch_mails', identifier: 'default' };

    const first = await execute(api, call).expect(200);
    const second = await execute(api, call).expect(200);

    expect(second.body.execution_id).not.toBe(first.body.execution_id);
    expect(second.body.data).toEqual(first.body.data);
  });

  it('is generated from the response template of the tool', async () => {
    const { api, control } = await boot({ now: NOW });
    const response = {
      plain: [1, null, true, 'text'],
      named: 'By {{person.firstName}} {{person.lastName}}',
      dated: 'from {{date.past}} to {{date.future}}',
      when: '{{date.recent}}',
      echo: { $param: 'query' },
      fallback: { $param: 'absent', default: { deep: '{{number.int(9)}}' } },
      nothing: { $param: 'absent' },
      drawn: { $int: [5, 7] },
      chance: { $bool: true },
      rows: { $repeat: 2, of: { id: '{{string.uuid}}' } },
      size: { $count: 2 },
    };
    await addTool(control, { input_schema: { type: 'object' }, response });

    const { body } = await execute(api, {
      tool_name: 'gmail_own',
      identifier: 'default',
      params: { query: 'is:unread' },
    }).expect(200);

    const uuid = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(body.data).toEqual({
      plain: [1, null, true, 'text'],
      named: expect.stringMatching(/^By \S+ \S+/),
      dated: expect.stringMatching(/^from 20[\d-]+T[\d:.]+Z to 203[\d-]+T[\d:.]+Z$/),
      when: expect.stringMatching(/^2029-12-31T/),
      echo: 'is:unread',
      fallback: { deep: expect.stringMatching(/^\d$/) },
      nothing: null,
      drawn: expect.toSatisfy((n: number) => n >= 5 && n <= 7),
      chance: expect.any(Boolean),
      rows: [{ id: uuid }, { id: uuid }],
      size: 2,
    });
  });

  it.each([
    ['no template', undefined, {}],
    ['a template that is not an object', ['a', 'b'], { result: ['a', 'b'] }],
  ])('is an object even with %s', async (_, response, data) => {
    const { api, control } = await boot({ now: NOW });
    await addTool(control, { input_schema: { type: 'object' }, response });

    const { body } = await execute(api, { tool_name: 'gmail_own', identifier: 'default' }).expect(200);

    expect(body.data).toEqual(data);
  });
});
