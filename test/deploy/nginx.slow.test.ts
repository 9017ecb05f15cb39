import { create } from '@bufbuild/protobuf';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';
import { callRpc, grpcTo, METHODS } from '../server/grpc/support.ts';
import { tokenOf } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { follow } from '../support/event-stream.ts';
import { HAS_NGINX, startNginx } from '../support/nginx.ts';
import { HAS_POSTGRES, Postgres } from '../support/postgres.ts';
import { eventually, freePort } from '../support/process.ts';
import { owning, startReplica, type Replica } from '../support/replicas.ts';

const EXAMPLE = readFileSync('examples/replicas/nginx.conf', 'utf8');
const ORGANIZATIONS = '/api/v1/organizations';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES && HAS_NGINX) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

/** The example with the ports of two simulators; the first owns `default`. */
async function startExample(): Promise<{ url: string; replicas: Replica[]; token: string }> {
  const store = await postgres.database();
  const replicas: Replica[] = [];
  let configuration = EXAMPLE;
  for (const name of ['understudy-1', 'understudy-2']) {
    const port = await freePort();
    replicas.push(await startReplica(store, { port, fixture: 'default' }));
    configuration = configuration.replace(`${name}:8080`, `127.0.0.1:${port}`);
  }
  await owning(replicas[0]!);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await startNginx(configuration.replace('listen 8080', `listen ${port}`), url);
  return { url, replicas, token: await tokenOf(replicas[0]!.understudy.app, KNOWN_CREDENTIALS) };
}

/** Calls on connections of their own, so that nginx chooses a replica for each. */
async function statuses(url: string, headers: Record<string, string>): Promise<number[]> {
  const call = () => fetch(url, { headers: { ...headers, connection: 'close' } });
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(call));
  return answers.map(({ status }) => status);
}

describe.skipIf(!HAS_POSTGRES || !HAS_NGINX)('the example with nginx', () => {
  it('passes REST, gRPC, sign-ins and live feeds on', async () => {
    const { url, token } = await startExample();
    const headers = { authorization: `Bearer ${token}` };

    const feed = await follow(`${url}/_control/v1/events?kinds=request`);
    expect(await statuses(`${url}${ORGANIZATIONS}`, headers)).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await feed.until(() => true)).at(-1)!.data).toMatchObject({ status: 200 });
    const method = METHODS.get('OrganizationService_ListOrganization')!;
    const answer = await callRpc(grpcTo(url), method, create(method.input), headers);
    expect(answer).toMatchObject({ organizations: expect.any(Array) });
    const asked = {
      client_id: KNOWN_CREDENTIALS.client_id,
      redirect_uri: 'http://localhost:8080/ui/signed-in',
      response_type: 'code',
      scope: 'openid',
    };
    const browser = new Browser({ understudy: { app: url } }, url);
    const chooser = await browser.open(`/oauth/authorize?${new URLSearchParams(asked)}`);
    const signedIn = await chooser.submit({ user_id: 'usr_10000000000000101' });
    expect(signedIn.query('code')).toMatch(/./);
  });

  it('lets a broken connection through and sends no call twice', async () => {
    const { url, replicas, token } = await startExample();
    const headers = { authorization: `Bearer ${token}` };
    const rules = [{ on: 'OrganizationService_*', fault: { disconnect: 'reset' } }];
    await replicas[0]!.control.post('/scenarios').send({ name: 'broken', rules }).expect(201);

    await expect(fetch(`${url}${ORGANIZATIONS}`, { headers })).rejects.toThrow('fetch failed');

    const query = { operation: 'OrganizationService_ListOrganization' };
    const { body } = await replicas[0]!.control.get('/requests').query(query).expect(200);
    expect(body.requests).toHaveLength(1);
  });

  it('goes on with the other replica when one is stopped', async () => {
    const { url, replicas, token } = await startExample();
    const headers = { authorization: `Bearer ${token}` };

    await replicas[0]!.close();

    const answers = () => statuses(`${url}${ORGANIZATIONS}`, headers);
    await eventually(answers, (all) => all.every((status) => status === 200));
  });
});
