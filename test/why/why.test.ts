import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

const idOf = ({ headers }: { headers: Record<string, string> }) => headers['understudy-request-id']!;

describe('Why: the journal', () => {
  it('says that an id is unknown, and what the nearest one is', async () => {
    const { api, control } = await boot();
    const created = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    const { id } = created.body.organization;
    const wrong = `${id.slice(0, -1)}x`;

    const refused = await api.get(`/api/v1/organizations/${wrong}`).expect(404);

    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);
    expect(body.why).toEqual({
      kind: 'unknown',
      summary: `No organization has the id ${wrong} in environment default.`,
      because: [{ text: `The nearest id is ${id}.`, row: `organizations/${id}` }],
      remedies: [
        { text: 'List the organizations.', method: 'GET', path: '/_control/v1/state/organizations' },
      ],
      guessed: [],
    });
  });

  it('says which call deleted the row, and how long before', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    const created = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    const { id } = created.body.organization;
    const deleted = await api.delete(`/api/v1/organizations/${id}`).expect(200);
    await control.post('/clock/advance').send({ by: '3s' }).expect(200);

    const refused = await api.get(`/api/v1/organizations/${id}`).expect(404);

    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);
    const call = idOf(deleted);
    expect(body.why.because).toEqual([
      { text: `${id} was deleted by ${call}, 3s before.`, call, row: `organizations/${id}` },
    ]);
  });

  it('says which environment has the row', async () => {
    const { api, control, environment } = await boot();
    const other = await environment('worker-2');
    const created = await other.api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    const { id } = created.body.organization;

    const refused = await api.get(`/api/v1/organizations/${id}`).expect(404);

    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);
    expect(body.why.because[0].text).toBe('Environment worker-2 has it.');
    expect(body.why.remedies[0]).toMatchObject({ environment: 'worker-2' });
  });

  it('says which row has a key that is taken, and which call made it', async () => {
    const { api, control } = await boot();
    const acme = { display_name: 'Acme', external_id: 'crm-1' };
    const first = await api.post('/api/v1/organizations').send(acme).expect(201);
    const { id } = first.body.organization;

    const refused = await api.post('/api/v1/organizations').send(acme).expect(400);

    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);
    expect(body.why).toMatchObject({
      kind: 'taken',
      summary: `Duplicate external_id crm-1 (${id}).`,
      because: [{ text: `organization ${id} was created by ${idOf(first)}, just before.` }],
    });
  });

  it('tells apart what the same message on the wire can mean', async () => {
    const { understudy, token, control } = await boot();
    const send = (verb: 'get' | 'post', path: string) => supertest(understudy.app)[verb](path);
    const summaryOf = async (call: supertest.Test) =>
      (await control.get(`/requests/${idOf(await call)}`).expect(200)).body.why.summary as string;
    const list = (authorization?: string) => {
      const call = send('get', '/api/v1/organizations');
      return summaryOf(authorization === undefined ? call : call.set('authorization', authorization));
    };
    const grant = (form: object) =>
      summaryOf(
        send('post', '/oauth/token')
          .type('form')
          .send({ grant_type: 'client_credentials', ...form }),
      );
    const [{ id: client_id }] = (await control.get('/state/clients')).body.rows;
    const create = (path: string, body: object) =>
      summaryOf(send('post', path).set('authorization', `Bearer ${token}`).send(body));

    expect(await list()).toBe('The call has no token: it has no header authorization.');
    expect(await list('Bearer none')).toBe(
      'What was sent as a token is no JSON Web Token, so this service did not issue it.',
    );
    expect(await list(`Bearer ${token.slice(0, -10)}${'A'.repeat(10)}`)).toBe(
      'The signature of the token does not fit: the token was changed or cut off after it was issued.',
    );
    expect(await grant({ client_id: 'skc_404', client_secret: 'x' })).toBe(
      'Environment default has no client skc_404.',
    );
    expect(await grant({ client_id })).toBe(
      `Client ${client_id} exists in environment default; no client_secret was sent.`,
    );
    expect(await grant({ client_id, client_secret: 'x' })).toContain('what was sent is none of its');
    expect(await create('/api/v1/organizations', { organization: {} })).toContain(
      'organization.display_name',
    );
    expect(await create('/api/v1/organizations', {})).toMatch(/display_name: .*; it is absent\.$/);
    expect(await create('/api/v1/organizations', { display_name: '' })).toMatch(
      /display_name: .*; it is empty\.$/,
    );
    expect(
      await summaryOf(
        send('get', '/api/v1/organizations?page_token=bad').set('authorization', `Bearer ${token}`),
      ),
    ).toBe('The page_token is none that a page of this list has returned: leave it out for the first page.');
  });

  it('says when a token expired, what the clock said, and how to set it back', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await control.post('/clock/advance').send({ by: '25h' }).expect(200);

    const refused = await api.get('/api/v1/organizations').expect(401);

    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);
    expect(body.why.kind).toBe('time');
    expect(body.why.summary).toMatch(
      /^Token is expired: it ended at 2030-01-0\dT\d\d:\d\d:\d\dZ, and the clock of environment default said 2030-01-02T01:00:00Z\.$/,
    );
    expect(body.why.remedies).toContainEqual({
      text: 'Set the clock of the environment to the time of the machine.',
      method: 'PUT',
      path: '/_control/v1/clock',
      body: { mode: 'real' },
    });
  });

  it('names the nearest operation for a path or a method that the contract lacks', async () => {
    const { api, control } = await boot();
    const whyOf = async (call: supertest.Test) =>
      (await control.get(`/requests/${idOf(await call)}`).expect(200)).body.why;

    expect(await whyOf(api.get('/api/v1/organisations'))).toMatchObject({
      kind: 'protocol',
      summary: expect.stringMatching(
        /^The service has no path \/api\/v1\/organisations; the nearest is GET \/api\/v1\/organizations \(\w.+\)\.$/,
      ),
      remedies: expect.arrayContaining([
        {
          text: 'Send the call to GET /api/v1/organizations instead.',
          method: 'GET',
          path: '/api/v1/organizations',
        },
      ]),
    });
    expect((await whyOf(api.get('/organizations/org_1/user'))).summary).toContain(
      'the nearest is GET /api/v1/organizations/{organization_id}/users (',
    );
    expect((await whyOf(api.post('/scim/v2/Users'))).summary).toContain(
      'the nearest is POST /directory/{directory_id}/scim/v2/Users (',
    );
    const { summary, remedies } = await whyOf(api.put('/api/v1/organizations'));
    expect(summary).toMatch(
      /^The path \/api\/v1\/organizations has no PUT, only GET and POST; the nearest is GET \/api\/v1\/organizations \(/,
    );
    expect(remedies[0].path).toBe('/api/v1/organizations');
    expect((await whyOf(api.get('/oauth/revoke'))).summary).toContain('the nearest is POST /revoke (');

    const rpc = api.post('/scalekit.v1.users.UserService/GetUsr').set('connect-protocol-version', '1');
    expect((await whyOf(rpc.send({}))).summary).toMatch(
      /^The service has no RPC \/scalekit\.v1\.users\.UserService\/GetUsr; the nearest is GET \/api\/v1\/users\/\{id\} \(/,
    );
    expect((await whyOf(api.get('/zzz'))).summary).toBe(
      'The service has no path /zzz, and none that is similar.',
    );
  });

  it('says how long the rule of a scenario goes on', async () => {
    const { api, control } = await boot();
    const rule = { on: 'OrganizationService_GetOrganization', reply: { error: 'rate_limited' } };
    const load = (name: string, times?: number) =>
      control
        .post('/scenarios')
        .send({ name, rules: [{ ...rule, times }] })
        .expect(201);
    const refuse = async () => idOf(await api.get('/api/v1/organizations/org_1').expect(429));
    const summaryOf = async (id: string) => (await control.get(`/requests/${id}`)).body.why.summary as string;

    await load('twice', 2);
    const first = await refuse();
    expect(await summaryOf(first)).toMatch(/; the rule will be applied 1 time more\.$/);
    await refuse();
    expect(await summaryOf(first)).toMatch(/; the rule is used up, because it was to be applied 2 times\.$/);
    await control.delete('/scenarios/twice').expect(204);
    expect(await summaryOf(first)).toMatch(/; the scenario is no longer loaded\.$/);
    await load('once', 1);
    expect(await summaryOf(await refuse())).toMatch(/used up, because it was to be applied only once\.$/);
    await load('always');
    expect(await summaryOf(await refuse())).toMatch(/; the rule goes on until the scenario is unloaded\.$/);
  });

  it('names the unknown client of a sign-in that has no redirect_uri either', async () => {
    const { understudy, control } = await boot();
    const refused = await supertest(understudy.app)
      .get('/oauth/authorize?client_id=skc_404')
      .set('accept', 'application/json')
      .expect(400);
    expect(refused.body.error_description).toBe('redirect_uri is missing');

    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);

    expect(body.why).toMatchObject({
      kind: 'unknown',
      summary: 'No client has the id skc_404 in environment default; the call has no redirect_uri either.',
    });
  });

  it('names the grant types that there are', async () => {
    const { anonymous, control } = await boot();
    const refused = await anonymous.post('/oauth/token').type('form').send({ grant_type: 'password' });

    const { why } = (await control.get(`/requests/${idOf(refused)}`)).body;
    expect(why.summary).toMatch(/^There is no grant type password, only authorization_code, refresh_token, /);
  });

  it('names the user and the organization of a membership that exists already', async () => {
    const { api, control } = await boot();
    const [membership] = (await control.get('/state/memberships')).body.rows;
    const { id, user_id, organization_id } = membership;
    const path = `/api/v1/memberships/organizations/${organization_id}/users/${user_id}`;

    const refused = await api.post(path).send({}).expect(409);

    const { why } = (await control.get(`/requests/${idOf(refused)}`)).body;
    expect(why.summary).toBe(
      `User ${user_id} is a member of organization ${organization_id} already (${id}).`,
    );
  });

  it('tells of a role by its name what it tells of other rows by their ids', async () => {
    const { api, control, environment } = await boot();
    const other = await environment('worker-2');
    const create = ({ post }: typeof api, name: string) =>
      post('/api/v1/roles').send({ name, display_name: name }).expect(201);
    await create(api, 'auditor');
    await create(api, 'billing_clerk');
    await create(other.api, 'night_watch');
    const deleted = await api.delete('/api/v1/roles/auditor').expect(200);
    const factOf = async (name: string) => {
      const refused = await api.get(`/api/v1/roles/${name}`).expect(404);
      const { why } = (await control.get(`/requests/${idOf(refused)}`)).body;
      expect(why.summary).toContain(`${name} in environment default.`);
      return why.because[0].text as string;
    };

    expect(await factOf('auditor')).toBe(`auditor was deleted by ${idOf(deleted)}, just before.`);
    expect(await factOf('night_watch')).toBe('Environment worker-2 has it.');
    expect(await factOf('bilingclerk')).toBe('The nearest name is billing_clerk.');
  });

  it('says what a row would have to be, and which operation makes it so, where its state forbids a call', async () => {
    const { api, control } = await boot();
    const [directory] = (await control.get('/state/directories')).body.rows;
    const { id, organization_id } = directory;
    await control.patch(`/state/directories/${id}`).send({ enabled: true }).expect(200);
    const path = `/api/v1/organizations/${organization_id}/directories/${id}`;

    const refused = await api.delete(path).expect(400);

    const { why } = (await control.get(`/requests/${idOf(refused)}`)).body;
    expect(why.kind).toBe('state');
    expect(why.summary).toBe(`Directory is enabled; disable it before deleting it (directory ${id}).`);
    expect(why.because.map(({ text }: { text: string }) => text)).toEqual(
      expect.arrayContaining([
        `The call needs directory ${id} to have enabled false.`,
        `DirectoryService_DisableDirectory (PATCH ${path}:disable) leads there.`,
      ]),
    );
  });

  it('names the rule of a scenario, and no guess about the operation', async () => {
    const { api, control } = await boot();
    const rules = [{ on: 'OrganizationService_GetOrganization', reply: { error: 'rate_limited' } }];
    await control.post('/scenarios').send({ name: 'busy', rules }).expect(201);

    const refused = await api.get('/api/v1/organizations/org_1').expect(429);

    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);
    expect(body.why).toMatchObject({ kind: 'scenario', guessed: [] });
    expect(body.why.summary).toMatch(/^Rule 0 of scenario busy answered 429/);
    expect(body.why.remedies[0]).toMatchObject({ method: 'DELETE', path: '/_control/v1/scenarios/busy' });
  });

  it('is in a list only if it is asked for', async () => {
    const { api, control } = await boot();
    await api.get('/api/v1/organizations/org_404').expect(404);

    const plain = await control.get('/requests?status=404').expect(200);
    const explained = await control.get('/requests?status=404&why=true').expect(200);

    expect(plain.body.requests[0]).not.toHaveProperty('why');
    expect(explained.body.requests[0].why.kind).toBe('unknown');
  });

  it('survives a restart with the journal', async () => {
    const { api, control, own } = await boot();
    const refused = await api.get('/api/v1/organizations/org_404').expect(404);
    expect(own.journal.find(idOf(refused))?.refusal?.why).toMatchObject({ kind: 'unknown' });
    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);
    expect(JSON.stringify(body.why)).not.toContain('undefined');
  });

  it('says how many rows each condition of an empty list hides', async () => {
    const { api, control } = await boot();
    const listed = await api.get('/api/v1/organizations?external_id=crm-404').expect(200);
    expect(listed.body.organizations).toEqual([]);
    const { body: all } = await api.get('/api/v1/organizations').expect(200);

    const { body } = await control.get(`/requests/${idOf(listed)}`).expect(200);

    expect(body.why.summary).toBe(`The list is empty: external_id=crm-404 hides ${all.total_size} rows.`);
    expect(body.changes).toEqual([]);
  });

  it('says that a list is empty because there is nothing', async () => {
    const { api, control } = await boot();
    const created = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    const { id } = created.body.organization;
    const listed = await api.get(`/api/v1/organizations/${id}/users`).expect(200);

    const { body } = await control.get(`/requests/${idOf(listed)}`).expect(200);

    expect(body.why.summary).toBe('The list is empty: there are no such rows.');
  });

  it('says what a success changed and caused', async () => {
    const { api, control } = await boot();
    const created = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);

    const { body } = await control.get(`/requests/${idOf(created)}`).expect(200);

    expect(body.why).toMatchObject({ kind: 'none' });
    expect(body.why.summary).toMatch(/^The call succeeded with 201, changed 1 row and caused 1 event/);
  });

  it('names both statuses of a tool that failed at its provider', async () => {
    const { api, control } = await boot();
    await control.post('/scenarios').send({ name: 'tool-forbidden' }).expect(201);
    const refused = await api
      .post('/api/v1/execute_tool')
      .send({ tool_name: 'gmail_fetch_mails', params: {} })
      .expect(500);

    const { body } = await control.get(`/requests/${idOf(refused)}`).expect(200);

    const texts = body.why.because.map(({ text }: { text: string }) => text);
    expect(texts).toContain('The answer has the status 500; its code is 7, which SDKs report as 403.');
  });

  it('counts the calls that a used-up rule would have applied to', async () => {
    const { api, control } = await boot();
    const rules = [
      { on: 'OrganizationService_ListOrganization', times: 1, reply: { error: 'rate_limited' } },
    ];
    await control.post('/scenarios').send({ name: 'once', rules }).expect(201);
    for (let call = 0; call < 3; call += 1) await api.get('/api/v1/organizations');

    const { body } = await control.get('/scenarios/once').expect(200);

    expect(body.rules[0]).toMatchObject({ seen: 3, hits: 1, remaining: 0 });
  });
});
