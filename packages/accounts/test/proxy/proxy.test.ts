import { describe, expect, it } from 'vitest';
import {
  ACCOUNTS,
  auth,
  create,
  failure,
  invalid,
  missing,
  NOW,
  oauth,
} from '../../../../test/support/accounts.ts';
import { boot, type Agent } from '../../../../test/support/boot.ts';

const DEFAULT = { connection_name: 'gmail', identifier: 'default' };
const DESK = { connection_name: 'freshdesk', identifier: 'support-desk' };
const BOT = { connection_name: 'exa', identifier: 'research-bot' };
const VERBS = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** Stores a proxy response, by default with status 200. */
const putResponse = (control: Agent, id: string, row: object) =>
  control
    .put(`/state/proxy_responses/${id}`)
    .send({ status: 200, ...row })
    .expect(200);

describe('the proxy', () => {
  it.each(VERBS)('says how to add an answer to %s when none is stored, and changes nothing', async (verb) => {
    const { api, control } = await boot();
    const before = (await control.get('/state').expect(200)).body;

    const response = await api[verb]('/proxy/crm/v1/notes:search/a%20b?limit=5').set(BOT).expect(501);

    const method = verb.toUpperCase();
    expect(response.body.message).toBe(
      `Understudy has no answer of EXA to ${method} /crm/v1/notes:search/a b: add a row to the collection proxy_responses with ` +
        `provider "EXA", method "${method}", path "/crm/v1/notes:search/a b", a status and a body; or start ` +
        'understudy with --proxy-to exa=URL to pass the calls on to a simulator of the provider',
    );
    expect((await control.get('/state').expect(200)).body).toEqual(before);
  });

  it('gives the template query, body and variables of the path', async () => {
    const { api, control } = await boot();
    const names = ['limit', 'deep', 'id', 'b'];
    await putResponse(control, 'notes', {
      path: '/crm/{b}/notes/{id}',
      body: Object.fromEntries(names.map((name) => [name, { $param: name }])),
    });

    const response = await api
      .post('/proxy/crm/v1/notes/a%20b?limit=5')
      .set(BOT)
      .send({ deep: [{ any: null }] })
      .expect(200);

    expect(response.headers).not.toHaveProperty('understudy-warnings');
    expect(response.body).toEqual({ limit: '5', deep: [{ any: null }], id: 'a b', b: 'v1' });
  });

  it('shares what the provider holds with the tools', async () => {
    const { api } = await boot();
    const mail = { to: 'ada@acme.example', subject: 'Bees', body: 'They are back.' };
    const sent = await api
      .post('/api/v1/execute_tool')
      .send({ tool_name: 'gmail_send_email', connector: 'gmail', identifier: 'default', params: mail })
      .expect(200);
    const { id } = sent.body.data;

    const list = await api.get('/proxy/gmail/v1/users/me/messages?q=to:ada').set(DEFAULT).expect(200);
    const { body } = await api.get(`/proxy/gmail/v1/users/me/messages/${id}`).set(DEFAULT).expect(200);

    expect(list.body.messages).toContainEqual({ id, threadId: sent.body.data.threadId });
    expect(body).toMatchObject({ id, snippet: 'They are back.', labelIds: ['SENT'] });
  });

  it('answers the catalogue response of the provider', async () => {
    const { api } = await boot();

    const { body } = await api.get('/proxy/gmail/v1/users/me/profile').set(DEFAULT).expect(200);

    expect(body).toEqual({
      emailAddress: expect.stringContaining('@'),
      messagesTotal: expect.any(Number),
      threadsTotal: expect.any(Number),
      historyId: expect.stringMatching(/^\d+$/),
    });
  });

  it('accepts its headers in any letter case', async () => {
    const { api } = await boot();

    const request = api.get('/proxy/gmail/v1/users/me/profile');

    await request.set({ Connection_name: 'gmail', Identifier: 'default' }).expect(200);
  });

  it('accepts and returns text of any content type', async () => {
    const { api, control } = await boot();
    const owner = { connector: 'salesforce', identifier: 'john.doe' };
    await create(api, { ...owner, connected_account: oauth({ access_token: 'at-1' }) });

    const response = await api
      .post('/proxy/services/Soap/m/66.0')
      .set({ connection_name: 'salesforce', identifier: 'john.doe', 'content-type': 'text/xml' })
      .send('<soapenv:Envelope/>')
      .expect(200);

    expect(response.headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(response.text).toMatch(/^<\?xml .*<soapenv:Body\/>/);
    const { requests } = (await control.get('/requests?operation=ActionsProxy_Post').expect(200)).body;
    expect(requests[0].request.body).toBe('<soapenv:Envelope/>');
  });

  it('accepts malformed JSON', async () => {
    const { api, control } = await boot();
    await putResponse(control, 'x', { path: '/x', body: { taken: true } });

    await api.post('/proxy/x').set(BOT).type('application/json').send('{"a":').expect(200);
  });

  it('passes the failure of the provider on unchanged', async () => {
    const { api } = await boot();

    const absent = await api.get('/proxy/api/v2/tickets/404').set(DESK);
    const deleted = await api.delete('/proxy/api/v2/tickets/7').set(DESK);
    const limited = await api.post('/proxy/search/limited').set(BOT);

    expect(absent).toMatchObject({ status: 404, headers: { 'x-request-id': 'fd-7' } });
    expect(absent.body).toEqual({ code: 'not_found', message: 'There is no such ticket.' });
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expect(limited).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
  });

  it('sets last_used_at of the account and refreshes its expired token', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth() });
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: NOW }).expect(200);

    await api
      .get('/proxy/gmail/v1/users/me/profile')
      .set({ ...DEFAULT, identifier: 'lea@acme.example' })
      .expect(200);

    expect(await auth(api, id)).toMatchObject({
      last_used_at: NOW,
      token_expires_at: '2030-01-01T01:00:00.000Z',
      authorization_details: { oauth_token: { access_token: expect.stringMatching(/^at_/) } },
    });
  });
});

