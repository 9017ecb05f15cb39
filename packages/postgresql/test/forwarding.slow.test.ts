import { fromJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../src/start/config.ts';
import { Keys } from '../../../src/state/keys.ts';
import { firstKey } from '../../../src/state/signing-keys.ts';
import { follow } from '../../../test/support/event-stream.ts';
import { callRpc, grpcTo, METHODS } from '../../../test/server/grpc/support.ts';
import { agent, tokenOf } from '../../../test/support/boot.ts';
import { Browser } from '../../../test/support/browser.ts';
import { connectAgent } from '../../../test/support/mcp.ts';
import { metricsOf } from '../../../test/support/metrics.ts';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually } from '../../../test/support/process.ts';
import { holding, owning, startPeers, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

/** Two processes of one database; the first owns `default`. */
async function startPair(): Promise<{ store: string; first: Replica; second: Replica }> {
  const store = await postgres.database();
  const [first, second] = await startPeers(store);
  return { store, first, second };
}

/** Calls the environment with its own client, through this process. */
async function login({ url }: Replica, credentials: { client_id: string; client_secret: string }) {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...pick(credentials) });
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body: form });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { access_token: string }).access_token;
}

const pick = ({ client_id, client_secret }: { client_id: string; client_secret: string }) => ({
  client_id,
  client_secret,
});

