import { describe, expect, it } from 'vitest';
import { bootOnce } from '../../../../test/support/boot.ts';
import { execute } from '../../../../test/support/tools.ts';

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
    await execute(api, { ...CALL, tool_name: 'GMAIL.FETCH_MAILS' }).expect(200);
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

describe('a provider that the environment does not have', () => {
  const path = '/api/v1/connections?flags.is_app=true';
  const connection = { provider_key: 'TRACKERMCP', type: 'OAUTH', key_id: 'tracker' };
  const details = { static_auth: { details: { token: 't' } } };
  const account = {
    connector: 'tracker',
    identifier: 'ada',
    connected_account: { authorization_details: details },
  };
  const provider = {
    definition: { name: 'trackermcp_count', description: '', input_schema: { type: 'object' } },
  };

  it('is refused with the setting that accepts it', async () => {
    const { api } = await fresh();

    const refused = [
      await api.post(path).send(connection).expect(400),
      await api
        .post(path)
        .send({ ...connection, provider_key: 'SLAK' })
        .expect(400),
      await api.post('/api/v1/tools').send(provider).expect(400),
    ];

    const hint = 'the setting tools.accept_unknown takes any provider';
    expect(refused.map(({ body }) => body.message)).toEqual([
      `provider TRACKERMCP is not known; ${hint}`,
      `provider SLAK is not known; did you mean SLACK?; ${hint}`,
      `definition.provider: no provider is called trackermcp; ${hint}`,
    ]);
  });

  it('has connections, accounts and tools, if the settings accept it', async () => {
    const { api, control } = await fresh();
    await control.patch('/state/settings/settings').send(accept).expect(200);

    const { body } = await api.post(path).send(connection).expect(201);
    await api.post('/api/v1/connected_accounts').send(account).expect(201);
    const call = { tool_name: 'trackermcp_issue-get', identifier: 'ada', params: { number: 7 } };
    const ran = await execute(api, call).expect(200);

    expect(body.connection).toMatchObject({ provider: 'CUSTOM', status: 'COMPLETED', enabled: true });
    expect(ran.body.data).toEqual({ tool_name: 'trackermcp_issue-get', params: { number: 7 } });
    const found = await control.get('/requests?operation=ToolService_ExecuteTool').expect(200);
    const { body: seen } = await control.get(`/requests/${found.body.requests[0].id}`).expect(200);
    expect(seen).toMatchObject({ status: 200, request: { body: call } });
    await api.post('/api/v1/tools').send(provider).expect(200);
  });

  it('gives its users a link to a page that authorizes them', async () => {
    const { api, control, anonymous } = await fresh();
    await control.patch('/state/settings/settings').send(accept).expect(200);
    await api.post(path).send(connection).expect(201);
    await api
      .post('/api/v1/connected_accounts')
      .send({ ...account, connected_account: {} })
      .expect(201);
    const link = { connector: 'tracker', identifier: 'ada' };

    const { body } = await api.post('/api/v1/connected_accounts/magic_link').send(link).expect(200);

    const { pathname, search } = new URL(body.link);
    await anonymous.get(pathname + search).expect(302);
  });

  it('is accepted by one line of a fixture', async () => {
    const { control } = await fresh();
    const settings = [{ id: 'settings', ...accept }];

    await control
      .put('/state')
      .send({ include: ['default'], settings })
      .expect(204);

    const { body } = await control.get('/state/settings/settings').expect(200);
    expect(body).toMatchObject(accept);
  });
});