describe('a call through the proxy', () => {
  it.each([
    [
      'an unknown connection',
      { ...DEFAULT, connection_name: 'nope' },
      missing('connection not found for key: nope'),
    ],
    [
      'an unknown account',
      { ...DEFAULT, identifier: 'nobody' },
      missing('connected account connector gmail, identifier nobody not found'),
    ],
    ['no connection', { identifier: 'default' }, invalid('the header connection_name is required')],
    ['no identifier', { connection_name: 'gmail' }, invalid('the header identifier is required')],
    ['an invalid connection name', { ...DEFAULT, connection_name: 'a/b' }, { status: 400 }],
    [
      'an account that is not active',
      { connection_name: 'github', identifier: 'ravi@acme.example' },
      failure(
        400,
        'connected account ca_10000000000000304 is EXPIRED, not ACTIVE: the user has to authorize it',
        9,
        'FAILED_PRECONDITION',
      ),
    ],
  ])('is refused for %s', async (_, headers, answer) => {
    const { api } = await boot();

    expect(await api.get('/proxy/user').set(headers)).toMatchObject(answer);
  });

  it('is refused when the provider has no proxy', async () => {
    const { api, control } = await boot();
    const static_auth = { details: { token: 't' } };
    const jira = {
      connector: 'jira',
      identifier: 'lea',
      connected_account: { authorization_details: { static_auth } },
    };
    await api.post(ACCOUNTS).send(jira).expect(201);
    const headers = { connection_name: 'jira', identifier: 'lea' };

    const refused = await api.get('/proxy/rest/api/3/myself').set(headers);
    await control.patch('/state/providers/JIRA').send({ proxy_enabled: true }).expect(200);

    expect(refused).toMatchObject(
      failure(400, 'proxy not enabled for provider JIRA', 9, 'FAILED_PRECONDITION'),
    );
    await api.get('/proxy/rest/api/3/myself').set(headers).expect(200);
  });

  it('is refused without a token and without a path', async () => {
    const { api, anonymous } = await boot();

    await anonymous.get('/proxy/x').set(BOT).expect(401);
    await api.get('/proxy/').set(BOT).expect(404);
    await api.get('/proxy').set(BOT).expect(404);
  });

  it('is answered by a matching scenario rule first', async () => {
    const { api, control } = await boot();
    const rules = [
      { on: 'ActionsProxy_Get', times: 1, reply: { error: 'rate_limited' } },
      { on: { path: '/proxy/crm/v1/*' }, reply: { status: 418, body: { short: true } } },
    ];
    await control.post('/scenarios').send({ name: 'proxied', rules }).expect(201);

    expect((await api.get('/proxy/x').set(DEFAULT)).status).toBe(429);
    expect((await api.get('/proxy/x').set(DEFAULT)).status).toBe(501);
    expect((await api.post('/proxy/crm/v1/a/b').set(DEFAULT)).status).toBe(418);
  });
});