const SIGNED_IN = 'http://localhost:8080/ui/signed-in';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe.skipIf(!HAS_POSTGRES)('a process with --advertise', () => {
  let first: Replica;
  let second: Replica;

  it('refuses a name that the database cannot hold, as every process does', async () => {
    const { first } = await startPair();
    for (const path of ['/environments/a%00b', '/environments/a%00b/state']) {
      const { body } = await first.control.get(path).expect(400);
      expect(JSON.stringify(body)).toContain('1 to 40 of a-z, 0-9 and -');
    }
    const token = await new Keys().sign({ understudy_environment: 'a\0b', exp: 9_999_999_999 }, firstKey());
    const headers = { authorization: `Bearer ${token}` };
    await first.anonymous.get('/api/v1/organizations').set(headers).expect(401);
    for (const path of ['/keys', '/_control/v1/state'])
      await first.anonymous.get(path).set({ 'understudy-environment': 'a%00b' }).expect(404);
    await first.anonymous.get('/keys').set({ host: 'a%00b.localhost' }).expect(400);
    // By an id, by a client, and by a link.
    await first.anonymous.post('/api/v1/resources/a%00b.res_1/clients:register').send({}).expect(404);
    const form = { grant_type: 'client_credentials', client_id: 'a\0b', client_secret: 'a\0b' };
    await first.anonymous.post('/oauth/token').type('form').send(form).expect(401);
    await first.anonymous.get('/magicLink/a%00b.x_o').expect(404);
  });

  it('takes every call of every environment', async () => {
    ({ first, second } = await startPair());
    const { body: made } = await second.control.post('/environments').send({ name: 'worker' }).expect(201);

    // By client, token, header and host, at the process that does not own the environment.
    const token = await login(first, made);
    const organizations = `${first.url}/api/v1/organizations`;
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    const body = JSON.stringify({ display_name: 'Acme', external_id: 'acme' });
    const created = await fetch(organizations, { method: 'POST', headers, body });
    expect(created.status).toBe(201);
    const { organization } = (await created.json()) as { organization: { id: string } };
    const path = `/_control/v1/state/organizations/${organization.id}`;
    await agent(first.understudy.app, '', { 'understudy-environment': 'worker' }).get(path).expect(200);
    await first.control.get(`/environments/worker`).expect(200);
    const front = await agent(first.understudy.app, '', { host: 'worker.localhost' }).get('/').expect(200);
    expect(front.text).toContain('<strong>worker</strong>');

    // By the client of a sign-in, its link, the cookie of the browser, and the code.
    const asked = {
      client_id: made.client_id,
      redirect_uri: SIGNED_IN,
      response_type: 'code',
      scope: 'openid',
    };
    const chooser = await new Browser(first).open(`/oauth/authorize?${new URLSearchParams(asked)}`);
    const signedIn = await chooser.submit({ user_id: 'usr_10000000000000101' });
    const { client_id, client_secret } = made;
    const form = { grant_type: 'authorization_code', redirect_uri: SIGNED_IN, client_id, client_secret };
    const code = signedIn.query('code');
    await first.anonymous
      .post('/oauth/token')
      .type('form')
      .send({ ...form, code })
      .expect(200);

    // The tools of coding agents, too.
    const { client } = await connectAgent(`${first.url}/_control/mcp`, { environment: 'worker' });
    const call = { collection: 'organizations', id: organization.id };
    const rows = await client.callTool({ name: 'list_rows', arguments: call });
    expect(rows.structuredContent).toMatchObject({ rows: [{ display_name: 'Acme' }] });

    // The journal is with the owner, and shows the call as it came.
    const { body: journal } = await first.control
      .get('/requests')
      .query({ operation: 'OrganizationService_CreateOrganization' })
      .set('understudy-environment', 'worker')
      .expect(200);
    expect(journal.requests).toMatchObject([{ environment: 'worker', protocol: 'http/1.1', status: 201 }]);

    // `default` is asked through the second process.
    const other = agent(
      second.understudy.app,
      '',
      bearer(await tokenOf(second.understudy.app, KNOWN_CREDENTIALS)),
    );
    await other.get('/api/v1/organizations').expect(200);
    await other.get(`/api/v1/organizations/${organization.id}`).expect(404);

    // All environments are listed everywhere, and a name is given once.
    for (const { control } of [first, second]) {
      const { body: listed } = await control.get('/environments').expect(200);
      expect(listed.environments.map(({ name }: { name: string }) => name).toSorted()).toEqual([
        'default',
        'worker',
      ]);
      await control.post('/environments').send({ name: 'worker' }).expect(409);
    }
    await first.control.delete('/environments/worker').expect(204);
    await second.control.get('/environments/worker').expect(404);
    await first.control.get('/environments/worker').expect(404);
  });

  it('forwards RPCs, streams and broken answers, and nothing for strangers', async () => {
    const pair = await startPair();
    ({ first, second } = pair);
    const token = await tokenOf(second.understudy.app, KNOWN_CREDENTIALS);

    // An RPC with the external id of an organization, which only the owner knows.
    const named = { display_name: 'Globex', external_id: 'globex' };
    const { body: made } = await agent(second.understudy.app, '', bearer(token))
      .post('/api/v1/organizations')
      .send(named)
      .expect(201);
    const method = METHODS.get('OrganizationService_GetOrganization')!;
    const message = fromJson(method.input, { external_id: 'globex' });
    const answer = await callRpc(grpcTo(second.url), method, message, bearer(token));
    expect(answer).toMatchObject({ organization: { id: made.organization.id } });

    // The live feed of the owner, and a call that waits.
    const stream = await follow(`${second.url}/_control/v1/events?kinds=request`);
    const wait = { operation: 'OrganizationService_ListOrganization', timeout: '60s' };
    const waiting = second.control.get('/requests/wait').query(wait).expect(200).then();
    await eventually(
      () => first.understudy.controls.simulator.environments.get('default').activity.subscribers,
      (count) => count >= 2,
    );
    await agent(second.understudy.app, '', bearer(token)).get('/api/v1/organizations').expect(200);
    await waiting;
    expect((await stream.until(() => true)).at(-1)?.data).toMatchObject({ status: 200 });
    stream.leave();
    await eventually(
      () => first.understudy.controls.simulator.environments.get('default').activity.subscribers,
      (count) => count <= 1,
    );

    // Faults.
    const rule = (fault: object) => ({ name: 'broken', rules: [{ on: 'OrganizationService_*', fault }] });
    await second.control
      .post('/scenarios')
      .send(rule({ disconnect: 'reset' }))
      .expect(201);
    const get = () => fetch(`${second.url}/api/v1/organizations`, { headers: bearer(token) });
    await expect(get()).rejects.toThrow('fetch failed');
    await second.control
      .post('/scenarios')
      .send(rule({ truncate: 7 }))
      .expect(201);
    const cut = await get();
    await expect(cut.text()).rejects.toThrow('terminated');
    await second.control
      .post('/scenarios')
      .send(rule({ garbage: true }))
      .expect(201);
    expect((await get()).headers.get('content-length')).toBe('128');
    await second.control.delete('/scenarios').expect(204);

    // A stranger.
    const stranger = await fetch(`${first.url}/_replicas/calls`, { method: 'POST', body: 'x' });
    expect(stranger.status).toBe(403);

    // The owner ends: its environments move, and calls find them.
    await first.close();
    await eventually(
      async () => (await get()).status,
      (status) => status === 200,
    );
    await second.control.get(`/state/organizations/${made.organization.id as string}`).expect(200);
  });

  it('answers 503 while nobody owns the environment', async () => {
    const { store, first: owner, second: other } = await startPair();
    const release = await holding(store, 'SELECT 1 FROM understudy_environments FOR UPDATE');

    // The owner is killed.
    await query(
      store,
      'DELETE FROM understudy_replicas WHERE id = (SELECT owner FROM understudy_environments)',
    );
    const refused = await eventually(
      async () => other.control.get('/state/organizations'),
      ({ status }) => status === 503,
    );

    expect(refused.headers['retry-after']).toBe('1');

    // This process counts what it refuses itself.
    const counted = async () => {
      const labels = 'api="control",operation="Control_ListRows",protocol="http/1.1",status="5xx"';
      return (await metricsOf(other.anonymous)).get(`understudy_calls_total{${labels}}`) ?? 0;
    };
    const before = await counted();
    await other.control.get('/state/organizations').expect(503);
    expect(await counted()).toBe(before + 1);
    await release();
    for (const replica of [owner, other]) await owning(replica);
  });
});
