import { describe, expect, it } from 'vitest';
import { boot, bootOnce, type Agent } from '../support/boot.ts';

const shared = bootOnce();

interface Remedy {
  number: number;
  text: string;
  method: string;
  path: string;
  body?: unknown;
  code: Record<'curl' | 'typescript' | 'python' | 'go' | 'java', string>;
}

const idOf = ({ headers }: { headers: Record<string, string> }) => headers['understudy-request-id']!;

async function remediesOf(control: Agent, id: string): Promise<Remedy[]> {
  const { body } = await control.get(`/requests/${id}/remedies`).expect(200);
  return body.remedies;
}

async function applied(control: Agent, id: string, text: RegExp) {
  const found = (await remediesOf(control, id)).find((remedy) => text.test(remedy.text));
  expect(found, `no remedy ${text}`).toBeDefined();
  const { body } = await control.post(`/requests/${id}/remedies/${found!.number}`).expect(200);
  return body;
}

describe('Control_ListRemedies', () => {
  it('changes nothing', async () => {
    const { api, control } = await shared.fresh();
    const refused = await api.get('/api/v1/organizations/org_404').expect(404);
    const before = await control.get('/state/hash').expect(200);

    const remedies = await remediesOf(control, idOf(refused));

    expect(remedies.map(({ text }) => text)).toEqual([
      'Create organizations/org_404.',
      'List the organizations.',
      'Send the call again.',
    ]);
    const after = await control.get('/state/hash').expect(200);
    expect(after.body).toEqual(before.body);
    await api.get('/api/v1/organizations/org_404').expect(404);
  });

  it('writes each as a line of curl and of the clients', async () => {
    const { api, control } = await boot();
    const refused = await api.get('/api/v1/organizations/org_404').expect(404);

    const [create] = await remediesOf(control, idOf(refused));

    expect(create!.code).toEqual({
      curl: expect.stringMatching(
        /^curl -X PUT 'http:\/\/.*\/_control\/v1\/state\/organizations\/org_404' -H 'content-type: application\/json' -d '\{"display_name":"org_404"\}'$/,
      ),
      typescript: 'await env.state.put("organizations", "org_404", {"display_name":"org_404"});',
      python: 'env.state.put("organizations", "org_404", {"display_name": "org_404"})',
      go: 'env.State.Put("organizations", "org_404", understudytest.Row{"display_name": "org_404"})',
      java: 'environment.state().put("organizations", "org_404", Map.ofEntries(Map.entry("display_name", "org_404")));',
    });
  });

  it('writes what a client has no method for by the number of the remedy', async () => {
    const { api, control } = await boot();
    const refused = await api.get('/api/v1/organizations/org_404').expect(404);

    const again = (await remediesOf(control, idOf(refused))).at(-1)!;

    expect(again.text).toBe('Send the call again.');
    expect(again.code).toMatchObject({
      typescript: `await env.requests.fix("${idOf(refused)}", ${again.number});`,
      python: `env.requests.fix("${idOf(refused)}", ${again.number})`,
      go: `env.Requests.Fix("${idOf(refused)}", ${again.number})`,
      java: `environment.requests().fix("${idOf(refused)}", ${again.number});`,
    });
  });

  it('shows no secret', async () => {
    const { anonymous, control, own } = await shared.fresh();
    const refused = await anonymous.get('/api/v1/organizations').expect(401);

    const remedies = await remediesOf(control, idOf(refused));

    expect(remedies[0]!.text).toMatch(/^Get a token of environment /);
    expect(JSON.stringify(remedies)).not.toContain(own.credentials.client_secret);
  });
});

describe('Control_ListRemedies of a call that can be sent again', () => {
  it('writes its query, its form and the place of its token into the line of curl', async () => {
    const { api, anonymous, control } = await shared.fresh();
    const listed = await api.get('/api/v1/organizations?page_token=bad&page_size=2').expect(400);
    const form = { token: 'none', token_type_hint: 'a b' };
    const refused = await anonymous.post('/oauth/introspect').type('form').send(form);
    const curlOf = async (id: string) => (await remediesOf(control, id)).at(-1)!.code.curl;

    expect(await curlOf(idOf(listed))).toMatch(
      /\/api\/v1\/organizations\?page_token=.*&page_size=2' .*-H 'authorization: .*redacted/,
    );
    expect(await curlOf(idOf(refused))).toContain("-d 'token_type_hint=a b'");
  });

  it('asks for the secret of a directory where SCIM refused another one', async () => {
    const { anonymous, control } = await shared.fresh();
    const [{ id }] = (await control.get('/state/directories')).body.rows;
    const refused = await anonymous
      .get(`/directory/${id}/scim/v2/Users`)
      .set('authorization', 'Bearer none')
      .expect(401);

    expect((await remediesOf(control, idOf(refused))).map(({ text }) => text)).toEqual([
      `Show directory ${id} with its secrets.`,
      'Send the call again.',
    ]);
  });
});

