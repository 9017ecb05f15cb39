import { describe, expect, it } from 'vitest';
import { bootOnce } from '../support/boot.ts';
import { execute } from '../support/tools.ts';

const { fresh } = bootOnce();
const CALL = { tool_name: 'gmail_fetch_mail', identifier: 'default', params: { depth: { a: 1 } } };
const accept = { tools: { accept_unknown: true } };

describe('a tool that the environment does not have', () => {
  it('is refused with the nearest name and the setting that accepts it', async () => {
    const { api } = await fresh();

    const { body } = await execute(api, CALL).expect(404);

    expect(body.message).toBe(
      'tool not found: gmail_fetch_mail; did you mean gmail_fetch_mails?; the setting tools.accept_unknown runs any tool',
    );
  });

  it('runs and tells its params, if the settings accept it', async () => {
    const { api, control } = await fresh();
    await control.patch('/state/settings/settings').send(accept).expect(200);

    const { body } = await execute(api, CALL).expect(200);
    await execute(api, { ...CALL, connector: 'gmail', tool_name: 'anything' }).expect(200);
    const nobody = await execute(api, { ...CALL, tool_name: 'anything' }).expect(404);

    expect(body.data).toEqual({ tool_name: 'gmail_fetch_mail', params: CALL.params });
    expect(nobody.body.message).toContain('no provider of tool anything');
  });

  it('fails by a scenario', async () => {
    const { api, control } = await fresh();
    await control.patch('/state/settings/settings').send(accept).expect(200);
    const params = { tool_name: 'gmail_fetch_mail', times: 1 };
    await control.post('/scenarios').send({ name: 'tool-rate-limited', params }).expect(201);

    const failed = await execute(api, CALL);
    expect(failed.body).toMatchObject({ code: 8, details: [{ error_code: 'TOOL_ERROR' }] });
    await execute(api, CALL).expect(200);
  });
});