describe('Control_ApplyRemedy', () => {
  it('sends a call without an operation to the nearest one', async () => {
    const { api, control } = await shared.fresh();
    const refused = await api
      .post('/api/v1/organisations?page_size=2')
      .send({ display_name: 'Acme' })
      .expect(404);

    const sent = await applied(control, idOf(refused), /POST \/api\/v1\/organizations instead/);

    expect(sent).toMatchObject({ status: 201, body: { organization: { display_name: 'Acme' } } });
  });

  it('creates the row, and sends the call again', async () => {
    const { api, control } = await shared.fresh();
    const refused = await api.get('/api/v1/organizations/org_404').expect(404);

    const created = await applied(control, idOf(refused), /^Create/);
    const again = await applied(control, idOf(refused), /^Send/);

    expect(created).toMatchObject({ status: 200, body: { id: 'org_404' } });
    expect(again).toMatchObject({ status: 200, body: { organization: { id: 'org_404' } } });
    const { body } = await control.get(`/requests/${again.call}`).expect(200);
    expect(body).toMatchObject({ path: '/api/v1/organizations/org_404', status: 200 });
  });

  it.each([
    ['by the operation of the service', /:disable\.$/],
    ['by an edit of the row', /^Change directories\//],
  ])('changes the state that forbids a call, %s', async (_, text) => {
    const { api, control } = await shared.fresh();
    const [{ id, organization_id }] = (await control.get('/state/directories')).body.rows;
    await control.patch(`/state/directories/${id}`).send({ enabled: true }).expect(200);
    const path = `/api/v1/organizations/${organization_id}/directories/${id}`;
    const refused = await api.delete(path).expect(400);

    expect((await applied(control, idOf(refused), text)).status).toBe(200);

    await api.delete(path).expect(200);
  });

  it('puts a deleted row back', async () => {
    const { api, control } = await shared.fresh();
    const made = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    const { id } = made.body.organization;
    await api.delete(`/api/v1/organizations/${id}`).expect(200);
    const refused = await api.get(`/api/v1/organizations/${id}`).expect(404);

    await applied(
      control,
      idOf(refused),
      /^Put organizations\/.* back, as it was before req_\d+ deleted it\.$/,
    );

    const { body } = await api.get(`/api/v1/organizations/${id}`).expect(200);
    expect(body.organization.display_name).toBe('Acme');
  });

  it('moves the clock back to before the end', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await control.post('/clock/advance').send({ by: '25h' }).expect(200);
    const refused = await api.get('/api/v1/organizations').expect(401);

    await applied(control, idOf(refused), /^Set the clock .* just before that ended\.$/);

    await api.get('/api/v1/organizations').expect(200);
  });

  it('gets a token', async () => {
    const { anonymous, control } = await shared.fresh();
    const refused = await anonymous.get('/api/v1/organizations').expect(401);

    const { body } = await applied(control, idOf(refused), /^Get a token/);

    const authorization = `Bearer ${body.access_token}`;
    await anonymous.get('/api/v1/organizations').set({ authorization }).expect(200);
  });

  it('sends a call that had no good token again with one, and with its body', async () => {
    const { anonymous, control } = await shared.fresh();
    const refused = await anonymous.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(401);

    const again = await applied(control, idOf(refused), /^Send the call again, with a new token\.$/);

    expect(again).toMatchObject({ status: 201, body: { organization: { display_name: 'Acme' } } });
  });

  it('unloads a scenario and, once it is unloaded, loads it again', async () => {
    const { api, control } = await shared.fresh();
    await control.post('/scenarios').send({ name: 'unavailable' }).expect(201);
    const refused = await api.get('/api/v1/organizations').expect(503);

    await applied(control, idOf(refused), /^Unload the scenario unavailable\.$/);
    await api.get('/api/v1/organizations').expect(200);
    await applied(control, idOf(refused), /^Load the scenario unavailable again/);

    await api.get('/api/v1/organizations').expect(503);
  });

  it('deletes the row that has the key', async () => {
    const { api, control } = await shared.fresh();
    const acme = { display_name: 'Acme', external_id: 'crm-1' };
    await api.post('/api/v1/organizations').send(acme).expect(201);
    const refused = await api.post('/api/v1/organizations').send(acme).expect(400);

    await applied(control, idOf(refused), /^Delete organizations\/.*, which has it\.$/);

    await api.post('/api/v1/organizations').send(acme).expect(201);
  });

  it('says how many remedies there are if the number is too large', async () => {
    const { api, control } = await shared.fresh();
    const refused = await api.get('/api/v1/organizations/org_404').expect(404);
    const { body } = await control.post(`/requests/${idOf(refused)}/remedies/9`).expect(404);
    expect(body.message).toBe(`call ${idOf(refused)} has 3 remedies`);
  });
});
